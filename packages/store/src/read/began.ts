// When a conversation began.

import { closeSync, readSync } from "node:fs";
import { openOwnFile } from "@keelson/disk/own-files";

const WINDOW = 256 * 1024;

/** The time of its first entry, in milliseconds; undefined if no entry near the start has one. */
export function beganMs(path: string): number | undefined {
  const fd = openOwnFile(path);
  try {
    const bytes = Buffer.allocUnsafe(WINDOW);
    const head = bytes.toString("utf8", 0, readSync(fd, bytes, 0, WINDOW, 0));
    // Quotes inside JSON strings are escaped, so a match is a key.
    const time = Date.parse(/"timestamp":"([^"\\]{1,40})"/.exec(head)?.[1] ?? "");
    return Number.isNaN(time) ? undefined : time;
  } finally {
    closeSync(fd);
  }
}
