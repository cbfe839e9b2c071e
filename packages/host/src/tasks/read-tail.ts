// The end of a task's output file.

import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "../files/regular-file.ts";

export interface OutputTail {
  readonly text: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

/** Empty if the file cannot be read. */
export function readTail(path: string, maxBytes: number): OutputTail {
  let file;
  try {
    file = openRegularFile(path);
  } catch {
    return { text: "", size: 0 };
  }
  const { fd, stat } = file;
  try {
    const from = Math.max(0, stat.size - maxBytes);
    const bytes = Buffer.alloc(stat.size - from);
    const count = readSync(fd, bytes, 0, bytes.length, from);
    const text = new TextDecoder().decode(bytes.subarray(0, count));
    // A character cut in half shows as replacement characters at the start.
    return { text: from > 0 ? text.replace(/^\uFFFD+/, "") : text, size: stat.size };
  } finally {
    closeSync(fd);
  }
}
