// What an application that was killed had not sent to its store is still in the transcript its program wrote, among the
// user's sessions or in the temporary folder of a resumed one. Before a session goes on from the store it is sent,
// provided that the store holds a beginning of it: what went on elsewhere since is never mixed with it.

import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { STICKY } from "@keelson/store";
import { append } from "./append.ts";
import { configDirOf } from "./key.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "./session-store.ts";
import { entriesOfFile, inBatches } from "./transcript-file.ts";

export interface CatchUpOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  /** What the store has. */
  readonly entries: readonly SessionStoreEntry[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** What temporary folders of resumed sessions are called. */
export const RESUME_PREFIX = "keelson-resume-";
const OWNER = "owner";
const PAUSES = [200, 800];

/** Everything there is of the session now. Rejects when the store does not take the rest: going on would leave a hole. */
export async function catchUp(options: CatchUpOptions): Promise<readonly SessionStoreEntry[]> {
  const { store, key, env, timeoutMs } = options;
  const file = join("projects", key.projectKey, `${key.sessionId}.jsonl`);
  const abandoned = abandonedFolders().filter((folder) => existsSync(join(folder, file)));
  let { entries } = options;
  for (const path of [configDirOf(env), ...abandoned].map((folder) => join(folder, file))) {
    if (!existsSync(path)) continue;
    const rest = unsent(path, entries);
    for (const batch of inBatches(rest)) await append(store, key, batch, { timeoutMs, pauses: PAUSES, wait: sleep });
    entries = [...entries, ...rest];
  }
  for (const folder of abandoned) await rm(folder, { recursive: true, force: true });
  return entries;
}

/** Notes whose folder it is, so that others can tell when that process is gone. */
export function claim(folder: string): void {
  writeFileSync(join(folder, OWNER), String(process.pid), { mode: 0o600 });
}

function abandonedFolders(): string[] {
  return namesIn(tmpdir())
    .filter((name) => name.startsWith(RESUME_PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter((folder) => isOurs(folder) && isGone(ownerOf(folder)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Anybody may put a folder there. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

/** NaN without a note. */
function ownerOf(folder: string): number {
  try {
    return Number(readFileSync(join(folder, OWNER), "utf8") || NaN);
  } catch {
    return NaN;
  }
}

function isGone(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * What stands in the file behind the newest of the conversation that the store has; nothing if that is not in it. To a
 * store that has nothing of the conversation, everything.
 */
function unsent(path: string, there: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  const newest = there.findLast(isOfConversation)?.uuid;
  const uuids = new Set(there.flatMap(({ uuid }) => uuid ?? []));
  const unnamed = new Set(there.flatMap((entry) => (entry.uuid === undefined ? JSON.stringify(entry) : [])));
  const names = new Map<string, string>();
  const rest: SessionStoreEntry[] = [];
  // Behind the first that is missing, all is: a line that says what an earlier one said takes back one in between.
  const isMissing = (entry: SessionStoreEntry) => rest.length > 0 || !unnamed.has(JSON.stringify(entry));
  let isReached = newest === undefined;
  for (const entry of entriesOfFile(path)) {
    const isAgain = isRepeated(entry, names);
    const isNew = entry.uuid === undefined ? !isAgain && isMissing(entry) : !uuids.has(entry.uuid);
    if (isReached && isNew) rest.push(entry);
    if (entry.uuid !== undefined && entry.uuid === newest) isReached = true;
  }
  return rest;
}

const isOfConversation = (entry: SessionStoreEntry) => typeof entry.uuid === "string" && "parentUuid" in entry;

/** Programs repeat a session's name; sent once more it would take the place of one given since. */
function isRepeated(entry: SessionStoreEntry, names: Map<string, string>): boolean {
  if (!STICKY.has(entry.type)) return false;
  const text = JSON.stringify(entry);
  const isSame = names.get(entry.type) === text;
  names.set(entry.type, text);
  return isSame;
}
