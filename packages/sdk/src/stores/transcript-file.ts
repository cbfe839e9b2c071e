// Transcript files as a store sees them: entries in batches, with the sidecar of a subagent as one more entry.

import { readFileSync } from "node:fs";
import { isObject, tryParse } from "@keelson/protocol";
import { readEntries } from "@keelson/store/past";
import type { SessionStoreEntry } from "./session-store.ts";

export const BATCH_ENTRIES = 500;
export const BATCH_BYTES = 1024 * 1024;

/** Bookkeeping of other writers: large, and nobody needs it to go on. */
const NOT_MIRRORED = /^api-request/;

/** Every entry a store should have of a file, in order. Throws when the file cannot be read. */
export function* entriesOfFile(path: string): Generator<SessionStoreEntry> {
  for (const entry of readEntries(path)) {
    if (!NOT_MIRRORED.test(entry.type)) yield entry as SessionStoreEntry;
  }
  const metadata = readSidecar(path);
  if (metadata !== undefined) yield { ...metadata, type: "agent_metadata" };
}

export const sidecarOf = (path: string) => path.replace(/\.jsonl$/, ".meta.json");

/** What lies beside a subagent's transcript; undefined when nothing readable does. */
export function readSidecar(path: string): Record<string, unknown> | undefined {
  try {
    const value = tryParse(readFileSync(sidecarOf(path), "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As many as fit into one append, but always one. */
export function* inBatches(
  entries: Iterable<SessionStoreEntry>,
  most = BATCH_ENTRIES,
): Generator<SessionStoreEntry[], void> {
  let batch: SessionStoreEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = sizeOf(entry);
    if (batch.length > 0 && (batch.length >= most || bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** About as many bytes as it has on the wire. */
export const sizeOf = (entry: SessionStoreEntry) => JSON.stringify(entry).length;
