// Reads PDFs: a whole file is sent as a document, selected pages as text.

import { kilobytes, ToolError } from "@keelson/engine";
import type { PageRange } from "./pages.ts";
import type { PagesRead, PdfRead } from "./output.ts";

/** The API accepts requests up to 32 MB, and base64 adds a third. */
const MAX_WHOLE_BYTES = 20 * 1024 * 1024;

export function checkPdfSize(size: number): void {
  if (size > MAX_WHOLE_BYTES) {
    throw new ToolError(
      `The PDF is ${kilobytes(size)}, too large to read whole (20MB at most). Use the pages parameter, such as pages: "1-10".`,
    );
  }
}

export function readPdf(filePath: string, bytes: Uint8Array): PdfRead {
  checkHeader(filePath, bytes);
  return {
    type: "pdf",
    file: { filePath, base64: Buffer.from(bytes).toString("base64"), originalSize: bytes.length },
  };
}

export async function readPages(
  filePath: string,
  bytes: Uint8Array,
  { first, last }: PageRange,
  signal: AbortSignal,
): Promise<PagesRead> {
  checkHeader(filePath, bytes);
  // A PDF engine: a few hundred milliseconds and 80 MB on first use.
  const { getDocumentProxy } = await import("unpdf");
  // Pass a copy because the parser takes ownership of the buffer; verbosity 0 keeps its warnings off stderr.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 }).catch((error: Error) => {
    throw new ToolError(`Cannot read the PDF '${filePath}': ${error.message}`);
  });
  try {
    const totalPages = document.numPages;
    if (first > totalPages) {
      throw new ToolError(
        `Page ${first} does not exist: the PDF has ${totalPages} page${totalPages === 1 ? "" : "s"}.`,
      );
    }
    const pages: { page: number; text: string }[] = [];
    for (let number = first; number <= Math.min(last, totalPages); number++) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      pages.push({ page: number, text: text.trimEnd() });
    }
    return {
      type: "parts",
      file: { filePath, originalSize: bytes.length, count: pages.length, outputDir: null },
      totalPages,
      pages,
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

// The API rejects a document that is not a PDF, and would reject every later request too.
function checkHeader(filePath: string, bytes: Uint8Array): void {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  if (!head.includes("%PDF-")) {
    throw new ToolError(`'${filePath}' is not a PDF: it does not begin with "%PDF-"`);
  }
}
