// Opens a PDF to count its pages or read their text, with a limit on time. What the raw bytes already show is read from
// them, because the parser takes half a second and 80 MB.

import { ToolError } from "@keelson/engine";
import type { getDocumentProxy } from "unpdf";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

const TIMEOUT_MS = 60_000;
/** A smaller file has no room for the objects of so many pages, even compressed. */
const SMALLEST_LONG_FILE = 5_000;

export function isEncrypted(bytes: Uint8Array): boolean {
  return /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(latin1(bytes));
}

/** False if the page tree is readable and says so. Counts of outlines may be larger, so true is not certain. */
export function mayHaveMorePages(bytes: Uint8Array, limit: number): boolean {
  if (bytes.length < SMALLEST_LONG_FILE) return false;
  const text = latin1(bytes);
  if (text.includes("/ObjStm")) return true;
  return text.matchAll(/\/Count\s+(\d{1,9})/g).some(([, count]) => Number(count) > limit);
}

/** Calls `use` with the open document and closes it afterwards. */
export async function withPdf<T>(
  filePath: string,
  bytes: Uint8Array,
  signal: AbortSignal,
  use: (document: PdfDocument) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const stopped = stop(AbortSignal.any([signal, limit]));
  const { getDocumentProxy } = await import("unpdf");
  // Pass a copy because the parser takes ownership of the buffer; verbosity 0 keeps its warnings off stderr.
  const opening = getDocumentProxy(bytes.slice(), { verbosity: 0 }).catch((error: Error) => {
    throw new ToolError(
      error.name === "PasswordException"
        ? `The PDF '${filePath}' needs a password. Decrypt it first, for example with qpdf --decrypt.`
        : `Cannot read the PDF '${filePath}': ${error.message}`,
    );
  });
  let document: PdfDocument | undefined;
  try {
    document = await Promise.race([opening, stopped.promise]);
    return await Promise.race([use(document), stopped.promise]);
  } catch (error) {
    if (limit.aborted) throw new ToolError(`Reading the PDF '${filePath}' took too long. Request fewer pages at once.`);
    throw error;
  } finally {
    stopped.forget();
    await document?.loadingTask.destroy();
  }
}

/** Rejects when the signal is aborted. */
function stop(signal: AbortSignal): { readonly promise: Promise<never>; forget(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  promise.catch(() => undefined);
  return { promise, forget: () => signal.removeEventListener("abort", end) };
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
