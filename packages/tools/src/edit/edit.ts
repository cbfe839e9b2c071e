// Edit: replaces text in a file the model has read. Everything else in the file stays the same, byte for byte.

import { extname } from "node:path";
import {
  boolean,
  defineTool,
  object,
  optional,
  string,
  ToolError,
  type FileStat,
  type ToolContext,
} from "@keelson/engine";
import type { PatchHunk } from "@keelson/protocol";
import { missingFileError, resolvePath } from "../path.ts";
import { encode } from "../text-file/encoding.ts";
import { toLf } from "../text-file/line-endings.ts";
import { patchOf, shownPatch } from "../text-file/patch.ts";
import { MAX_FILE_BYTES, readIfSeen, writeAndRecord } from "../text-file/seen.ts";
import { EMPTY_FILE, storableText, toTextFile, type TextFile } from "../text-file/text-file.ts";
import description from "./edit.md" with { type: "text" };

interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

interface EditOutput {
  readonly filePath: string;
  /** The text as it was in the file; its quotes may differ from those in the input. */
  readonly oldString: string;
  readonly newString: string;
  readonly originalFile: string | null;
  readonly structuredPatch: readonly PatchHunk[];
  readonly userModified: boolean;
  readonly replaceAll: boolean;
}

export const editTool = defineTool<EditInput, EditOutput>({
  name: "Edit",
  description,
  input: object({
    file_path: string("The file to change, preferably an absolute path"),
    old_string: string("The text to replace, exactly as it is in the file"),
    new_string: string("The replacement; must differ from old_string"),
    replace_all: optional(boolean("Replace every occurrence (default false)", { default: false })),
  }),

  kind: "edit",
  describe: (input) => input.path("file_path"),

  repair(input) {
    const { file_path, new_string } = input;
    const strips = typeof file_path === "string" && typeof new_string === "string" && !isMarkdown(file_path);
    return { replace_all: false, ...input, ...(strips ? { new_string: stripTrailingSpaces(new_string) } : {}) };
  },

  async check(input, context) {
    await planEdit(input, context);
  },

  access: ({ file_path }, context) => ({ kind: "edit", path: resolvePath(file_path, context) }),

  async preview(input, context) {
    const { path, before, after } = await planEdit(input, context);
    return shownPatch(path, before === EMPTY_FILE ? null : before.lf, toLf(after));
  },

  async run(input, context) {
    // Plan again: the input and the file may have changed since `check`.
    const { path, before, after, bytes, found } = await planEdit(input, context);
    await writeAndRecord(path, bytes, context);
    return {
      filePath: path,
      oldString: found,
      newString: input.new_string,
      originalFile: storableText(before.lf),
      structuredPatch: await patchOf(before.lf, toLf(after)),
      userModified: false,
      replaceAll: input.replace_all ?? false,
    };
  },

  show({ filePath, replaceAll }) {
    const done = replaceAll
      ? "has been updated. All occurrences were successfully replaced."
      : "has been updated successfully.";
    return `The file ${filePath} ${done} (file state is current in your context — no need to Read it back)`;
  },
});

interface Plan {
  readonly path: string;
  readonly before: TextFile;
  readonly after: string;
  readonly bytes: Uint8Array;
  readonly found: string;
}

/** Does everything except write. Checks for errors in the same order as the reference. */
async function planEdit(input: EditInput, context: ToolContext): Promise<Plan> {
  const { old_string, new_string } = input;
  const path = resolvePath(input.file_path, context);
  if (old_string === new_string) {
    throw new ToolError("No changes to make: old_string and new_string are exactly the same.");
  }
  const stat = await context.files.stat(path);
  if (old_string === "") return planCreation(path, new_string, stat, context);
  if (!stat) throw await missingFileError(path, context);
  if (extname(path).toLowerCase() === ".ipynb") {
    throw new ToolError("File is a Jupyter Notebook. Use the NotebookEdit to edit this file.");
  }

  const { findMatches, replaceMatches, withReminderTags } = await import("./replace.ts");
  const before = toTextFile(await readIfSeen(path, stat, context));
  const asStored = before.lf.includes(old_string) ? (text: string) => text : withReminderTags;
  const matches = findMatches(before.lf, asStored(old_string));
  const [start] = matches.starts;
  if (start === undefined) throw new ToolError(`String to replace not found in file.\nString: ${old_string}`);
  if (matches.starts.length > 1 && !input.replace_all) {
    throw new ToolError(
      `Found ${matches.starts.length} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${old_string}`,
    );
  }
  const after = replaceMatches(before, matches, asStored(new_string));
  const found = before.lf.slice(start, start + matches.length);
  return { path, before, after, bytes: encodeLike(before, after), found };
}

/** An empty `old_string` creates a file, or fills an empty one. */
async function planCreation(path: string, text: string, stat: FileStat | null, context: ToolContext): Promise<Plan> {
  const isReadable = stat?.kind === "file" && stat.size <= MAX_FILE_BYTES;
  const before = isReadable ? toTextFile(await context.files.read(path)) : EMPTY_FILE;
  if (stat && (!isReadable || before.text.trim() !== "")) {
    throw new ToolError("Cannot create new file - file already exists.");
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

const isMarkdown = (path: string) => /\.mdx?$/i.test(path);

/**
 * Removes trailing spaces from each line except the last, which may continue with the text after the match.
 */
function stripTrailingSpaces(text: string): string {
  const lines = text.split("\n");
  const last = lines.pop()!;
  return [...lines.map((line) => (line.endsWith("\r") ? `${line.trimEnd()}\r` : line.trimEnd())), last].join("\n");
}
