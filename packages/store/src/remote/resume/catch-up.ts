// If an application was killed before it sent everything to its store, the rest is still in the transcript that the
// program wrote, among the user's sessions or in the temporary folder of a resumed one. It is sent before the session
// continues from the store, but only if the store has the beginning of it: work done elsewhere since is never mixed in.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { STICKY } from "../../index.ts";
import { append } from "../append.ts";
import { configDirOf } from "../key.ts";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../session-store.ts";
import { entriesOfFile, inBatches } from "../transcript-file.ts";

export interface CatchUpOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  /** The entries the store has. */
  readonly entries: readonly SessionStoreEntry[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** Prefix of the temporary folders of resumed sessions. */
export const RESUME_PREFIX = "keelson-resume-";
const OWNER = "owner";
const PAUSES = [200, 800];

/** All entries of the session now. Rejects if the store does not accept the rest: continuing would leave a gap. */
export async function catchUp(options: CatchUpOptions): Promise<readonly SessionStoreEntry[]> {
  const { store, key, env, timeoutMs } = options;
  const file = join("projects", key.projectKey, `${key.sessionId}.jsonl`);
  const abandoned = abandonedFolders(env).filter((folder) => existsSync(join(folder, file)));
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

/** Records which process owns the folder, so others can tell when that process is gone. */
export function claimFolder(folder: string): void {
  writeFileSync(join(folder, OWNER), String(process.pid), { mode: 0o600 });
}

/**
 * Where these folders are: among the program's own temporary files, which its commands cannot change, because what is found
 * there becomes part of a session. Undefined if another user has the folder.
 */
export function resumeRoot(env: CatchUpOptions["env"]): string | undefined {
  // The program's, which may be another than ours.
  const named = ["CLAUDE_CODE_TMPDIR", "TMPDIR", "TMP", "TEMP"].map((name) => env[name]).find(Boolean);
  const temporary = realpathSync(named ?? tmpdir());
  const root = join(temporary, `claude-${process.getuid?.() ?? 0}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return isOurs(root) ? root : undefined;
}

function abandonedFolders(env: CatchUpOptions["env"]): string[] {
  const root = resumeRoot(env);
  if (root === undefined) return [];
  return namesIn(root)
    .filter((name) => name.startsWith(RESUME_PREFIX))
    .map((name) => join(root, name))
    .filter((folder) => isOurs(folder) && isGone(ownerOf(folder)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Anyone may create a folder there. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

/** NaN without a record. */
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
 * The entries in the file after the newest conversation entry that the store has; none if that entry is not in the
 * file. If the store has no conversation entries, everything.
 */
function unsent(path: string, there: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  const newest = there.findLast(isOfConversation)?.uuid;
  const uuids = new Set(there.flatMap(({ uuid }) => uuid ?? []));
  const unnamed = new Set(there.flatMap((entry) => (entry.uuid === undefined ? JSON.stringify(entry) : [])));
  const names = new Map<string, string>();
  const rest: SessionStoreEntry[] = [];
  // After the first missing entry, all count as missing: a line that repeats an earlier one overrides what came
  // between.
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

/** The program repeats a session's name; sent again, it would override a newer one. */
function isRepeated(entry: SessionStoreEntry, names: Map<string, string>): boolean {
  if (!STICKY.has(entry.type)) return false;
  const text = JSON.stringify(entry);
  const isSame = names.get(entry.type) === text;
  names.set(entry.type, text);
  return isSame;
}
