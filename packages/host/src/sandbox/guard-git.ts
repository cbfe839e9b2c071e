// What of a repository commands may not change. Commits, branches, stashes and remotes are free; what makes git run a
// program is not.

import { basename, join, resolve, sep } from "node:path";
import { parseGitConfig } from "@keelson/engine/git-keys";
import { readRegular } from "../regular-file.ts";
import { gitFolders, type GitFolders } from "./git-folders.ts";
import type { Guard } from "./guarded.ts";
import { isFolder, look, realPath } from "./look.ts";
import { namesIn } from "./tripwire.ts";

const LARGEST_CONFIG = 1024 * 1024;
/** Every mount costs each command a little; in a repository with hundreds of submodules the rest is watched instead. */
const MOST_MOUNTED = 64;

type Found = Record<
  "pinned" | "repositories" | "gitSettings" | "links" | "contents" | "closedFolders" | "unseen",
  Set<string>
>;

export function guardGit(place: string, guard: Guard, found: Found): void {
  for (const git of gitFolders(place)) {
    for (const [at, folder] of git.folders.entries()) {
      found.repositories.add(folder);
      // A bare repository is a folder people work in, as long as it is no more than that.
      if (at < MOST_MOUNTED) guardRepository(folder, { guard, found, isPinned: git.entry !== git.top || at > 0 });
      else watchRepository(folder, found);
      guardHooksInForce(join(folder, "config"), git.top, guard, found);
    }
    for (const path of gitSettingsOf(git)) {
      const isLink = look(path)?.isSymbolicLink() === true;
      if (isLink) found.links.add(path);
      // Git writes through a link, to where it leads.
      found.gitSettings.add((isLink && realPath(path)) || path);
    }
    for (const modules of git.unseen) found.unseen.add(modules);
    if (!git.folders.includes(git.entry)) guard(git.entry);
  }
}

function guardRepository(
  folder: string,
  { guard, found, isPinned }: { readonly guard: Guard; readonly found: Found; readonly isPinned: boolean },
): void {
  // Pinned, or it could be moved away and another put in its place.
  const real = isPinned ? realPath(folder) : null;
  if (real) found.pinned.add(real);
  guard(join(folder, "info", "attributes"));
  // The folder of a worktree has none, nor has what is not a repository yet.
  guard(join(folder, "hooks"), isFolder(join(folder, "objects")) ? "missingFolders" : "missingFiles");
  guard(join(folder, "commondir"), "missingFiles");
}

function watchRepository(folder: string, found: Found): void {
  const hooks = join(folder, "hooks");
  found.closedFolders.add(hooks);
  for (const name of namesIn(hooks)) found.contents.add(join(hooks, name));
}

/** Hooks that git was told to look for elsewhere, in a folder of the project. */
function guardHooksInForce(config: string, root: string, guard: Guard, found: Found): void {
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
export function gitSettingsOf({ top, folders, worktrees }: GitFolders): readonly string[] {
  return [
    join(top, ".gitmodules"),
    ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    ...worktrees.map((folder) => join(folder, "config.worktree")),
  ];
}
