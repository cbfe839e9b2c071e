// What is in a program file, as far as it matters here.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const MOST_HASHED = 1024 * 1024;

/** Null if it is too large to be read each time it is run. */
export function programHash(path: string): string | null {
  const bytes = bytesOf(path, (size) => (size > MOST_HASHED ? 0 : size));
  return bytes?.length ? new Bun.CryptoHasher("sha256").update(bytes).digest("hex") : null;
}

/** The start of a file; empty if it cannot be read. */
export const fileHead = (path: string, most: number) =>
  bytesOf(path, (size) => Math.min(size, most))?.toString("latin1") ?? "";

export const isScript = (path: string) => fileHead(path, 2) === "#!";

function bytesOf(path: string, length: (size: number) => number): Buffer | null {
  let fd: number | undefined;
  try {
    // Not waiting for someone to write to a FIFO.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const bytes = Buffer.allocUnsafe(length(stat.size));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
