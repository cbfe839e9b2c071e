// The end of a task's output file.

import { closeSync, fstatSync, readSync } from "node:fs";
import { NotOurFileError, openOwnFile } from "@keelson/disk/own-files";

export interface OutputTail {
  readonly text: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

/** Empty if the file cannot be read, or says what is in its place. */
export function readTail(path: string, maxBytes: number): OutputTail {
  if (path === "") return NOTHING;
  let fd: number;
  try {
    fd = openOwnFile(path);
  } catch (error) {
    return error instanceof NotOurFileError ? withheld(path) : NOTHING;
  }
  try {
    const stat = fstatSync(fd);
    // No one else gives our file a second name; a command may give ours to another file.
    if (stat.nlink > 1) return withheld(path);
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

const NOTHING: OutputTail = { text: "", size: 0 };

function withheld(path: string): OutputTail {
  const text = `[The output is not shown: ${path} has been replaced by a link or by something that is not a file]`;
  return { text, size: text.length };
}
