// Read: shows text, an image, a notebook or a PDF. Records what was shown, because Edit and Write require it.

import {
  defineTool,
  integer,
  kilobytes,
  object,
  optional,
  string,
  ToolError,
  type FileStat,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import type { ContentBlock } from "@keelson/protocol";
import { missingFileError, resolvePath } from "../path.ts";
import { hashOf, MAX_FILE_BYTES, makeSighting } from "../text-file/seen.ts";
import { binaryFileMessage, fileKind } from "./kind.ts";
import { checkTokens, isTooLargeWhole, pageTokens, tokensOver } from "./limits.ts";
import type * as Notebook from "./notebook.ts";
import type { NotebookRead, ReadOutput } from "./output.ts";
import type * as Pages from "./pages.ts";
import type { DrawPages } from "./pdf.ts";
import description from "./read.md" with { type: "text" };
import type * as Text from "./text.ts";

interface ReadInput {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly pages?: string;
}

export interface ReadToolOptions {
  /** Draws pages of a PDF. Absent: they are shown as text. */
  readonly draw?: DrawPages;
}

export function createReadFileTool({ draw }: ReadToolOptions = {}): Tool<ReadInput, ReadOutput> {
  return defineTool<ReadInput, ReadOutput>({
    name: "Read",
    description,
    input: object({
      file_path: string("The file to read, preferably an absolute path"),
      offset: optional(integer("The line to start at; for files too large to read at once", { minimum: 0 })),
      limit: optional(
        integer("The number of lines to read; for files too large to read at once", { exclusiveMinimum: 0 }),
      ),
      pages: optional(string('Pages of a PDF, such as "3" or "1-5"; at most 20 per call')),
    }),
    kind: "read",
    describe(input) {
      const from = Number(input.text("offset")) || 1;
      const lines = Number(input.text("limit"));
      const path = input.path("file_path", from);
      if (lines > 0) return `${path}, lines ${from}–${from + lines - 1}`;
      return from === 1 ? path : `${path}, from line ${from}`;
    },
    parallelSafe: true,
    // Read has stricter limits of its own, and otherwise reading a saved output file would save it to a file again.
    maxShown: Number.POSITIVE_INFINITY,

    repair({ allow_large: _, ...input }) {
      if (Number(input.offset) < 0) delete input.offset;
      if (input.pages === "") delete input.pages;
      return input;
    },

    async check({ file_path, pages }, context) {
      const path = resolvePath(file_path, context);
      if (pages !== undefined) ofPdf().parsePages(pages);
      if (fileKind(path) === "binary") throw new ToolError(binaryFileMessage(path));
      const stat = await context.files.stat(path);
      if (stat?.kind === "other") throw new ToolError(deviceMessage(path));
    },

    access: ({ file_path }, context) => ({ kind: "read", path: resolvePath(file_path, context) }),

    async run(input, context) {
      const path = resolvePath(input.file_path, context);
      const small = fileKind(path) === "text" ? context.files.readSmall?.(path) : undefined;
      if (small) return readEditable(path, small.stat, input, context, small.bytes);
      const stat = await context.files.stat(path);
      if (!stat) throw await missingFileError(path, context);
      if (stat.kind === "directory") throw new ToolError(`EISDIR: illegal operation on a directory, read '${path}'`);
      if (stat.kind === "other") throw new ToolError(deviceMessage(path));
      if (stat.size > MAX_FILE_BYTES) throw new ToolError(tooLargeMessage(stat.size));

      switch (fileKind(path)) {
        case "binary":
          throw new ToolError(binaryFileMessage(path));
        case "image":
          return (await import("./image.ts")).readImage(path, await context.files.read(path));
        case "pdf":
          return readPdfOrPages(path, stat.size, input.pages, context, draw);
        case "notebook":
        case "text":
          return readEditable(path, stat, input, context);
      }
    },

    show(output): string | ContentBlock[] {
      switch (output.type) {
        case "text":
          return ofText().showLines(output);
        case "image": {
          const { type, base64 } = output.file;
          return [{ type: "image", source: { type: "base64", media_type: type, data: base64 } }];
        }
        case "notebook":
          return ofNotebook().showNotebook(output);
        case "pdf": {
          const { filePath, originalSize, base64 } = output.file;
          return [
            { type: "text", text: `PDF file read: ${filePath} (${sizeOf(originalSize)})` },
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
          ];
        }
        case "parts":
          return ofPdf().showPages(output);
        case "file_unchanged":
          return "The file has not changed since you read it; the earlier result still holds.";
      }
    },
  });
}

export const readFileTool = createReadFileTool();

/** Reads text and notebooks: records them for later edits, and does not show the same content twice. */
async function readEditable(
  path: string,
  stat: FileStat,
  input: ReadInput,
  { files, seen, env, window }: ToolContext,
  known?: Uint8Array,
): Promise<ReadOutput> {
  const isNotebook = fileKind(path) === "notebook";
  const range: Text.LineRange = isNotebook
    ? { offset: 1, limit: null }
    : { offset: input.offset ?? 1, limit: input.limit ?? null };
  const isWhole = range.offset === 1 && range.limit === null;
  const last = seen.get(stat.realPath);
  const wasShown = last?.by === "read" && isSame(last.range, isWhole ? undefined : range);

  if (wasShown && last.mtimeMs === stat.mtimeMs && last.size === stat.size) return unchangedOutput(path);
  const bytes = known ?? (await files.read(path));
  if (wasShown && last.hash === hashOf(bytes)) return unchangedOutput(path);

  if (isNotebook) {
    const output = ofNotebook().readNotebook(path, bytes);
    checkTokens(textIn(output), { env, window }, TAKE_CELLS);
    seen.set(stat.realPath, makeSighting(bytes, stat, "read"));
    return output;
  }
  const { firstPage, readLines } = await import("./text.ts");
  const asked = readLines(path, bytes, range);
  const isTooLong =
    (isWhole && isTooLargeWhole(stat.size)) || tokensOver(asked.file.content, { env, window }) !== undefined;
  const output = isTooLong ? firstPage(asked, pageTokens({ env, window })) : asked;
  const { numLines, totalLines } = output.file;
  const shown = isTooLong ? { offset: range.offset, limit: numLines } : isWhole ? undefined : range;
  if (numLines > 0 || totalLines === 0) seen.set(stat.realPath, makeSighting(bytes, stat, "read", shown));
  return output;
}

async function readPdfOrPages(
  path: string,
  size: number,
  pages: string | undefined,
  { files, signal, env, window }: ToolContext,
  draw: DrawPages | undefined,
) {
  const { checkPdfSize, readPages, readPdf } = await import("./pdf.ts");
  const { parsePages, showPages } = ofPdf();
  if (pages === undefined) checkPdfSize(size);
  const bytes = await files.read(path);
  if (pages === undefined) return readPdf(path, bytes, signal);
  const output = await readPages(path, bytes, parsePages(pages), { signal, draw });
  const shown = showPages(output);
  if (typeof shown === "string") checkTokens(shown, { env, window }, "Request fewer pages at once.");
  return output;
}

// No file is read before the first request.
const ofText = () => require("./text.ts") as { readonly showLines: typeof Text.showLines };
// Few files are one of these.
const ofNotebook = () => require("./notebook.ts") as typeof Notebook;
const ofPdf = () => require("./pages.ts") as typeof Pages;

const isSame = (a: Text.LineRange | undefined, b: Text.LineRange | undefined) =>
  a?.offset === b?.offset && a?.limit === b?.limit;

const unchangedOutput = (filePath: string): ReadOutput => ({ type: "file_unchanged", file: { filePath } });

const TAKE_CELLS = "Print the cells you need with a command, such as jq '.cells[3].source' on the file.";

function textIn(output: NotebookRead): string {
  return ofNotebook()
    .showNotebook(output)
    .map((block) => ("text" in block ? block.text : ""))
    .join("\n");
}

const deviceMessage = (path: string) =>
  path.startsWith("/dev/")
    ? `Cannot read '${path}': this device file would block or produce infinite output.`
    : `Cannot read '${path}': it is not a regular file, so reading it could block forever.`;

const tooLargeMessage = (size: number) =>
  `The file is ${kilobytes(size)}, too large to read even in part (50MB at most). Search it with Grep, or print the lines you need with a command such as sed -n '100,200p'.`;

const sizeOf = (bytes: number) => (bytes < 1024 ? `${bytes} bytes` : kilobytes(bytes));
