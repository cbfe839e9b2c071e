// Making worktrees: where, from what, and with which files.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { lockReason, ownProcess, startOf, readLock } from "./repository/owner.ts";
import { scratch } from "./repository.test-support.ts";
import { releaseWorktree, useWorktree } from "./use.ts";

const { place, environment, project, git, write, commit, create, worktrees, branches, state, remove } = scratch();

test("git that cannot be started behind the shield says why, and git that is not there that it is missing", async () => {
  const root = project();
  // A git that only the user's PATH finds, in a folder that commands could write.
  const own = join(place, "own-programs");
  write(join(own, "git"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(own, "git"), 0o755);
  const attempt = (confine?: () => Promise<never>) =>
    create(root, { name: "later", env: { PATH: own }, ...(confine ? { confine } : {}) });
  for (const why of ["The shield cannot be started: bwrap: No permissions", "no more processes"]) {
    await expect(attempt(() => Promise.reject(new Error(why)))).rejects.toThrow(`git could not be started: ${why}`);
  }
  const missing: Error = await attempt().catch((error) => error);
  expect(missing.message).toContain("install it with the system's packages");
});

test("createWorktree() makes a locked worktree on its own branch, and the main checkout does not show it", async () => {
  const root = project();
  const before = { refs: git(root, "rev-parse", "main"), reflog: git(root, "reflog", "main"), index: indexOf(root) };

  const made = await create(join(root, "src"), { name: "fix" });

  const path = join(root, ".claude/worktrees/fix");
  const base = git(root, "rev-parse", "main").trim();
  expect(made).toEqual({ path, branch: "worktree-fix", base, root, isExisting: false, notices: [] });
  expect(readFileSync(join(path, "src/b.txt"), "utf8")).toBe("b\n");
  expect(git(path, "branch", "--show-current").trim()).toBe("worktree-fix");
  expect(git(root, "status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(git(path, "status", "--porcelain", "--untracked-files=all")).toBe("");
  expect(git(root, "worktree", "list", "--porcelain")).toContain(`locked keelson using (pid ${process.pid}, started `);
  expect({ refs: git(root, "rev-parse", "main"), reflog: git(root, "reflog", "main"), index: indexOf(root) }).toEqual(
    before,
  );
  expect(git(root, "config", "--list", "--local")).not.toContain("branch.");
});

const indexOf = (root: string) => readFileSync(join(root, ".git/index")).toString("hex");

test("the base is the remote's main branch, or what is checked out", async () => {
  const origin = project();
  const root = join(place, "clone");
  git(place, "clone", "-q", origin, root);
  git(root, "switch", "-qc", "local");
  commit(root, "local.txt");
  const fresh = await create(root, { name: "fresh" });
  const head = await create(root, { name: "head", baseRef: "head" });
  expect([fresh.base, head.base]).toEqual([
    git(root, "rev-parse", "origin/main").trim(),
    git(root, "rev-parse", "local").trim(),
  ]);
  expect([existsSync(join(fresh.path, "local.txt")), existsSync(join(head.path, "local.txt"))]).toEqual([false, true]);
});

test("a repository without commits has no worktrees, and a folder outside a repository neither", async () => {
  const root = join(place, "empty");
  mkdirSync(root);
  git(root, "init", "-q");
  await expect(create(root, { name: "a" })).rejects.toThrow("The repository has no commits yet; make one first");
  const outside = join(place, "outside");
  mkdirSync(outside);
  await expect(create(outside, { name: "a" })).rejects.toThrow("is not in a git repository");
});

test("a worktree of a worktree is made in the main checkout", async () => {
  const root = project();
  const first = await create(root, { name: "first" });
  const second = await create(first.path, { name: "second" });
  expect(second.path).toBe(join(root, ".claude/worktrees/second"));
  expect(worktrees(root)).toEqual([root, first.path, second.path]);
});

test("the worktree of an earlier process is taken up again; one in use is not", async () => {
  const root = project();
  const made = await create(root, { name: "again" });
  commit(made.path, "work.txt");
  const again = await create(root, { name: "again" });
  expect(again).toEqual({ ...made, base: git(made.path, "rev-parse", "HEAD").trim(), isExisting: true });
  const gitFolder = join(root, ".git/worktrees/again");
  const other = Bun.spawn(["sleep", "1000"]);
  try {
    const reason = lockReason({ pid: other.pid, start: startOf(other.pid)! }, "using");
    git(root, "worktree", "unlock", made.path);
    git(root, "worktree", "lock", "--reason", reason, made.path);
    await expect(create(root, { name: "again" })).rejects.toThrow(`is in use: ${reason}`);
  } finally {
    other.kill();
  }
  await other.exited;
  await create(root, { name: "again" });
  expect(readLock(gitFolder)?.owner).toEqual(ownProcess());
});

test("a lock that a person has set stays", async () => {
  const root = project();
  const { path } = await create(root, { name: "a" });
  releaseWorktree(path);
  git(root, "worktree", "lock", "--reason", "on a stick", path);
  expect((await useWorktree({ root, path, ...environment })).isOurs).toBe(true);
  releaseWorktree(path);
  expect(readLock(join(root, ".git/worktrees/a"))?.reason).toBe("on a stick");
});

test("useWorktree() enters worktrees of the repository only", async () => {
  const root = project();
  const [path, foreign] = [join(place, "by-hand-2"), project()];
  git(root, "worktree", "add", "-q", path);
  expect(await useWorktree({ root, path, ...environment })).toMatchObject({ branch: "by-hand-2", isOurs: false });
  symlinkSync(path, join(place, "linked-worktree"));
  for (const other of [root, foreign, place, join(place, "linked-worktree"), join(place, "missing")]) {
    await expect(useWorktree({ root, path: other, ...environment })).rejects.toThrow(
      "is not a worktree of this repository",
    );
  }
  releaseWorktree(path);
  expect(readLock(join(root, ".git/worktrees/by-hand-2"))).toBeUndefined();
});

test("a branch with commits that has lost its worktree is continued, and one without is moved to the base", async () => {
  const root = project();
  const made = await create(root, { name: "a" });
  commit(made.path, "work.txt");
  git(root, "worktree", "remove", "--force", "--force", made.path);
  git(root, "branch", "worktree-b", "HEAD~1");

  const continued = await create(root, { name: "a" });
  const moved = await create(root, { name: "b" });

  expect(readFileSync(join(continued.path, "work.txt"), "utf8")).toBe("x\n");
  expect((await state(continued.path, continued.branch)).commits).toBe(1);
  expect(moved.base).toBe(git(root, "rev-parse", "main").trim());
});

test("a folder that was deleted by hand is no obstacle", async () => {
  const root = project();
  const made = await create(root, { name: "a" });
  git(root, "worktree", "unlock", made.path);
  rmSync(made.path, { recursive: true });
  expect((await create(root, { name: "a" })).isExisting).toBe(false);
});

test("a folder that is no worktree is not touched", async () => {
  const root = project();
  write(join(root, ".claude/worktrees/a/file"));
  await expect(create(root, { name: "a" })).rejects.toThrow(
    "is not a worktree of this repository; choose one that git worktree list shows",
  );
  expect(branches(root)).toEqual(["main"]);
});

test(".worktreeinclude copies ignored files that match, with their modes, and nothing else", async () => {
  const root = project();
  commit(root, ".gitignore", ".env*\nsecret/\nlinked\nbuild/\n");
  commit(root, ".worktreeinclude", "# comment\n.env*\n!.env.old\nsecret/\nlinked\nnotes.txt\na.txt\n../outside.txt\n");
  write(join(root, ".env"), "KEY=1\n");
  chmodSync(join(root, ".env"), 0o600);
  write(join(root, ".env.old"));
  write(join(root, "secret/deep/key"));
  write(join(root, "build/out"));
  write(join(root, "notes.txt"));
  write(join(place, "outside.txt"));
  symlinkSync(join(place, "outside.txt"), join(root, "linked"));
  symlinkSync(place, join(root, "secret/up"));
  write(join(root, "a.txt"), "changed\n");

  const { path, notices } = await create(root, { name: "a" });

  expect(readFileSync(join(path, ".env"), "utf8")).toBe("KEY=1\n");
  expect(lstatSync(join(path, ".env")).mode & 0o777).toBe(0o600);
  const there = [".env.old", "secret/deep/key", "build/out", "notes.txt", "linked", "secret/up"];
  expect(there.map((file) => lstatSync(join(path, file), { throwIfNoEntry: false }) !== undefined)).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("a\n");
  expect(notices).toEqual([
    "Not copied into the worktree: linked (not a regular file), secret/up (not a regular file)",
  ]);
  expect((await state(path, "worktree-a")).files).toEqual([]);
});

test("the checkout's own settings come along, and are no change", async () => {
  const root = project();
  write(join(root, ".claude/settings.local.json"), "{}\n");
  const { path, branch } = await create(root, { name: "a" });
  expect(readFileSync(join(path, ".claude/settings.local.json"), "utf8")).toBe("{}\n");
  expect((await state(path, branch)).files).toEqual([]);
  await remove(root, path, branch);
  expect(existsSync(path)).toBe(false);
  const other = await create(root, { name: "b" });
  write(join(other.path, ".claude/settings.local.json"), '{"model":"x"}\n');
  expect((await state(other.path, other.branch)).files).toEqual([".claude/settings.local.json"]);
});

test("folders are shared by links, only from inside the main checkout, and are no change", async () => {
  const root = project();
  commit(root, ".gitignore", "node_modules/\n");
  write(join(root, "node_modules/x/index.js"));
  write(join(place, "elsewhere/file"));
  symlinkSync(join(place, "elsewhere"), join(root, "away"));
  const symlinkDirectories = [
    "node_modules",
    "missing",
    "../elsewhere",
    "/etc",
    "away",
    "src",
    ".git",
    ".claude/worktrees",
  ];

  const { path, branch, notices } = await create(root, { name: "a", symlinkDirectories });

  expect(readlinkSync(join(path, "node_modules"))).toBe(join(root, "node_modules"));
  expect(notices.map((text) => text.slice(0, text.indexOf(" of ")))).toEqual([
    '"../elsewhere"',
    '"/etc"',
    '"away"',
    '"src"',
    '".git"',
    '".claude/worktrees"',
  ]);
  expect((await state(path, branch)).files).toEqual([]);
  await remove(root, path, branch);
  expect([existsSync(path), existsSync(join(root, "node_modules/x/index.js"))]).toEqual([false, true]);
});

test("sparse paths check out only these folders", async () => {
  const root = project();
  commit(root, "docs/guide.md");
  const { path, branch } = await create(root, { name: "a", sparsePaths: ["src/"] });
  expect([existsSync(join(path, "src/b.txt")), existsSync(join(path, "docs"))]).toEqual([true, false]);
  expect(git(root, "status", "--porcelain")).toBe("");
  expect((await state(path, branch)).files).toEqual([]);
  await remove(root, path, branch);
  await expect(create(root, { name: "b", sparsePaths: ["../x"] })).rejects.toThrow(
    "is not a folder inside the repository",
  );
  expect(branches(root)).toEqual(["main"]);
});

test("an interrupted creation leaves nothing", async () => {
  const root = project();
  const signal = AbortSignal.abort();
  await expect(create(root, { name: "a", signal })).rejects.toThrow("interrupted");
  expect([branches(root), worktrees(root)]).toEqual([["main"], [root]]);
});
