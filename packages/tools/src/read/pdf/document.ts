// Counts the pages of a PDF or reads their text, in a thread of its own that can be ended: a small file can unpack to
// any size. What the raw bytes already show is read from them, because the parser takes half a second and 80 MB.

import { ToolError } from "@keelson/engine";

const TIMEOUT_MS = 60_000;
const MAX_MEMORY = 1024 ** 3;
const LOOK_MS = 100;
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

export interface PdfText {
  readonly totalPages: number;
  readonly pages: readonly { readonly page: number; readonly text: string }[];
}

type PdfAnswer = PdfText | { readonly error: { readonly name: string; readonly message: string } };

export interface PdfTextOptions {
  readonly signal: AbortSignal;
  /** Absent: only the number of pages is wanted. */
  readonly range?: { readonly first: number; readonly last: number };
  /** By which the memory of the process may grow, in bytes. */
  readonly maxMemory?: number;
}

/** Throws ToolError. */
export async function readPdfText(
  filePath: string,
  bytes: Uint8Array,
  { signal, range, maxMemory = MAX_MEMORY }: PdfTextOptions,
): Promise<PdfText> {
  signal.throwIfAborted();
  const worker = new Worker(await fileOf(import("./worker.mjs", { with: { type: "file" } })));
  const parser = await fileOf(import("unpdf/pdfjs", { with: { type: "file" } }));
  const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>();
  worker.addEventListener("message", ({ data }: MessageEvent<PdfAnswer>) => resolve(data));
  worker.addEventListener("error", ({ message }) => resolve({ error: { name: "Error", message } }));
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  const began = { at: performance.now(), memory: process.memoryUsage.rss() };
  const look = setInterval(() => {
    if (process.memoryUsage.rss() - began.memory > maxMemory)
      reject(new ToolError(`Reading the PDF '${filePath}' takes too much memory. It may be damaged.`));
    else if (performance.now() - began.at > TIMEOUT_MS)
      reject(new ToolError(`Reading the PDF '${filePath}' took too long. Request fewer pages at once.`));
  }, LOOK_MS);
  try {
    worker.postMessage({ parser, bytes, range }, []);
    const answer = await promise;
    if (!("error" in answer)) return answer;
    const { name, message } = answer.error;
    throw new ToolError(
      name === "PasswordException"
        ? `The PDF '${filePath}' needs a password. Decrypt it first, for example with qpdf --decrypt.`
        : `Cannot read the PDF '${filePath}': ${message}`,
    );
  } finally {
    clearInterval(look);
    signal.removeEventListener("abort", stop);
    worker.terminate();
  }
}

/** The path of a module that is imported as a file. */
async function fileOf(module: Promise<unknown>): Promise<string> {
  return ((await module) as { readonly default: string }).default;
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
