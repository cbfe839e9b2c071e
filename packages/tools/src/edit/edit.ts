// Edit: replaces text in a file the model has read. Everything else in the file stays the same, byte for byte.

import { boolean, defineTool, object, optional, string } from "@keelson/engine";
import type { PatchHunk } from "@keelson/protocol";
import { resolvePath } from "../path.ts";
import description from "./edit.md" with { type: "text" };
import type * as TextEdit from "./text-edit.ts";

export interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface EditOutput {
  readonly filePath: string;
  /** The text as it was in the file; its quotes may differ from those in the input. */
  readonly oldString: string;
  readonly newString: string;
  readonly originalFile: string | null;
  readonly structuredPatch: readonly PatchHunk[];
  readonly userModified: boolean;
  readonly replaceAll: boolean;
  /** Someone else had changed the file since the model read it. */
  readonly changedSinceRead?: true;
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

  // Few sessions edit before their first request, so what does it is loaded here.
  async check(input, context) {
    const { checkTextEdit } = await import("./text-edit.ts");
    await checkTextEdit(input, context);
  },

  access: ({ file_path }, context) => ({ kind: "edit", path: resolvePath(file_path, context) }),

  async preview(input, context) {
    const { previewTextEdit } = await import("./text-edit.ts");
    return previewTextEdit(input, context);
  },

  async run(input, context) {
    const { makeTextEdit } = await import("./text-edit.ts");
    return makeTextEdit(input, context);
  },

  show: (output) => (require("./text-edit.ts") as typeof TextEdit).showTextEdit(output),
});

const isMarkdown = (path: string) => /\.mdx?$/i.test(path);

/**
 * Removes trailing spaces from each line except the last, which may continue with the text after the match.
 */
function stripTrailingSpaces(text: string): string {
  const lines = text.split("\n");
  const last = lines.pop()!;
  return [...lines.map((line) => (line.endsWith("\r") ? `${line.trimEnd()}\r` : line.trimEnd())), last].join("\n");
}
