// Transcript files as a store sees them: entries in batches, with a subagent's sidecar file as one more entry.

import { isObject, tryParse } from "@keelson/protocol";
import { readEntries, readOwnFile } from "../past.ts";
import type { SessionStoreEntry } from "./session-store.ts";

export const BATCH_ENTRIES = 500;
export const BATCH_BYTES = 1024 * 1024;

/** Bookkeeping of other writers: large, and not needed to continue. */
const NOT_MIRRORED = /^api-request/;

/** Every entry of a file that a store should have, in order. Throws if the file cannot be read. */
export function* entriesOfFile(path: string): Generator<SessionStoreEntry> {
  for (const entry of readEntries(path)) {
    if (!NOT_MIRRORED.test(entry.type)) yield entry as SessionStoreEntry;
  }
  const metadata = readSidecar(path);
  if (metadata !== undefined) yield { ...metadata, type: "agent_metadata" };
}

const MOST_SIDECAR = 4 * 1024 * 1024;

export const sidecarOf = (path: string) => path.replace(/\.jsonl$/, ".meta.json");

/** The file next to a subagent's transcript; undefined if it cannot be read. */
export function readSidecar(path: string): Record<string, unknown> | undefined {
  try {
    const value = tryParse(readOwnFile(sidecarOf(path), MOST_SIDECAR)?.toString() ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As many as fit into one append, but at least one. */
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

/** About its size on the wire. */
export const sizeOf = (entry: SessionStoreEntry) => JSON.stringify(entry).length;
