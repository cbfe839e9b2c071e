// Guards the parts of a repository that make git run programs. Commits, branches, stashes and remotes stay writable.

import { basename, dirname, join, resolve, sep } from "node:path";
import { parseGitConfig, type GitSetting } from "@keelson/engine/git-keys";
import { readRegularFile } from "../../files/regular-file.ts";
import { repositoryFolders, type RepositoryFolders } from "./git-folders.ts";
import type { Guard } from "./guarded.ts";
import { isFolder, lstatOrNull, realPath, realPathOrThrow } from "./stat.ts";
import { folderNames } from "../watch/move-aside.ts";
import { throwIfStarved } from "../throw-if-starved.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Each mount costs every command a little time. Submodules beyond this number are watched instead. */
const MAX_MOUNTED = 64;
const MAX_INCLUDED = 32;

type Found = Record<
  "pinned" | "repositories" | "gitSettings" | "links" | "contents" | "closedFolders" | "unseen",
  Set<string>
>;

/** Settings that git reads for every repository. */
const USER_CONFIGS = [".gitconfig", ".config/git/config"];

export function guardGit(place: string, { home, guard, found }: GitGuard): void {
  for (const git of repositoryFolders(place)) {
    for (const name of USER_CONFIGS) guardReferenced(join(home, name), { top: git.top, home, guard, found });
    for (const [at, folder] of git.folders.entries()) {
      found.repositories.add(folder);
      // A bare repository may be a folder that people work in, so do not pin it.
      if (at < MAX_MOUNTED) guardRepository(folder, { guard, found, isPinned: git.entry !== git.top || at > 0 });
      else watchRepository(folder, found);
      guardReferenced(join(folder, "config"), { top: git.top, home, guard, found });
    }
    for (const path of gitSettingsOf(git)) {
      const isLink = lstatOrNull(path)?.isSymbolicLink() === true;
      if (isLink) found.links.add(path);
      // Git writes through a link to its target.
      found.gitSettings.add((isLink && realPathOrThrow(path)) || path);
    }
    for (const modules of git.unseen) found.unseen.add(modules);
    if (!git.folders.includes(git.entry)) guard(git.entry);
  }
}

export interface GitGuard {
  readonly home: string;
  readonly guard: Guard;
  readonly found: Found;
}

function guardRepository(
  folder: string,
  { guard, found, isPinned }: { readonly guard: Guard; readonly found: Found; readonly isPinned: boolean },
): void {
  // Pin it, or it could be replaced by another folder.
  const real = isPinned ? realPathOrThrow(folder) : null;
  if (real) found.pinned.add(real);
  guard(join(folder, "info", "attributes"));
  // The folder of a worktree has no hooks, and neither has an incomplete repository.
  guard(join(folder, "hooks"), isFolder(join(folder, "objects")) ? "missingFolders" : "missingFiles");
  guard(join(folder, "commondir"));
}

function watchRepository(folder: string, found: Found): void {
  const hooks = join(folder, "hooks");
  found.closedFolders.add(hooks);
  for (const name of folderNames(hooks)) found.contents.add(join(hooks, name));
}

/** Guards what the settings refer to: included files, and a hooks folder elsewhere. */
function guardReferenced(config: string, places: GitGuard & { readonly top: string }, seen = new Set<string>()): void {
  const { top, home, guard } = places;
  if (seen.has(config) || seen.size > MAX_INCLUDED) return;
  seen.add(config);
  for (const { section, key, name, value } of settingsIn(config)) {
    if (value === null) continue;
    const from = (base: string) => resolve(base, value.startsWith("~/") ? join(home, value.slice(2)) : value);
    if (name === "core.hookspath") guardHooks(from(top), places);
    if (key !== "path" || (section !== "include" && section !== "includeif")) continue;
    const included = from(dirname(config));
    guard(included);
    guardReferenced(included, places, seen);
  }
}

function guardHooks(path: string, { top, home, guard, found }: GitGuard & { readonly top: string }): void {
  const folder = realPath(path) ?? path;
  const isOurs = [top, home].some((place) => folder.startsWith(`${place}${sep}`));
  // A folder that contains the work tree must stay writable.
  if (!isOurs || `${top}${sep}`.startsWith(`${folder}${sep}`)) return;
  if (basename(folder) !== "_") return guard(folder);
  // Husky rewrites its hooks at every package install, which is fine as long as the content stays the same.
  found.closedFolders.add(folder);
  for (const name of folderNames(folder)) found.contents.add(join(folder, name));
}

function settingsIn(config: string): readonly GitSetting[] {
  try {
    const text = new TextDecoder("latin1").decode(readRegularFile(config, MAX_CONFIG_BYTES));
    return /hookspath|include/i.test(text) ? parseGitConfig(text).settings : [];
  } catch (error) {
    throwIfStarved(error);
    return [];
  }
}

/** All settings files of this repository, whether they exist or not. */
export function gitSettingsOf({ top, folders, worktrees }: RepositoryFolders): readonly string[] {
  return [
    join(top, ".gitmodules"),
    ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    ...worktrees.map((folder) => join(folder, "config.worktree")),
  ];
}
