// Folders that must stay in place although commands work in them. Each is held open, so it can be found and moved back.

import { chmodSync, closeSync, constants, fstatSync, openSync, readdirSync, renameSync, statSync } from "node:fs";
import { lstatOrNull, readLink } from "./stat.ts";
import { moveAside } from "../watch/move-aside.ts";

export interface KeptFolders {
  add(path: string): void;
  /** Moves folders back. Returns one sentence for each. */
  check(): string[];
  clear(): void;
  close(): void;
}

interface Held {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

export function createKeptFolders(): KeptFolders {
  /** Opened once per session, because every command uses the same few folders. */
  const open = new Map<string, Held>();
  const kept = new Set<string>();

  const isThere = (path: string, { dev, ino }: Held) => {
    const entry = lstatOrNull(path);
    return entry?.dev === dev && entry.ino === ino;
  };
  const forget = (path: string) => {
    const held = open.get(path);
    if (held) closeSync(held.fd);
    open.delete(path);
    kept.delete(path);
  };

  function checkFolder(path: string): string[] {
    const held = open.get(path)!;
    if (isThere(path, held)) return [];
    const where = placeOf(held);
    // It was deleted, so there is nothing to move back.
    if (where === null) {
      forget(path);
      return [];
    }
    const to = pathOf(held);
    const notes = lstatOrNull(path) ? [moveAside(path)] : [];
    try {
      renameSync(where, path);
      return [
        ...notes,
        `A command moved '${path}'${to === null ? "" : ` to '${to}'`}. This session or a deny rule depends on its name, so it was moved back.`,
      ];
    } catch (error) {
      return [...notes, `A command moved '${path}', and it could not be moved back: ${(error as Error).message}`];
    }
  }

  return {
    add(path) {
      const known = open.get(path);
      if (known && !kept.has(path) && !isThere(path, known)) forget(path);
      if (!open.has(path)) {
        const held = hold(path);
        if (!held) return;
        open.set(path, held);
      }
      kept.add(path);
    },
    // Outer folders first: inner ones come back with them.
    check: () => [...kept].toSorted((a, b) => a.length - b.length).flatMap(checkFolder),
    clear: () => kept.clear(),
    close: () => [...open.keys()].forEach(forget),
  };
}

function hold(path: string): Held | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const { dev, ino } = fstatSync(fd);
    return { fd, dev, ino };
  } catch {
    return null;
  }
}

/**
 * A path to it, through its own descriptor: a command may have moved it to where no path leads, because a folder above is
 * closed or the path too long. Null if it was deleted. Linux only.
 */
function placeOf({ fd, dev, ino }: Held): string | null {
  try {
    if (fstatSync(fd).nlink === 0) return null;
    const self = `/proc/self/fd/${fd}`;
    // Not joined: that would leave out the descriptor.
    const parent = `${self}/..`;
    for (const folder of [self, parent]) openUp(folder);
    const name = readdirSync(parent).find((each) => {
      const entry = lstatOrNull(`${parent}/${each}`);
      return entry?.dev === dev && entry.ino === ino;
    });
    return name === undefined ? null : `${parent}/${name}`;
  } catch {
    return null;
  }
}

/** For people; null if it is too long. */
const pathOf = ({ fd }: Held) => readLink(`/proc/self/fd/${fd}`);

/** A folder that belongs to someone else stays as it is. */
function openUp(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o700) === 0o700) return;
  try {
    chmodSync(folder, mode | 0o700);
  } catch {
    // We may be able to use it as it is.
  }
}
