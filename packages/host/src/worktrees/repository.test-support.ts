// Throw-away repositories for the tests of worktrees.

import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createWorktree, type CreateWorktreeOptions } from "./create.ts";
import { removeWorktree } from "./remove.ts";
import { worktreeState } from "./state.ts";
import { sweepStale } from "./sweep.ts";

export function scratch() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-worktrees-")));
  afterAll(() => rmSync(place, { recursive: true, force: true }));
  const PATH = process.env["PATH"]!;
  const identity = { AUTHOR: "GIT_AUTHOR", COMMITTER: "GIT_COMMITTER" };
  const names = Object.values(identity).flatMap((name) => [
    [`${name}_NAME`, "a"],
    [`${name}_EMAIL`, "a@b"],
  ]);
  const userEnv = { PATH, HOME: place, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(names) };
  const environment = { env: { PATH }, home: place };
  let count = 0;

  /** Git as the user runs it. */
  const git = (cwd: string, ...words: string[]): string => {
    const ended = Bun.spawnSync(["git", ...words], { cwd, env: userEnv });
    if (!ended.success) throw new Error(`git ${words.join(" ")}: ${ended.stderr.toString()}`);
    return ended.stdout.toString();
  };
  const write = (path: string, text = "x\n") => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const commit = (cwd: string, file: string, text = "x\n") => {
    write(join(cwd, file), text);
    git(cwd, "add", "-f", file);
    git(cwd, "commit", "-qm", `Add ${file}`);
  };
  const project = (): string => {
    const root = join(place, `project-${++count}`);
    mkdirSync(root, { recursive: true });
    git(root, "init", "-q", "-b", "main");
    commit(root, "a.txt", "a\n");
    commit(root, "src/b.txt", "b\n");
    return root;
  };
  return {
    place,
    environment,
    userEnv,
    git,
    write,
    commit,
    project,
    create: (root: string, options: Partial<CreateWorktreeOptions> & { readonly name: string }) =>
      createWorktree({ root, baseRef: "fresh", ...environment, ...options }),
    state: (path: string, branch?: string) => worktreeState({ path, branch }, environment),
    remove: (root: string, path: string, branch: string, options: { force?: boolean } = {}) =>
      removeWorktree({ root, path, branch, ...options, ...environment }),
    sweep: (root: string, { maxAgeMs = 0, now = Date.now() + 60 * 60_000 } = {}) =>
      sweepStale({ root, maxAgeMs, now, ...environment }),
    worktrees: (root: string) =>
      git(root, "worktree", "list", "--porcelain")
        .split("\n")
        .flatMap((line) => /^worktree (.+)$/.exec(line)?.[1] ?? []),
    branches: (root: string) => git(root, "branch", "--format=%(refname:short)").split("\n").filter(Boolean),
    refs: (root: string) => git(root, "for-each-ref"),
  };
}
