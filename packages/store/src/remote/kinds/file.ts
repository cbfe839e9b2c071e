// A session store in a folder: one JSON Lines file per transcript, like the local ones. For a shared disk or a backup;
// several processes may append to the same session.

import { constants } from "node:fs";
import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import { decodeName, encodeName } from "./file-name.ts";
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../session-store.ts";
import { foldSessionSummary } from "../summary.ts";

export interface FileSessionStoreOptions {
  /** Created when needed; only the owner can read its files. */
  readonly dir: string;
}

/** What is known about a file up to a position, so an append reads only what others have added since. */
interface Known {
  /** Distinguishes a file from one that was deleted and created again under the same name. */
  readonly identity: string;
  end: number;
  readonly uuids: Set<string>;
  summary: SessionSummaryEntry | undefined;
  isTorn: boolean;
}

const MOST_KNOWN = 256;

export class FileSessionStore implements SessionStore {
  readonly #dir: string;
  readonly #known = new Map<string, Known>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor({ dir }: FileSessionStoreOptions) {
    this.#dir = dir;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const path = this.#pathOf(key);
    await this.#inTurn(path, async () => {
      const file = await openForAppend(path);
      try {
        const known = await this.#catchUp(path, key, file);
        const fresh = new Set<string>();
        const lines = entries.flatMap((entry) => {
          const { uuid } = entry;
          if (typeof uuid === "string" && (known.uuids.has(uuid) || fresh.has(uuid))) return [];
          if (typeof uuid === "string") fresh.add(uuid);
          return `${JSON.stringify(entry)}\n`;
        });
        if (lines.length === 0) return;
        await writeWhole(file, Buffer.from((known.isTorn ? "\n" : "") + lines.join("")));
      } finally {
        await file.close();
      }
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const bytes = await readIfThere(this.#pathOf(key));
    if (bytes === undefined) return null;
    const uuids = new Set<string>();
    const entries: SessionStoreEntry[] = [];
    for (const entry of entriesIn(bytes)) {
      // Two processes may have appended the same entry at the same time.
      if (typeof entry.uuid === "string" && uuids.has(entry.uuid)) continue;
      if (typeof entry.uuid === "string") uuids.add(entry.uuid);
      entries.push(entry);
    }
    return entries.length === 0 ? null : entries;
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const sessions: Array<{ sessionId: string; mtime: number }> = [];
    for (const { path, sessionId } of await this.#filesOf(projectKey)) {
      const stats = await stat(path).catch(absent);
      if (stats !== undefined && stats.size > 0) sessions.push({ sessionId, mtime: Math.round(stats.mtimeMs) });
    }
    return sessions;
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const summaries: SessionSummaryEntry[] = [];
    for (const { path, sessionId } of await this.#filesOf(projectKey)) {
      const summary = await this.#summaryOf(path, { projectKey, sessionId });
      if (summary !== undefined) summaries.push(structuredClone(summary));
    }
    return summaries;
  }

  async delete(key: SessionKey): Promise<void> {
    const path = this.#pathOf(key);
    await this.#inTurn(path, async () => {
      this.#known.delete(path);
      await rm(path, { force: true });
      if (key.subpath) return;
      const folder = path.slice(0, -END.length);
      for (const known of this.#known.keys()) if (known.startsWith(folder)) this.#known.delete(known);
      await rm(folder, { recursive: true, force: true });
    });
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const folder = this.#pathOf({ projectKey, sessionId }).slice(0, -END.length);
    const names = await namesIn(folder);
    return names.filter((name) => name.endsWith(END)).map((name) => decodeName(name.slice(0, -END.length)));
  }

  #pathOf({ projectKey, sessionId, subpath }: SessionKey): string {
    const session = join(this.#dir, encodeName(projectKey), encodeName(sessionId));
    return (subpath ? join(session, encodeName(subpath)) : session) + END;
  }

  async #filesOf(projectKey: string): Promise<{ path: string; sessionId: string }[]> {
    const dir = join(this.#dir, encodeName(projectKey));
    const names = (await namesIn(dir)).filter((name) => name.endsWith(END));
    return names.map((name) => ({ path: join(dir, name), sessionId: decodeName(name.slice(0, -END.length)) }));
  }

  async #summaryOf(path: string, key: SessionKey): Promise<SessionSummaryEntry | undefined> {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(absent);
    if (file === undefined) return undefined;
    try {
      const [{ summary }, { mtimeMs }] = [await this.#catchUp(path, key, file), await file.stat()];
      return summary === undefined ? undefined : { ...summary, mtime: Math.round(mtimeMs) };
    } finally {
      await file.close();
    }
  }

  /** Reads what was added to a file since the last call, by us or by others. */
  async #catchUp(path: string, key: SessionKey, file: FileHandle): Promise<Known> {
    const { size, ino, birthtimeMs } = await file.stat();
    const identity = `${ino} ${birthtimeMs}`;
    let known = this.#known.get(path);
    if (known?.identity !== identity || size < known.end) {
      known = { identity, end: 0, uuids: new Set(), summary: undefined, isTorn: false };
    }
    if (size > known.end) {
      const bytes = await readRange(file, known.end, size - known.end);
      const entries = [...entriesIn(bytes)];
      for (const { uuid } of entries) if (typeof uuid === "string") known.uuids.add(uuid);
      if (entries.length > 0) known.summary = foldSessionSummary(known.summary, key, entries);
      // An unfinished last line is read again: its writer may still be writing.
      const lastEnd = bytes.lastIndexOf(NEWLINE);
      known.isTorn = lastEnd !== bytes.length - 1;
      known.end += lastEnd + 1;
    } else known.isTorn = false;
    this.#known.delete(path);
    this.#known.set(path, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  /** Runs work for the same file one after another. */
  #inTurn(path: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#queues.get(path) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    this.#queues.set(path, settled);
    void settled.then(() => {
      if (this.#queues.get(path) === settled) this.#queues.delete(path);
    });
    return turn;
  }
}

const END = ".jsonl";
const NEWLINE = 10;

/** Lines that are not valid JSON were cut off while being written. */
function* entriesIn(bytes: Buffer): Generator<SessionStoreEntry> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const value = end > start ? tryParse(bytes.toString("utf8", start, end)) : undefined;
    if (isObject(value) && typeof value["type"] === "string") yield value as SessionStoreEntry;
    start = end + 1;
  }
}

async function openForAppend(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW;
  return open(path, flags, 0o600).catch(async (error: unknown) => {
    if (!isAbsent(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, 0o600);
  });
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  // The loop usually runs once; a second round means that the disk took only a part.
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, null)).bytesWritten;
}

async function readRange(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(absent);
  if (file === undefined) return undefined;
  try {
    return await readRange(file, 0, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

const namesIn = async (dir: string) => (await readdir(dir).catch(absent)) ?? [];

function absent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

const isAbsent = (error: unknown) => isObject(error) && (error["code"] === "ENOENT" || error["code"] === "ENOTDIR");
