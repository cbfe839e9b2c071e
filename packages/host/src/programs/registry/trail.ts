// Where a path leads, part by part, and whether a command could make it lead elsewhere: whoever may write a folder on the
// way may put another program there.

import { accessSync, constants, lstatSync, readlinkSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

export interface Trail {
  /** With links resolved; null if nothing is there. */
  readonly real: string | null;
  /** Every link on the way. */
  readonly links: readonly string[];
  /** Every folder on the way, of the path and of what its links lead to. */
  readonly folders: readonly string[];
}

/** The same limit as the kernel's. */
const MOST_LINKS = 40;

interface Moment {
  readonly entries: Map<string, Stats | undefined>;
  readonly writable: Map<string, boolean>;
}

let moment: Moment | undefined;

/** Looks at each part of all paths once: they have most folders in common. */
export function atOneMoment<Found>(look: () => Found): Found {
  if (moment) return look();
  moment = { entries: new Map(), writable: new Map() };
  try {
    return look();
  } finally {
    moment = undefined;
  }
}

export function trailOf(path: string): Trail {
  const links: string[] = [];
  const folders = new Set<string>(["/"]);
  let at: string = "/";
  const left = resolve(path).split(sep).filter(Boolean);
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const entry = lstatOf(next);
    if (!entry) return { real: null, links, folders: [...folders] };
    if (entry.isSymbolicLink()) {
      links.push(next);
      const target = links.length > MOST_LINKS ? null : targetOf(next);
      if (target === null) return { real: null, links, folders: [...folders] };
      if (target.startsWith(sep)) at = "/";
      left.unshift(...target.split(sep).filter((part) => part !== "" && part !== "."));
      continue;
    }
    at = next;
    if (entry.isDirectory()) folders.add(next);
  }
  return { real: at, links, folders: [...folders] };
}

/**
 * Whether a command of this user could change what runs under this path: the file, or a folder that leads to it. Root may
 * change everything.
 */
export function isChangeable(path: string, trail = trailOf(path)): boolean {
  return [...trail.folders, trail.real ?? dirname(path)].some((part) => {
    let may = moment?.writable.get(part);
    if (may === undefined) moment?.writable.set(part, (may = mayWrite(part)));
    return may ?? mayWrite(part);
  });
}

/** The owner of a file may make it writable. */
function mayWrite(path: string): boolean {
  try {
    if (process.getuid !== undefined && statSync(path).uid === process.getuid()) return true;
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function lstatOf(path: string): Stats | undefined {
  if (!moment) return freshLstat(path);
  if (!moment.entries.has(path)) moment.entries.set(path, freshLstat(path));
  return moment.entries.get(path);
}

function freshLstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
