// Reads the lines of a file as bytes through one small reused buffer: memory use does not depend on the file size, and
// allocating new pages would take most of the time.

import { closeSync, readSync } from "node:fs";
import { openOwnFile } from "@keelson/disk/own-files";

/** Longer lines are skipped. */
export const MAX_READ_LINE = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;
const NEWLINE = 10;

export interface ByteLine {
  /** Valid until the next line is read. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** The end of the file, without an end of the line: whoever wrote it did not finish. */
  readonly isTorn?: true;
}

export interface LineOptions {
  readonly maxLine?: number;
  /** Where to begin and end: both between lines. */
  readonly from?: number;
  readonly until?: number;
  /** Called for each line that is skipped. */
  readonly onSkip?: () => void;
}

/** Throws if the file cannot be opened or is not a regular file. */
export function* byteLines(path: string, options: LineOptions = {}): Generator<ByteLine> {
  const { maxLine = MAX_READ_LINE, from = 0, until = Infinity, onSkip } = options;
  const fd = openOwnFile(path);
  try {
    let buffer: Buffer = Buffer.allocUnsafeSlow(CHUNK);
    let held = 0;
    let offset = from;
    let skipping = false;
    for (;;) {
      if (held === buffer.length) {
        if (held < maxLine) buffer = grown(buffer);
        else {
          if (!skipping) onSkip?.();
          skipping = true;
          offset += held;
          held = 0;
        }
      }
      const at = offset + held;
      const got = readSync(fd, buffer, held, Math.min(buffer.length - held, until - at), at);
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
    if (held > 0 && !skipping) yield { bytes: buffer.subarray(0, held), offset, isTorn: true };
  } finally {
    closeSync(fd);
  }
}

/** Reads bytes of a file at given offsets. */
export function openRanges(path: string): { read(offset: number, length: number): Buffer; close(): void } {
  const fd = openOwnFile(path);
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

function grown(buffer: Buffer): Buffer {
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}
