// Write: writes a whole file. An existing file must have been read, and keeps its encoding and line endings.

import { defineTool, object, string, type ToolContext } from "@keelson/engine";
import type { PatchHunk } from "@keelson/protocol";
import { resolvePath } from "../path.ts";
import { encode } from "../text-file/encoding.ts";
import { toLf, withEnding } from "../text-file/line-endings.ts";
import type * as EditedLines from "../text-file/edited-lines.ts";
import { patchOf, shownPatch } from "../text-file/patch.ts";
import { readIfSeen, writeAndRecord } from "../text-file/seen.ts";
import { storableText, toTextFile, type TextFile } from "../text-file/text-file.ts";
import description from "./write.md" with { type: "text" };

interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

interface WriteOutput {
  readonly type: "create" | "update";
  readonly filePath: string;
  readonly content: string;
  readonly structuredPatch: readonly PatchHunk[];
  readonly originalFile: string | null;
}

export const writeTool = defineTool<WriteInput, WriteOutput>({
  name: "Write",
  description,
  input: object({
    file_path: string("The file to write, preferably an absolute path"),
    content: string("The complete content of the file"),
  }),

  kind: "edit",
  describe: (input) => input.path("file_path"),

  async check({ file_path }, context) {
    await readExisting(resolvePath(file_path, context), context);
  },

  access: ({ file_path }, context) => ({ kind: "edit", path: resolvePath(file_path, context) }),

  async preview({ file_path, content }, context) {
    const path = resolvePath(file_path, context);
    return shownPatch(path, (await readExisting(path, context))?.lf ?? null, toLf(content));
  },

  async run({ file_path, content }, context) {
    const filePath = resolvePath(file_path, context);
    // Check again: the input and the file may have changed since `check`.
    const before = await readExisting(filePath, context);
    await writeAndRecord(filePath, before ? encodeLike(before, content) : new TextEncoder().encode(content), context);
    return {
      type: before ? "update" : "create",
      filePath,
      content,
      structuredPatch: before ? await patchOf(before.lf, toLf(content)) : [],
      originalFile: before ? storableText(before.lf) : null,
    };
  },

  show({ type, filePath, content, structuredPatch, originalFile }) {
    if (type === "create") return `Created ${filePath} (${counted(content)}).`;
    const lines = (require("../text-file/edited-lines.ts") as typeof EditedLines).editedLines(structuredPatch);
    const same = originalFile === toLf(content) ? " It is as it was before." : "";
    return `Rewrote ${filePath}${lines === "" ? "." : `: ${lines}`}${same}`;
  },
});

function counted(content: string): string {
  const count = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return count === 0 ? "empty" : count === 1 ? "1 line" : `${count} lines`;
}

async function readExisting(path: string, context: ToolContext): Promise<TextFile | null> {
  const stat = await context.files.stat(path);
  return stat ? toTextFile(await readIfSeen(path, stat, context)) : null;
}

/** Encodes the content like the old file, or as UTF-8 if that encoding lacks a character. */
function encodeLike({ encoding, bom, ending }: TextFile, content: string): Uint8Array {
  const unmarked = bom && content.startsWith("\ufeff") ? content.slice(1) : content;
  // If the content has CRLF, that is intentional.
  const text = unmarked.includes("\r\n") ? unmarked : withEnding(unmarked, ending);
  const bytes = encode(text, encoding, bom);
  return bytes instanceof Uint8Array ? bytes : new TextEncoder().encode(text);
}
