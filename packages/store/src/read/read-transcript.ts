// Reads a transcript, whatever state it is in: lines that are no JSON are skipped, unknown types passed through.

import { isObject, type Entry } from "@keelson/protocol";
import { byteLines } from "./lines.ts";
import { parseLine, salvage } from "./parse-line.ts";

/** Every entry of a file in file order, one at a time. Throws only when the file cannot be opened or read. */
export function* readEntries(path: string): Generator<Entry> {
  for (const { bytes } of byteLines(path)) {
    const value = parseLine(bytes) ?? salvage(bytes).entry;
    // Types nobody knows yet are as good as the rest: callers look at `type` before anything else.
    if (isEntry(value)) yield value;
  }
}

function isEntry(value: unknown): value is Entry {
  return isObject(value) && typeof value["type"] === "string";
}
