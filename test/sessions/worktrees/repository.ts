// A home whose project is a git repository, and git as the user runs it there.

import { join } from "node:path";
import { temporaryHome, type TemporaryHome } from "@keelson/testkit";

export interface RepositoryHome extends TemporaryHome {
  git(...words: string[]): string;
  gitIn(folder: string, ...words: string[]): string;
  /** The folder of a worktree. */
  worktree(name: string): string;
  worktrees(): readonly string[];
  branches(): readonly string[];
}

export function repositoryHome(files: Readonly<Record<string, string>> = {}): RepositoryHome {
  const home = temporaryHome();
  const gitIn = (folder: string, ...words: string[]) => {
    const ended = Bun.spawnSync(["git", ...words], { cwd: folder, env: home.env });
    if (!ended.success) throw new Error(`git ${words.join(" ")}: ${ended.stderr.toString()}`);
    return ended.stdout.toString();
  };
  const git = (...words: string[]) => gitIn(home.project, ...words);
  git("init", "-q", "-b", "main");
  for (const [name, text] of Object.entries({ "a.txt": "a\n", ...files })) home.write(name, text);
  git("add", "-A");
  git("commit", "-qm", "Begin");
  return Object.assign(home, {
    git,
    gitIn,
    worktree: (name: string) => join(home.project, ".claude/worktrees", name),
    worktrees: () =>
      git("worktree", "list", "--porcelain")
        .split("\n")
        .flatMap((line) => /^worktree (.+)$/.exec(line)?.[1] ?? []),
    branches: () => git("branch", "--format=%(refname:short)").split("\n").filter(Boolean),
  });
}
