// Reads the entries of a transcript. Skips lines that are not JSON; unknown types pass through.

import { isObject, type Entry } from "@keelson/protocol";
import { byteLines } from "./lines.ts";
import { parseLine, salvage } from "./parse-line.ts";

/** In file order. Throws only if the file cannot be read. */
export function* readEntries(path: string): Generator<Entry> {
  for (const { bytes } of byteLines(path)) {
    const value = parseLine(bytes) ?? salvage(bytes).entry;
    // Callers check `type` first, so unknown types do no harm.
    if (isEntry(value)) yield value;
  }
}

function isEntry(value: unknown): value is Entry {
  return isObject(value) && typeof value["type"] === "string";
}
