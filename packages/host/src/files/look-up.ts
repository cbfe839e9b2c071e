// Looking before a command is judged: which files a pattern stands for, and what lies in a folder.
// Both names of each: as it was reached, and with links resolved. Undefined when there is too much to look at, or a
// link or folder has a name that is no text, so that it cannot be looked up by it.

import { lstatSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "./real-path.ts";

export interface FoundPath {
  readonly given: string;
  readonly real: string;
}

/** Names that may still be seen; what is asked about one command shares one. */
interface EntryBudget {
  left: number;
}

/** An absolute pattern, escaped where it is literal; `fits` says whether one name is meant by one part of it. */
export function expandPattern(
  pattern: string,
  fits: (name: string, part: string) => boolean,
  sight: EntryBudget,
): FoundPath[] | undefined {
  let found: FoundPath[] = [{ given: "/", real: "/" }];
  for (const part of pattern.split("/").filter((each) => each !== "")) {
    if (part === "**")
      found = found.flatMap((folder) => [folder, ...matchingBeneath(folder, sight, (name) => fits(name, part))]);
    else if (isWild(part)) found = found.flatMap((folder) => matchingIn(folder, sight, (name) => fits(name, part)));
    else found = found.flatMap((folder) => literalIn(folder, part.replace(/\\(.)/g, "$1")));
    if (sight.left < 0) return undefined;
  }
  return found;
}

interface Depth {
  /** Also what lies where links lead; nothing is gone through twice. */
  readonly follow: boolean;
  /** Only what lies directly in the folder. */
  readonly shallow?: boolean | undefined;
}

/** Everything beneath a folder. */
export function listContents(folder: string, { follow, shallow }: Depth, sight: EntryBudget): FoundPath[] | undefined {
  const all: FoundPath[] = [];
  const open: FoundPath[] = [{ given: folder, real: realPathOf(folder) }];
  const seen = new Set(open.map(({ real }) => real));
  for (let here = open.pop(); here; here = open.pop()) {
    for (const entry of entriesOf(here.given, sight)) {
      if (hasUnreadableName(entry)) sight.left = -1;
      const found = childOf(here, entry.name, entry.isSymbolicLink());
      all.push(found);
      const leads = entry.isDirectory() || (follow && entry.isSymbolicLink() && isFolder(found.real));
      if (!leads || shallow || seen.has(found.real)) continue;
      seen.add(found.real);
      open.push(found);
    }
    if (sight.left < 0) return undefined;
  }
  return all;
}

/** Some shells take `**` for any number of folders, but not through links. */
function matchingBeneath(folder: FoundPath, sight: EntryBudget, fits: (name: string) => boolean): FoundPath[] {
  const all: FoundPath[] = [];
  const open = [folder];
  for (let here = open.pop(); here && sight.left >= 0; here = open.pop()) {
    const inside = matchingIn(here, sight, fits);
    for (const each of inside) all.push(each);
    for (const each of inside) if (each.isFolder) open.push(each);
  }
  return all;
}

function matchingIn(
  folder: FoundPath,
  sight: EntryBudget,
  fits: (name: string) => boolean,
): (FoundPath & { isFolder: boolean })[] {
  const entries = entriesOf(folder.given, sight).filter(({ name }) => fits(name));
  if (entries.some(hasUnreadableName)) sight.left = -1;
  return entries.map((entry) => ({
    ...childOf(folder, entry.name, entry.isSymbolicLink()),
    isFolder: entry.isDirectory(),
  }));
}

/** Bytes that are no text were replaced when the name was read; a file by that name leads nowhere else. */
const hasUnreadableName = (entry: Dirent) => entry.name.includes("\uFFFD") && !entry.isFile();

const isWild = (part: string) => /(^|[^\\])[*?[]/.test(part);

function childOf({ given, real }: FoundPath, name: string, isLink: boolean): FoundPath {
  const path = join(given, name);
  return { given: path, real: isLink ? realPathOf(path) : join(real, name) };
}

/** A name that stands in the pattern as it is; it has to be there. */
function literalIn(folder: FoundPath, name: string): FoundPath[] {
  try {
    return [childOf(folder, name, lstatSync(join(folder.given, name)).isSymbolicLink())];
  } catch {
    return [];
  }
}

/** Nothing for what is no folder, or may not be read. */
function entriesOf(folder: string, sight: EntryBudget): Dirent[] {
  if (sight.left < 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    sight.left -= entries.length;
    return entries;
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
