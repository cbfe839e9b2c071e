// An index of the files in a tree that match a pattern. After the first walk it reads only folders whose modification
// time has changed. Does not follow links.

import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { lstatOrNull, statThroughLinks } from "../guarded/stat.ts";
import { throwIfStarved } from "../throw-if-starved.ts";

export interface FolderIndex {
  /** All current matches. */
  refresh(): Promise<readonly string[]>;
  /** All folders that were read. */
  folders(): readonly string[];
  /** Whether a limit on folders or time was reached. */
  readonly isCut: boolean;
}

export interface FolderIndexOptions {
  readonly folder: string;
  /** Gets the path relative to `folder`. A folder that matches is not entered. */
  matches(relative: string, isFolder: boolean): boolean;
  readonly depth: number;
  readonly maxFolders?: number;
  /** How long `matches` may take in one refresh. */
  readonly maxMatchMs?: number;
}

interface Known {
  /** The folder's modification time; -1 to read it again next time. */
  date: number;
  found: string[];
  subfolders: string[];
}

const MAX_FOLDERS = 20_000;
/** File times tick every few milliseconds, so a folder that just changed may change again with the same time. */
const TICK_MS = 50;
/** How often the walk yields to other work. */
const YIELD_EVERY_MS = 8;
/** Ordinary rules take a tenth of this for 100,000 files; only malicious patterns need more. */
const MAX_MATCH_MS = 5_000;

/** Large folders filled by programs: read once, then again only if their top level changes. */
export const GENERATED_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".venv", "site-packages", "target"]);

export function createFolderIndex({
  folder,
  matches,
  depth,
  maxFolders = MAX_FOLDERS,
  maxMatchMs = MAX_MATCH_MS,
}: FolderIndexOptions): FolderIndex {
  const known = new Map<string, Known>();
  /** The folders whose time is checked at every refresh: all except those inside generated folders. */
  const watched = new Set<string>();
  const hits = new Map<string, readonly string[]>();
  let isCut = false;
  let lastYieldMs = 0;
  let spentMs = 0;

  async function yieldToOthers(): Promise<void> {
    if (performance.now() - lastYieldMs <= YIELD_EVERY_MS) return;
    await Bun.sleep(0);
    lastYieldMs = performance.now();
  }

  /** Reads all unknown subfolders, recursively. */
  async function enter(start: string, record: Known, level: number, isQuiet: boolean): Promise<void> {
    const open = [{ path: start, record, level, isQuiet }];
    for (let at = open.pop(); at; at = open.pop()) {
      if (at.level >= depth) continue;
      // Inside a generated folder nothing is watched; the folder itself is.
      const isInQuiet = at.isQuiet || GENERATED_FOLDERS.has(baseOf(at.path));
      for (const name of at.record.subfolders) {
        const path = join(at.path, name);
        if (known.has(path)) continue;
        if (known.size >= maxFolders || spentMs > maxMatchMs) {
          isCut = true;
          return;
        }
        const found = await list(path);
        keep(path, found);
        if (!isInQuiet) watched.add(path);
        open.push({ path, record: found, level: at.level + 1, isQuiet: isInQuiet });
        await yieldToOthers();
      }
    }
  }

  function keep(path: string, record: Known): void {
    known.set(path, record);
    if (record.found.length > 0) hits.set(path, record.found);
    else hits.delete(path);
  }

  async function list(path: string): Promise<Known> {
    const record: Known = { date: mtimeOf(path), found: [], subfolders: [] };
    if (Date.now() - record.date < TICK_MS) record.date = -1;
    const entries = entriesOf(path);
    let startedMs = performance.now();
    for (const entry of entries) {
      if (spentMs > maxMatchMs) {
        isCut = true;
        break;
      }
      const isFolder = entry.isDirectory();
      const relative = join(path, entry.name).slice(folder === "/" ? 1 : folder.length + 1);
      if (matches(relative, isFolder)) record.found.push(join(path, entry.name));
      else if (isFolder && entry.name !== ".git") record.subfolders.push(entry.name);
      spentMs += performance.now() - startedMs;
      if (performance.now() - lastYieldMs > YIELD_EVERY_MS) await yieldToOthers();
      startedMs = performance.now();
    }
    return record;
  }

  function forget(path: string): void {
    const record = known.get(path);
    known.delete(path);
    hits.delete(path);
    watched.delete(path);
    for (const name of record?.subfolders ?? []) forget(join(path, name));
  }

  async function update(): Promise<readonly string[]> {
    lastYieldMs = performance.now();
    spentMs = 0;
    if (!known.has(folder)) {
      if (!lstatOrNull(folder)?.isDirectory()) return [];
      const record = await list(folder);
      keep(folder, record);
      watched.add(folder);
      await enter(folder, record, 1, false);
    } else {
      for (const path of [...watched]) {
        const before = known.get(path);
        if (!before) continue;
        const date = mtimeOf(path);
        if (before.date === date) continue;
        if (date < 0) {
          forget(path);
          continue;
        }
        const now = await list(path);
        keep(path, now);
        for (const name of before.subfolders) if (!now.subfolders.includes(name)) forget(join(path, name));
        await enter(path, now, levelOf(path, folder), false);
      }
    }
    return [...hits.values()].flat();
  }

  // One refresh at a time: a call during the first walk must not get a partial result.
  let last: Promise<unknown> = Promise.resolve();
  return {
    refresh() {
      const next = last.then(update);
      last = next.catch(() => {});
      return next;
    },
    folders: () => [...known.keys()],
    get isCut() {
      return isCut;
    },
  };
}

/** Empty if we cannot read the folder, because then a command cannot either. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throwIfStarved(error);
    return [];
  }
}

/** -1 if it is gone. */
function mtimeOf(path: string): number {
  return statThroughLinks(path)?.mtimeMs ?? -1;
}

function levelOf(path: string, folder: string): number {
  return path === folder ? 1 : path.slice(folder.length).split("/").length;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
