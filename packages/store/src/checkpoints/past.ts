// Reads the file-history entries of a transcript. Does not parse other lines, which may be many and long.

import { tryParse } from "@keelson/protocol";
import { byteLines } from "../read/lines.ts";
import type { FileHistoryEntry } from "@keelson/protocol";

/** All writers put the type first in entries outside the chain. */
const BEGINNINGS = ["file-history-snapshot", "file-history-delta", "keelson-file-written"].map((type) =>
  Buffer.from(`{"type":"${type}"`),
);

export function* readFileHistory(path: string): Generator<FileHistoryEntry> {
  for (const { bytes } of byteLines(path)) {
    if (!BEGINNINGS.some((start) => bytes.subarray(0, start.length).equals(start))) continue;
    const entry = tryParse(bytes.toString());
    if (entry !== undefined) yield entry as FileHistoryEntry;
  }
}
