// The names of all settings that git may use in a repository: those of each of its worktrees too, and of every file that
// they include, whatever the condition. A condition that does not hold here may hold in a worktree that is yet to be made.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Checkout } from "./checkout.ts";
import { WorktreeError } from "../errors.ts";

const MOST_FILES = 500;

export interface SettingsReader {
  readonly checkout: Checkout;
  run(words: readonly string[]): Promise<string>;
}

export async function settingNames({ checkout, run }: SettingsReader, home: string): Promise<string[]> {
  const names: string[] = [];
  const files = new Set(ownFiles(checkout).filter(isThere));
  // Files that are found on the way are read too.
  for (const file of files) {
    if (files.size > MOST_FILES) throw new WorktreeError("repository", "The repository includes too many settings");
    // Without the files it includes: git would leave out some of them.
    const listed = await run(["config", "--file", file, "--no-includes", "--list", "-z"]);
    for (const [name = "", value = ""] of listed.split("\0").map(nameAndValue)) {
      names.push(name);
      const included = /^include(?:if\..+)?\.path$/s.test(name) ? includedFile(value, file, home) : undefined;
      if (included !== undefined && isThere(included)) files.add(included);
    }
  }
  return names;
}

function ownFiles({ common }: Checkout): string[] {
  const folders = [common, ...namesIn(join(common, "worktrees")).map((name) => join(common, "worktrees", name))];
  return [join(common, "config"), ...folders.map((folder) => join(folder, "config.worktree"))];
}

function nameAndValue(text: string): readonly string[] {
  const end = text.indexOf("\n");
  return end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
}

function includedFile(path: string, from: string, home: string): string | undefined {
  if (path === "") return undefined;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  if (/^[~%]/.test(path))
    throw new WorktreeError("repository", `'${from}' includes settings at '${path.slice(0, 80)}'`);
  return resolve(dirname(from), path);
}

/** Throws for what git would wait on, or not end reading. */
function isThere(file: string): boolean {
  let found;
  try {
    found = statSync(file, { throwIfNoEntry: false });
  } catch {
    // Git cannot read it either.
    return false;
  }
  if (found !== undefined && !found.isFile()) {
    throw new WorktreeError("repository", `The repository has settings in '${file}', which is not a file`);
  }
  return found !== undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
