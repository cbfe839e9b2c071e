// Reads PDFs: a whole file is sent as a document, selected pages as images, or as text if no program can draw them.

import { kilobytes, ToolError } from "@keelson/engine";
import type { PdfRead, PagesRead } from "./output.ts";
import type { PageRange } from "./pages.ts";
import { isEncrypted, mayHaveMorePages, readPdfText } from "./pdf/document.ts";

/** The API accepts requests up to 32 MB, and base64 adds a third. */
const MAX_WHOLE_BYTES = 20 * 1024 * 1024;
/** The API rejects longer documents, and would reject every later request too. */
const MAX_WHOLE_PAGES = 100;

/** Draws pages. Null if this machine cannot, or not these. */
export type DrawPages = (
  bytes: Uint8Array,
  range: PageRange,
  signal: AbortSignal,
) => Promise<readonly { readonly page: number; readonly jpeg: Uint8Array }[] | null>;

export function checkPdfSize(size: number): void {
  if (size > MAX_WHOLE_BYTES) {
    throw new ToolError(
      `The PDF is ${kilobytes(size)}, too large to read whole (20MB at most). Use the pages parameter, such as pages: "1-10".`,
    );
  }
}

export async function readPdf(filePath: string, bytes: Uint8Array, signal: AbortSignal): Promise<PdfRead> {
  checkHeader(filePath, bytes);
  if (isEncrypted(bytes)) {
    throw new ToolError(
      `The PDF '${filePath}' is encrypted, so it cannot be read whole. Use the pages parameter, such as pages: "1-10", or decrypt it first.`,
    );
  }
  if (mayHaveMorePages(bytes, MAX_WHOLE_PAGES)) {
    const { totalPages: pages } = await readPdfText(filePath, bytes, { signal });
    if (pages > MAX_WHOLE_PAGES) {
      throw new ToolError(
        `The PDF has ${pages} pages, too many to read whole (${MAX_WHOLE_PAGES} at most). Use the pages parameter, such as pages: "1-20".`,
      );
    }
  }
  return {
    type: "pdf",
    file: { filePath, base64: Buffer.from(bytes).toString("base64"), originalSize: bytes.length },
  };
}

export async function readPages(
  filePath: string,
  bytes: Uint8Array,
  range: PageRange,
  { signal, draw }: { readonly signal: AbortSignal; readonly draw?: DrawPages | undefined },
): Promise<PagesRead> {
  checkHeader(filePath, bytes);
  const drawn = (await draw?.(bytes, range, signal)) ?? [];
  if (drawn.length > 0) {
    const pages = drawn.map(({ page, jpeg }) => ({
      page,
      image: { type: "image/jpeg", base64: Buffer.from(jpeg).toString("base64") },
    }));
    return { type: "parts", file: fileOf(filePath, bytes, pages.length), pages };
  }
  // Also says what is wrong with a file that could not be drawn.
  return readText(filePath, bytes, range, signal);
}

async function readText(
  filePath: string,
  bytes: Uint8Array,
  range: PageRange,
  signal: AbortSignal,
): Promise<PagesRead> {
  const { totalPages, pages } = await readPdfText(filePath, bytes, { signal, range });
  if (range.first > totalPages) {
    throw new ToolError(
      `Page ${range.first} does not exist: the PDF has ${totalPages} page${totalPages === 1 ? "" : "s"}.`,
    );
  }
  return { type: "parts", file: fileOf(filePath, bytes, pages.length), totalPages, pages };
}

const fileOf = (filePath: string, bytes: Uint8Array, count: number): PagesRead["file"] => ({
  filePath,
  originalSize: bytes.length,
  count,
  outputDir: null,
});

// The API rejects a document that is not a PDF, and would reject every later request too.
function checkHeader(filePath: string, bytes: Uint8Array): void {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  if (!head.includes("%PDF-")) {
    throw new ToolError(`'${filePath}' is not a PDF: it does not begin with "%PDF-"`);
  }
}
