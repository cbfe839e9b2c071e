// What of a repository commands may not change. Commits, branches, stashes and remotes are free; what makes git run a
// program is not.

import { dirname, join } from "node:path";
import { gitFolders, type GitFolders } from "./git-folders.ts";
import type { Guard } from "./guarded.ts";
import { isFolder, look, realPath } from "./look.ts";

export function guardGit(
  place: string,
  guard: Guard,
  found: Record<"pinned" | "repositories" | "gitSettings" | "links", Set<string>>,
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
}

/** Every file that git reads settings of this repository from, there or not. */
export function gitSettingsOf({ entry, folders, worktrees }: GitFolders): readonly string[] {
  return [
    join(dirname(entry), ".gitmodules"),
    ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    ...worktrees.map((folder) => join(folder, "config.worktree")),
  ];
}
