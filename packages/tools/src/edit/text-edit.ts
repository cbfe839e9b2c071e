// The edit of one file: what it would be after it, writing that, and what the model reads of it. Loaded with the first.

import { extname } from "node:path";
import { ToolError, type FileStat, type ToolContext } from "@keelson/engine";
import { missingFileError, resolvePath } from "../path.ts";
import { editedLines, lineList } from "../text-file/edited-lines.ts";
import { encode } from "../text-file/encoding.ts";
import { toLf } from "../text-file/line-endings.ts";
import { patchOf, shownPatch } from "../text-file/patch.ts";
import { hashOf, MAX_FILE_BYTES, readSeen, STALE, writeAndRecord } from "../text-file/seen.ts";
import { EMPTY_FILE, storableText, toTextFile, type TextFile } from "../text-file/text-file.ts";
import type { EditInput, EditOutput } from "./edit.ts";
import { findMatches, replaceMatches, withReminderTags } from "./replace.ts";

/** The content that was there when a call was checked: after that, nobody else may change it. */
const checkedContent = new WeakMap<ToolContext, string>();

/** Throws ToolError if the edit cannot be made. */
export async function checkTextEdit(input: EditInput, context: ToolContext): Promise<void> {
  const { content } = await planTextEdit(input, context);
  if (content !== undefined) checkedContent.set(context, content);
}

export async function previewTextEdit(input: EditInput, context: ToolContext) {
  const { path, before, after } = await planTextEdit(input, context);
  return shownPatch(path, before === EMPTY_FILE ? null : before.lf, toLf(after));
}

export async function makeTextEdit(input: EditInput, context: ToolContext): Promise<EditOutput> {
  // Plan again: the input and the file may have changed since it was checked.
  const { path, before, after, bytes, found, content, hasChanged } = await planTextEdit(input, context);
  if (hasChanged && content !== checkedContent.get(context)) throw new ToolError(STALE);
  // What else is new in the file, the model has still not seen.
  if (hasChanged) await context.files.write(path, bytes);
  else await writeAndRecord(path, bytes, context);
  return {
    filePath: path,
    oldString: found,
    newString: input.new_string,
    originalFile: storableText(before.lf),
    structuredPatch: await patchOf(before.lf, toLf(after)),
    userModified: false,
    replaceAll: input.replace_all ?? false,
    ...(hasChanged ? { changedSinceRead: true } : {}),
  };
}

export function showTextEdit({ filePath, structuredPatch, changedSinceRead }: EditOutput): string {
  const lines = editedLines(structuredPatch);
  return `Edited ${filePath}${lines === "" ? "." : `: ${lines}`}${changedSinceRead ? CHANGED : ""}`;
}

const CHANGED =
  " The file had changed since you read it, but this text was still there once. Read it again before you rely on the rest.";

interface Plan {
  readonly path: string;
  readonly before: TextFile;
  readonly after: string;
  readonly bytes: Uint8Array;
  readonly found: string;
  /** Tells the content of an existing file from any other. */
  readonly content?: string;
  /** It is not as the model last saw it. */
  readonly hasChanged?: boolean;
}

/** Does everything except write. Checks for errors in the same order as the reference. */
async function planTextEdit(input: EditInput, context: ToolContext): Promise<Plan> {
  const { old_string, new_string } = input;
  const path = resolvePath(input.file_path, context);
  if (old_string === new_string) {
    throw new ToolError("old_string and new_string are the same, so nothing would change.");
  }
  const stat = await context.files.stat(path);
  if (old_string === "") return planCreation(path, new_string, stat, context);
  if (!stat) throw await missingFileError(path, context);
  if (extname(path).toLowerCase() === ".ipynb") {
    throw new ToolError("The file is a Jupyter notebook. Use NotebookEdit to change it.");
  }

  const { bytes: stored, hasChanged } = await readSeen(path, stat, context);
  const before = toTextFile(stored);
  const asStored = before.lf.includes(old_string) ? (text: string) => text : withReminderTags;
  const matches = findMatches(before.lf, asStored(old_string));
  const [start] = matches.starts;
  if (hasChanged && matches.starts.length !== 1) throw new ToolError(STALE);
  if (start === undefined) throw new ToolError(`${NOT_FOUND} ${await nearest(before.lf, old_string, path, context)}`);
  if (matches.starts.length > 1 && !input.replace_all) throw new ToolError(notUnique(before.lf, matches.starts));
  const after = replaceMatches(before, matches, asStored(new_string));
  const found = before.lf.slice(start, start + matches.length);
  return { path, before, after, bytes: encodeLike(before, after), found, content: hashOf(stored), hasChanged };
}

// Programs that count failed edits know the first words of these two (docs/compatibility.md).
const NOT_FOUND = "String to replace not found in file.";

function notUnique(lf: string, starts: readonly number[]): string {
  const lines = lineList(lineNumbers(lf, starts).map((line) => [line, line]));
  return `Found ${starts.length} matches of the string to replace, on ${lines}. Add text around the one you mean to old_string, or set replace_all to change all of them.`;
}

/** Ascending offsets as line numbers, each line once. */
function lineNumbers(lf: string, offsets: readonly number[]): number[] {
  const lines = new Set<number>();
  let [line, at] = [1, lf.indexOf("\n")];
  for (const offset of offsets) {
    for (; at !== -1 && at < offset; at = lf.indexOf("\n", at + 1)) line++;
    lines.add(line);
  }
  return [...lines];
}

/** Rules may have changed since the model read the file. */
async function nearest(lf: string, wanted: string, path: string, { mayRead }: ToolContext): Promise<string> {
  if (!mayRead(path)) return "Read the file again.";
  return (await import("./nearest.ts")).whyNotFound(lf, wanted);
}

/** An empty `old_string` creates a file, or fills an empty one. */
async function planCreation(path: string, text: string, stat: FileStat | null, context: ToolContext): Promise<Plan> {
  const isReadable = stat?.kind === "file" && stat.size <= MAX_FILE_BYTES;
  const before = isReadable ? toTextFile(await context.files.read(path)) : EMPTY_FILE;
  if (stat && (!isReadable || before.text.trim() !== "")) {
    throw new ToolError(
      "Cannot create the file: it already exists. Put the text to replace into old_string, or replace the whole file with Write.",
    );
  }
  return { path, before, after: text, bytes: encodeLike(before, text), found: "" };
}

function encodeLike({ encoding, bom }: TextFile, text: string): Uint8Array {
  const bytes = encode(text, encoding, bom);
  if (bytes instanceof Uint8Array) return bytes;
  throw new ToolError(
    `The file is encoded as ${encoding}, which has no "${bytes.lacks}". Omit that character, or rewrite the whole file with Write, which then saves it as UTF-8.`,
  );
}
