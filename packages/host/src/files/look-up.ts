// Lists files for the gate before it checks a command: the matches of a pattern and the contents of a folder.
// Returns each path as given and with links resolved. Returns undefined if there is too much to list, or if a link or
// folder has a name that is not valid text, because that name cannot be looked up.

import { lstatSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";

export interface FoundPath {
  readonly given: string;
  readonly real: string;
}

/** How many more entries may be read; shared by all lookups for one command. */
interface EntryBudget {
  left: number;
}

/** Takes an absolute pattern with literal characters escaped. `fits` matches one name against one path segment. */
export function expandPattern(
  pattern: string,
  fits: (name: string, part: string) => boolean,
  budget: EntryBudget,
): FoundPath[] | undefined {
  let found: FoundPath[] = [{ given: "/", real: "/" }];
  for (const part of pattern.split("/").filter((each) => each !== "")) {
    if (part === "**")
      found = found.flatMap((folder) => [folder, ...matchingBeneath(folder, budget, (name) => fits(name, part))]);
    else if (isWild(part)) found = found.flatMap((folder) => matchingIn(folder, budget, (name) => fits(name, part)));
    else found = found.flatMap((folder) => literalIn(folder, part.replace(/\\(.)/g, "$1")));
    if (budget.left < 0) return undefined;
  }
  return found;
}

interface Depth {
  /** Follows links; visits no folder twice. */
  readonly follow: boolean;
  /** Does not enter subfolders. */
  readonly shallow?: boolean | undefined;
}

/** Everything in a folder and its subfolders. */
export function listContents(folder: string, { follow, shallow }: Depth, budget: EntryBudget): FoundPath[] | undefined {
  const all: FoundPath[] = [];
  const open: FoundPath[] = [{ given: folder, real: realPathOf(folder) }];
  const seen = new Set(open.map(({ real }) => real));
  for (let here = open.pop(); here; here = open.pop()) {
    for (const entry of entriesOf(here.given, budget)) {
      if (hasUnreadableName(entry)) budget.left = -1;
      const found = childOf(here, entry.name, entry.isSymbolicLink());
      all.push(found);
      const isEntered = entry.isDirectory() || (follow && entry.isSymbolicLink() && isFolder(found.real));
      if (!isEntered || shallow || seen.has(found.real)) continue;
      seen.add(found.real);
      open.push(found);
    }
    if (budget.left < 0) return undefined;
  }
  return all;
}

/** In some shells `**` matches any number of folders, but does not follow links. */
function matchingBeneath(folder: FoundPath, budget: EntryBudget, fits: (name: string) => boolean): FoundPath[] {
  const all: FoundPath[] = [];
  const open = [folder];
  for (let here = open.pop(); here && budget.left >= 0; here = open.pop()) {
    const matching = matchingIn(here, budget, fits);
    for (const each of matching) all.push(each);
    for (const each of matching) if (each.isFolder) open.push(each);
  }
  return all;
}

function matchingIn(
  folder: FoundPath,
  budget: EntryBudget,
  fits: (name: string) => boolean,
): (FoundPath & { isFolder: boolean })[] {
  const entries = entriesOf(folder.given, budget).filter(({ name }) => fits(name));
  if (entries.some(hasUnreadableName)) budget.left = -1;
  return entries.map((entry) => ({
    ...childOf(folder, entry.name, entry.isSymbolicLink()),
    isFolder: entry.isDirectory(),
  }));
}

/** Invalid bytes were replaced when the name was read. A plain file is no problem: it leads nowhere else. */
const hasUnreadableName = (entry: Dirent) => entry.name.includes("\uFFFD") && !entry.isFile();

const isWild = (part: string) => /(^|[^\\])[*?[]/.test(part);

function childOf({ given, real }: FoundPath, name: string, isLink: boolean): FoundPath {
  const path = join(given, name);
  return { given: path, real: isLink ? realPathOf(path) : join(real, name) };
}

/** A literal name in the pattern; empty if it does not exist. */
function literalIn(folder: FoundPath, name: string): FoundPath[] {
  try {
    return [childOf(folder, name, lstatSync(join(folder.given, name)).isSymbolicLink())];
  } catch {
    return [];
  }
}

/** Empty if it is not a folder or cannot be read. */
function entriesOf(folder: string, budget: EntryBudget): Dirent[] {
  if (budget.left < 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.left -= entries.length;
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
