// A session of this machine into a store: to move it there, or to bring a store up to date that was away while the
// session ran. Sends only what the store does not have.

import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../stores/session-store.ts";
import { BATCH_ENTRIES, entriesOfFile, inBatches } from "../stores/transcript-file.ts";
import { requireTranscript } from "./find.ts";
import { folderOf, transcriptsBelow } from "./messages.ts";

export type ImportSessionToStoreOptions = {
  dir?: string;
  includeSubagents?: boolean;
  /** How many entries one append() gets at most. */
  batchSize?: number;
};

/** Any number of times: a store that keeps each uuid once ends up with the same entries. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  { dir, includeSubagents = true, batchSize = BATCH_ENTRIES }: ImportSessionToStoreOptions = {},
): Promise<void> {
  const path = requireTranscript(sessionId, dir);
  // The name of the folder it was found in: what a running session would have been kept under.
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
 * In order: what has a uuid the store lacks, and of the lines without one those behind the last that both have. An
 * earlier one is not sent late: of titles, tags and totals the newest counts, and it would pass for that.
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

/** Counting only lines without a uuid: which one of the file is the last that the store has as well; -1 for none. */
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
