// What of a repository commands may not change. Commits, branches, stashes and remotes are free; what makes git run a
// program is not.

import { basename, dirname, join, resolve, sep } from "node:path";
import { parseGitConfig } from "@keelson/engine/git-keys";
import { readRegular } from "../regular-file.ts";
import { gitFolders, type GitFolders } from "./git-folders.ts";
import type { Guard } from "./guarded.ts";
import { isFolder, look, realPath } from "./look.ts";
import { namesIn } from "./tripwire.ts";

const LARGEST_CONFIG = 1024 * 1024;

export function guardGit(
  place: string,
  guard: Guard,
  found: Record<"pinned" | "repositories" | "gitSettings" | "links" | "contents" | "closedFolders", Set<string>>,
): void {
  const git = gitFolders(place);
  if (!git) return;
  for (const folder of git.folders) {
    // Pinned, or it could be moved away and another put in its place.
    const real = realPath(folder);
    if (real) found.pinned.add(real);
    found.repositories.add(folder);
    guard(join(folder, "info", "attributes"));
    guard(join(folder, "hooks"), isFolder(join(folder, "objects")) ? "missingFolders" : undefined);
    guard(join(folder, "commondir"), "missingFiles");
  }
  for (const path of gitSettingsOf(git)) {
    const isLink = look(path)?.isSymbolicLink() === true;
    if (isLink) found.links.add(path);
    // Git writes through a link, to where it leads.
    found.gitSettings.add((isLink && realPath(path)) || path);
  }
  if (!git.folders.includes(git.entry)) guard(git.entry);
  for (const folder of git.folders) guardHooksInForce(join(folder, "config"), dirname(git.entry), guard, found);
}

/** Hooks that git was told to look for elsewhere, in a folder of the project. */
function guardHooksInForce(
  config: string,
  root: string,
  guard: Guard,
  found: Record<"contents" | "closedFolders", Set<string>>,
): void {
  const path = hooksPathIn(config);
  const folder = path === null ? null : realPath(resolve(root, path));
  if (folder === null || !folder.startsWith(`${root}${sep}`)) return;
  if (basename(folder) !== "_") return guard(folder);
  // Husky writes its own anew with every installation of packages: it may, as long as they stay what they are.
  found.closedFolders.add(folder);
  for (const name of namesIn(folder)) found.contents.add(join(folder, name));
}

function hooksPathIn(config: string): string | null {
  try {
    const text = new TextDecoder("latin1").decode(readRegular(config, LARGEST_CONFIG));
    if (!/hookspath/i.test(text)) return null;
    return parseGitConfig(text).settings.findLast(({ name }) => name === "core.hookspath")?.value ?? null;
  } catch {
    return null;
  }
}

/** Every file that git reads settings of this repository from, there or not. */
export function gitSettingsOf({ entry, folders, worktrees }: GitFolders): readonly string[] {
  return [
    join(dirname(entry), ".gitmodules"),
    ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    ...worktrees.map((folder) => join(folder, "config.worktree")),
  ];
}
