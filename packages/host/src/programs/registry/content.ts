// What is in a program file, as far as it matters here.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

const MOST_HASHED = 1024 * 1024;

/** Null if it is too large to be read each time it is run. */
export function programHash(path: string): string | null {
  const bytes = (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) > MOST_HASHED ? null : bytesOf(path);
  return bytes && new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** The start of a file; empty if it cannot be read. */
export const fileHead = (path: string, most: number) => bytesOf(path, most)?.toString("latin1") ?? "";

function bytesOf(path: string, most = MOST_HASHED): Buffer | null {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const bytes = Buffer.allocUnsafe(Math.min(most, stat.size));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export const isScript = (path: string) => fileHead(path, 2) === "#!";
