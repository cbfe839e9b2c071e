// All sessions of a user, for a program that lists them again and again. Folders are watched: only what changed is read again,
// and of each transcript only its two ends.

import { lstatSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { dirname, join } from "node:path";
import { isSessionId, projectsDir } from "../paths.ts";
import { sessionAt, type SessionInfo } from "./list.ts";

export interface IndexedSession extends SessionInfo {
  /** There is a file that says who has it open; whether that is still true, `disk/lease` knows. */
  readonly hasOwner: boolean;
}

interface Folder {
  readonly path: string;
  /** Differs if the folder was removed and made again. */
  readonly inode: number;
  /** By the names of their transcripts. */
  readonly sessions: Map<string, KnownSession>;
  readonly owned: Set<string>;
  watcher: FSWatcher | undefined;
  isStale: boolean;
  /** Files that have changed since it was read. */
  readonly touched: Set<string>;
  /** When all of it was read. */
  readMs: number;
}

interface KnownSession {
  readonly size: number;
  readonly modified: number;
  /** Absent: not a session that people see. The same object until something about it changes. */
  readonly session: IndexedSession | undefined;
}

export class SessionIndex {
  /** Something may have changed since the last list. It is not called for what no watcher sees. */
  changed: () => void = () => undefined;
  readonly #root: string;
  readonly #folders = new Map<string, Folder>();
  /** Newest first. */
  #sorted: readonly IndexedSession[] = [];
  #watcher: FSWatcher | undefined;
  #inode: number | undefined;
  #isStale = true;
  #reading: Promise<void> | undefined;

  constructor(configDir: string) {
    this.#root = projectsDir(configDir);
  }

  /** Newest first. The same array, with the same objects in it, as long as nothing changes. */
  async list(): Promise<readonly IndexedSession[]> {
    await this.#read();
    return this.#sorted;
  }

  /** The newest, if a session was copied into another folder. */
  async find(id: string): Promise<IndexedSession | undefined> {
    await this.#read();
    const found = [...this.#folders.values()].flatMap(({ sessions }) => sessions.get(`${id}.jsonl`)?.session ?? []);
    return found.toSorted(newestFirst)[0];
  }

  /** Something was written a moment ago: a watcher may say so later. */
  readAgain(): void {
    this.#isStale = true;
    for (const folder of this.#folders.values()) folder.isStale = true;
    this.changed();
  }

  close(): void {
    this.#watcher?.close();
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
    this.#sorted = [];
  }

  async #read(): Promise<void> {
    // It may have passed what was written before this.
    await this.#reading;
    await (this.#reading ??= this.#readStale().finally(() => (this.#reading = undefined)));
  }

  async #readStale(): Promise<void> {
    // Before it is read: what changes meanwhile is read the next time.
    if (this.#isStale) this.#watchRoot();
    if (this.#watcher === undefined) this.#isStale = true;
    const changes: Changes = { gone: new Set(), found: [] };
    if (this.#isStale) this.#readRoot(changes);
    let read = 0;
    for (const folder of this.#folders.values()) {
      if (folder.watcher === undefined) {
        folder.watcher = watched(
          folder.path,
          (name) => {
            if (name === null) folder.isStale = true;
            else folder.touched.add(name);
            this.changed();
          },
          () => (folder.watcher = undefined),
        );
        folder.isStale = true;
      }
      for (const _ of readChanges(folder, changes)) if (++read % BATCH === 0) await new Promise(setImmediate);
    }
    if (changes.gone.size === 0 && changes.found.length === 0) return;
    const kept = this.#sorted.filter((session) => !changes.gone.has(session));
    // Most of it is in order, which costs a sort little.
    this.#sorted = [...kept, ...changes.found.filter((session) => !changes.gone.has(session))].sort(newestFirst);
  }

  /** A watcher does not follow a folder that is removed and made again. */
  #watchRoot(): void {
    const inode = inodeOf(this.#root);
    if (inode === this.#inode && this.#watcher !== undefined) return;
    this.#watcher?.close();
    const changed = () => {
      this.#isStale = true;
      this.changed();
    };
    // As long as there is none, the folder that it will be in.
    const place = inode === undefined ? dirname(this.#root) : this.#root;
    this.#watcher = watched(place, changed, () => (this.#watcher = undefined));
    this.#inode = inode;
  }

  #readRoot({ gone }: Changes): void {
    this.#isStale = false;
    const found = new Map(
      foldersIn(this.#root).map((name) => [join(this.#root, name), inodeOf(join(this.#root, name))]),
    );
    for (const [path, { watcher, inode, sessions }] of this.#folders) {
      if (found.get(path) === inode) continue;
      watcher?.close();
      for (const { session } of sessions.values()) if (session) gone.add(session);
      this.#folders.delete(path);
    }
    for (const [path, inode] of found)
      if (inode !== undefined && !this.#folders.has(path)) this.#folders.set(path, newFolder(path, inode));
  }
}

/** A few milliseconds of work. */
const BATCH = 32;

/** What a list has to leave out of the one before it, and add. */
interface Changes {
  readonly gone: Set<IndexedSession>;
  readonly found: IndexedSession[];
}

const newFolder = (path: string, inode: number): Folder => ({
  path,
  inode,
  sessions: new Map(),
  owned: new Set(),
  watcher: undefined,
  isStale: true,
  touched: new Set(),
  readMs: 0,
});

/** A watcher may miss something when very much happens at once. */
const WHOLE_MS = 60_000;

/** Yields after each file that was read. */
function* readChanges(folder: Folder, changes: Changes): Generator<void> {
  const touched = [...folder.touched];
  folder.touched.clear();
  const now = performance.now();
  if (!folder.isStale && (touched.length === 0 || now - folder.readMs < WHOLE_MS)) {
    for (const name of touched) if (readFile(name, folder, changes)) yield;
    return;
  }
  folder.isStale = false;
  folder.readMs = now;
  yield* readFolder(folder, changes);
}

function* readFolder(folder: Folder, changes: Changes): Generator<void> {
  const { path, sessions, owned } = folder;
  const names = namesIn(path);
  const owners = new Set(names.filter((name) => name.endsWith(OWNER)).map(ownedBy));
  for (const id of new Set([...owned, ...owners])) setOwner(id, owners.has(id), folder, changes);
  const transcripts = new Set(names.filter(isTranscript));
  for (const name of sessions.keys()) if (!transcripts.has(name)) forget(name, folder, changes);
  for (const name of transcripts) if (readFile(name, folder, changes)) yield;
}

const OWNER = ".owner";
const ownedBy = (name: string) => name.slice(0, -OWNER.length);
const isTranscript = (name: string) => name.endsWith(".jsonl") && isSessionId(name.slice(0, -".jsonl".length));

/** Whether it was read, which takes a moment. */
function readFile(name: string, folder: Folder, changes: Changes): boolean {
  const { path, sessions, owned } = folder;
  const file = join(path, name);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (name.endsWith(OWNER)) setOwner(ownedBy(name), stat !== undefined, folder, changes);
  if (!isTranscript(name)) return false;
  if (stat === undefined || !stat.isFile()) {
    forget(name, folder, changes);
    return false;
  }
  const known = sessions.get(name);
  if (known?.size === stat.size && known.modified === stat.mtimeMs) return false;
  forget(name, folder, changes);
  const info = sessionAt(file);
  const session = info === undefined || info.title === "" ? undefined : { ...info, hasOwner: owned.has(info.id) };
  if (session) changes.found.push(session);
  sessions.set(name, { size: stat.size, modified: stat.mtimeMs, session });
  return true;
}

function forget(name: string, { sessions }: Folder, { gone }: Changes): void {
  const session = sessions.get(name)?.session;
  if (session) gone.add(session);
  sessions.delete(name);
}

function setOwner(id: string, isOwned: boolean, { sessions, owned }: Folder, { gone, found }: Changes): void {
  if (isOwned) owned.add(id);
  else owned.delete(id);
  const name = `${id}.jsonl`;
  const known = sessions.get(name);
  if (known?.session === undefined || known.session.hasOwner === isOwned) return;
  const session = { ...known.session, hasOwner: isOwned };
  gone.add(known.session);
  found.push(session);
  sessions.set(name, { ...known, session });
}

const newestFirst = (a: SessionInfo, b: SessionInfo) => b.modified - a.modified || (a.id < b.id ? -1 : 1);

/** Undefined if it cannot be watched: then it is read each time. `name` is null if anything may have changed. */
function watched(path: string, changed: (name: string | null) => void, ended: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (_, name) => changed(name));
    watcher.on("error", () => {
      watcher.close();
      ended();
      changed(null);
    });
    return watcher;
  } catch {
    return undefined;
  }
}

const inodeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.ino;

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
