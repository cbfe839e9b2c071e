// The lines of a file as bytes, through one small buffer that is used again and again: reading costs the same memory
// for a session of a megabyte and of a gigabyte, and fresh pages are most of what reading a large file costs.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Lines beyond this are skipped. */
export const MAX_READ_LINE = 64 * 1024 * 1024;
const CHUNK = 1024 * 1024;
const NEWLINE = 10;

export interface ByteLine {
  /** Valid until the next line is asked for. */
  readonly bytes: Buffer;
  readonly offset: number;
}

/** Throws what the file system throws when the file cannot be opened, or is not a regular file. */
export function* byteLines(path: string, maxLine = MAX_READ_LINE): Generator<ByteLine> {
  const fd = openForReading(path);
  try {
    let buffer: Buffer = Buffer.allocUnsafeSlow(CHUNK);
    let held = 0;
    let offset = 0;
    let skipping = false;
    for (;;) {
      if (held === buffer.length) {
        if (held < maxLine) buffer = grown(buffer);
        else {
          skipping = true;
          offset += held;
          held = 0;
        }
      }
      const got = readSync(fd, buffer, held, buffer.length - held, null);
      if (got === 0) break;
      const filled = buffer.subarray(0, held + got);
      let start = 0;
      for (let end = filled.indexOf(NEWLINE, held); end >= 0; end = filled.indexOf(NEWLINE, start)) {
        if (!skipping && end > start) yield { bytes: filled.subarray(start, end), offset: offset + start };
        skipping = false;
        start = end + 1;
      }
      offset += start;
      held = filled.length - start;
      if (start > 0 && held > 0) buffer.copyWithin(0, start, filled.length);
    }
    if (held > 0 && !skipping) yield { bytes: buffer.subarray(0, held), offset };
  } finally {
    closeSync(fd);
  }
}

/** Bytes of one file at known places. */
export function openRanges(path: string): { read(offset: number, length: number): Buffer; close(): void } {
  const fd = openForReading(path);
  return {
    read(offset, length) {
      const bytes = Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const got = readSync(fd, bytes, done, length - done, offset + done);
        if (got === 0) break;
        done += got;
      }
      return bytes.subarray(0, done);
    },
    close: () => closeSync(fd),
  };
}

export function openForReading(path: string): number {
  // Not blocking, so that a pipe in the file's place cannot hold us.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new Error(`Transcript is not a regular file: "${path}"`);
}

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}
