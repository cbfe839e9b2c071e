// Copies a session from this machine to a store: to move it there, or to update a store that was unavailable while the
// session ran. Sends only what the store does not have.

import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  BATCH_ENTRIES,
  entriesOfFile,
  inBatches,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from "@keelson/store/remote";
import { requireTranscript } from "./find.ts";
import { folderOf, transcriptsBelow } from "./messages.ts";

export type ImportSessionToStoreOptions = {
  dir?: string;
  includeSubagents?: boolean;
  /** The largest number of entries per append(). */
  batchSize?: number;
};

/** Can be repeated: a store that keeps each uuid once ends up with the same entries. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  { dir, includeSubagents = true, batchSize = BATCH_ENTRIES }: ImportSessionToStoreOptions = {},
): Promise<void> {
  const path = requireTranscript(sessionId, dir);
  // The folder's name is the key a running session would have used.
  const session = { projectKey: basename(dirname(path)), sessionId: basename(folderOf(path)) };
  const most = batchSize > 0 ? batchSize : BATCH_ENTRIES;
  await send(path, session);
  if (!includeSubagents) return;
  for (const subpath of transcriptsBelow(folderOf(path), "subagents")) {
    await send(`${folderOf(path)}/${subpath}.jsonl`, { ...session, subpath });
  }

  async function send(file: string, key: SessionKey): Promise<void> {
    const there = (await store.load(key)) ?? [];
    for (const batch of inBatches(missing(file, there), most)) await store.append(key, batch);
  }
}

/**
 * In order: entries with a uuid the store lacks, and of those without a uuid, the ones after the last shared one.
 * Earlier ones are not sent late: the newest title, tag or total wins, and a late one would look like the newest.
 */
function* missing(file: string, there: readonly SessionStoreEntry[]): Generator<SessionStoreEntry> {
  const uuids = new Set(there.flatMap(({ uuid }) => uuid ?? []));
  const from = lastShared(file, there) + 1;
  let unnamed = 0;
  for (const entry of entriesOfFile(file)) {
    const isMissing = entry.uuid === undefined ? unnamed++ >= from : !uuids.has(entry.uuid);
    if (isMissing) yield entry;
  }
}

/**
 * The index of the last entry without a uuid that the store also has, counting only such entries; -1 if there is none.
 */
function lastShared(file: string, there: readonly SessionStoreEntry[]): number {
  const known = there.filter(({ uuid }) => uuid === undefined);
  if (known.length === 0) return -1;
  let shared = 0;
  let last = -1;
  let at = 0;
  for (const entry of entriesOfFile(file)) {
    if (entry.uuid !== undefined) continue;
    if (shared < known.length && isDeepStrictEqual(known[shared], entry)) {
      shared++;
      last = at;
    }
    at++;
  }
  return last;
}
