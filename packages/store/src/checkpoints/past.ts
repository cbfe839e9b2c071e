// Reads the file-history entries of a transcript. Does not parse other lines, which may be many and long.

import { tryParse, type FileHistoryEntry, type MetadataEntry } from "@keelson/protocol";
import { byteLines } from "../read/lines.ts";
import { openProofs } from "../transcript/seals.ts";

/** All writers put the type first in entries outside the chain. */
const BEGINNINGS = ["file-history-snapshot", "file-history-delta", "keelson-file-written", "keelson-seal"].map((type) =>
  Buffer.from(`{"type":"${type}"`),
);

type SealEntry = MetadataEntry & { readonly type: "keelson-seal" };

export interface PastFileHistory {
  /** What Keelson itself recorded, in order. */
  readonly entries: readonly FileHistoryEntry[];
  /** Prompts with a checkpoint that someone else may have written. */
  readonly unproven: ReadonlySet<string>;
}

export function readFileHistory(path: string, configDir: string): PastFileHistory {
  const proofs = openProofs(configDir, path);
  const found: { readonly entry: FileHistoryEntry; readonly digest: string }[] = [];
  for (const { bytes } of byteLines(path)) {
    if (!BEGINNINGS.some((start) => bytes.subarray(0, start.length).equals(start))) continue;
    const entry = tryParse(bytes.toString()) as FileHistoryEntry | SealEntry | undefined;
    if (entry?.type === "keelson-seal") proofs.add(entry);
    else if (entry !== undefined) found.push({ entry, digest: proofs.digestOf(bytes) });
  }
  const others = found.filter(({ digest }) => !proofs.has(digest)).map(({ entry }) => entry);
  return {
    entries: found.filter(({ digest }) => proofs.has(digest)).map(({ entry }) => entry),
    unproven: new Set(others.flatMap((entry) => (entry.type === "file-history-snapshot" ? entry.messageId : []))),
  };
}
