// Entries that name a session. Session lists read only the end of a transcript, so the writer repeats these entries from
// time to time. The last one in the file wins, whoever wrote it.

import { fstatSync, readSync } from "node:fs";
import { isObject, tryParse, type Entry } from "@keelson/protocol";

export const STICKY: ReadonlySet<string> = new Set(["custom-title", "agent-name", "tag"]);
/** How much of the end a session list reads. */
const WINDOW = 64 * 1024;

export function stickyType(entry: Entry | string): string | undefined {
  return isObject(entry) && STICKY.has(entry.type) ? entry.type : undefined;
}

/** The last line of each type near the end of an open file. */
export function stickyLinesNearEnd(fd: number): Map<string, string> {
  const { size } = fstatSync(fd);
  const bytes = Buffer.allocUnsafe(Math.min(size, WINDOW));
  const text = bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (!line.startsWith('{"type":"')) continue;
    const type = stickyType(tryParse(line) as Entry);
    if (type !== undefined) found.set(type, line);
  }
  return found;
}
