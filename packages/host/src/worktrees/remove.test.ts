// Removing worktrees: what has been worked on stays, unless it shall be given up.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProgramToConfine } from "../sandbox/confine-program.ts";
import { describeChanges, removeWorktree } from "./remove.ts";
import { scratch } from "./repository.test-support.ts";
import { worktreeState } from "./state.ts";

const { place, project, git, write, commit, create, worktrees, branches, state, remove, sweep } = scratch();

const NOTHING = { files: [], commits: 0, inProgress: [], submodules: [] };

test("an unchanged worktree is removed with its branch, also if it has ignored files", async () => {
  const root = project();
  commit(root, ".gitignore", "build/\n");
  const { path, branch } = await create(root, { name: "a" });
  write(join(path, "build/out"));
  expect(await state(path, branch)).toEqual(NOTHING);
  expect(await remove(root, path, branch)).toEqual({ branchDeleted: true });
  expect([worktrees(root), branches(root), existsSync(path)]).toEqual([[root], ["main"], false]);
  expect(existsSync(join(root, ".git/worktrees"))).toBe(false);
});

interface Row {
  readonly what: string;
  work(path: string, root: string): void;
  readonly says: string;
}

const ROWS: readonly Row[] = [
  { what: "a changed file", work: (path) => write(join(path, "a.txt"), "b"), says: "1 uncommitted file" },
  {
    what: "a staged file",
    work: (path) => (write(join(path, "n")), git(path, "add", "n")),
    says: "1 uncommitted file",
  },
  { what: "a new file", work: (path) => write(join(path, "d/n")), says: "1 uncommitted file" },
  { what: "a deleted file", work: (path) => rmSync(join(path, "a.txt")), says: "1 uncommitted file" },
  { what: "a commit", work: (path) => commit(path, "n"), says: "1 commit on worktree-a" },
  {
    what: "commits and files",
    work: (path) => (commit(path, "n"), commit(path, "m"), write(join(path, "x")), write(join(path, "y"))),
    says: "2 uncommitted files and 2 commits on worktree-a",
  },
  {
    what: "a commit without a branch",
    work: (path) => (git(path, "checkout", "-q", "--detach"), commit(path, "n")),
    says: "1 commit on worktree-a",
  },
  {
    what: "a commit on its branch, with another one checked out",
    work: (path) => (commit(path, "n"), git(path, "checkout", "-q", "--detach", "main")),
    says: "1 commit on worktree-a",
  },
  {
    what: "a change that git was told to overlook",
    work: (path) => (git(path, "update-index", "--assume-unchanged", "a.txt"), write(join(path, "a.txt"), "b")),
    says: "1 uncommitted file",
  },
  {
    what: "a change that git was told to skip",
    work: (path) => (git(path, "update-index", "--skip-worktree", "a.txt"), write(join(path, "a.txt"), "b")),
    says: "1 uncommitted file",
  },
  {
    what: "a merge in progress",
    work: (path) => (
      git(path, "switch", "-qc", "other"),
      commit(path, "n"),
      git(path, "switch", "-q", "worktree-a"),
      git(path, "merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "other")
    ),
    says: "a merge in progress",
  },
  {
    what: "a repository inside",
    work: (path) => (
      mkdirSync(join(path, "inner")),
      git(join(path, "inner"), "init", "-q"),
      commit(join(path, "inner"), "n")
    ),
    says: "1 uncommitted file",
  },
  {
    what: "a checked out submodule",
    work: (path) => {
      const library = project();
      git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
      git(path, "commit", "-qam", "Add lib");
      git(path, "push", "-q", ".", "HEAD:refs/heads/saved");
    },
    says: "checked out submodules",
  },
];

test.each(ROWS)("$what keeps the worktree until it shall be given up", async ({ work, says }) => {
  const root = project();
  const { path, branch } = await create(root, { name: "a" });
  work(path, root);
  const before = git(root, "for-each-ref");

  await expect(remove(root, path, branch)).rejects.toThrow(`Worktree has ${says}`);
  expect([existsSync(path), git(root, "for-each-ref")]).toEqual([true, before]);
  expect(describeChanges(await state(path, branch), branch)).toBe(says);

  expect(await remove(root, path, branch, { force: true })).toEqual({ branchDeleted: true });
  expect([existsSync(path), worktrees(root)]).toEqual([false, [root]]);
});

test("commits that another branch or the remote contains are not lost with the worktree", async () => {
  const root = project();
  const merged = await create(root, { name: "merged" });
  commit(merged.path, "m");
  git(root, "merge", "-q", merged.branch);
  const renamed = await create(root, { name: "renamed" });
  commit(renamed.path, "r");
  git(renamed.path, "switch", "-qc", "feature");
  expect(await remove(root, merged.path, merged.branch)).toEqual({ branchDeleted: true });
  expect(await remove(root, renamed.path, renamed.branch)).toEqual({ branchDeleted: true });
  expect(branches(root)).toEqual(["feature", "main"]);
});

test("a branch that is checked out elsewhere stays", async () => {
  const root = project();
  const { path, branch } = await create(root, { name: "a" });
  git(path, "checkout", "-q", "--detach");
  git(root, "switch", "-q", branch);
  expect(await remove(root, path, branch)).toEqual({ branchDeleted: false });
  expect(git(root, "status", "--porcelain", "--branch").trim()).toBe(`## ${branch}`);
});

test("only worktrees of the repository's own folder are removed", async () => {
  const root = project();
  const path = join(place, "by-hand");
  git(root, "worktree", "add", "-q", path);
  await expect(remove(root, path, "by-hand")).rejects.toThrow("is not one of the worktrees in .claude/worktrees");
  const inner = join(root, ".claude/worktrees/a/b");
  await expect(remove(root, inner, "x")).rejects.toThrow("is not one of the worktrees in .claude/worktrees");
  expect(existsSync(path)).toBe(true);
});

test("a deleted worktree is forgotten, and its branch stays if it has commits", async () => {
  const root = project();
  const [kept, gone] = [await create(root, { name: "kept" }), await create(root, { name: "gone" })];
  commit(kept.path, "n");
  for (const { path } of [kept, gone]) rmSync(path, { recursive: true });
  expect(await remove(root, kept.path, kept.branch)).toEqual({ branchDeleted: false });
  expect(await remove(root, gone.path, gone.branch)).toEqual({ branchDeleted: true });
  expect([worktrees(root), branches(root)]).toEqual([[root], ["main", kept.branch]]);
});

/** As if another process had made it and was killed. */
function abandon(root: string, path: string, doing: "making" | "using" = "using"): void {
  git(root, "worktree", "unlock", path);
  git(root, "worktree", "lock", "--reason", `keelson ${doing} (pid 4194303, started 1)`, path);
}

test("sweepStale() removes unchanged worktrees of dead owners once they are old, and lists the others", async () => {
  const root = project();
  const names = ["clean", "dirty", "commits", "used", "missing", "locked"];
  const made = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await create(root, { name })])));
  for (const name of ["clean", "dirty", "commits", "missing"]) abandon(root, made[name].path);
  write(join(made["dirty"].path, "n"));
  commit(made["commits"].path, "n");
  rmSync(made["missing"].path, { recursive: true });
  git(root, "worktree", "unlock", made["locked"].path);
  git(root, "worktree", "lock", "--reason", "on a stick", made["locked"].path);
  const day = 24 * 60 * 60_000;

  const soon = await sweep(root, { maxAgeMs: 30 * day, now: Date.now() + day });
  expect(soon.removed).toEqual([made["missing"].path]);
  const lately = ["clean", "commits", "dirty"].map((name) => [`worktree-${name}`, "used lately"]);
  const locked = ["worktree-locked", "locked: on a stick"];
  expect(soon.left.map(({ branch, why }) => [branch, why])).toEqual([...lately, locked]);

  const later = await sweep(root, { maxAgeMs: 30 * day, now: Date.now() + 31 * day });
  expect(later.removed).toEqual([made["clean"].path]);
  expect(later.left.map(({ branch, why }) => [branch, why])).toEqual([
    ["worktree-commits", "1 commit on worktree-commits"],
    ["worktree-dirty", "1 uncommitted file"],
    locked,
  ]);
  expect(
    worktrees(root)
      .map((path) => path.slice(root.length))
      .toSorted(),
  ).toEqual(["", ...["commits", "dirty", "locked", "used"].map((name) => `/.claude/worktrees/${name}`)]);
  expect(git(root, "worktree", "list", "--porcelain").match(/^locked.*$/gm)).toHaveLength(2);
  // Recovered ones can be used again.
  expect((await create(root, { name: "dirty" })).isExisting).toBe(true);
});

test("sweepStale() removes what was being made when its owner was killed, but not what someone added", async () => {
  const root = project();
  const [half, started, touched] = [
    await create(root, { name: "half" }),
    await create(root, { name: "started" }),
    await create(root, { name: "touched" }),
  ];
  for (const { path } of [half, started, touched]) abandon(root, path, "making");
  rmSync(join(half.path, "src"), { recursive: true });
  rmSync(join(started.path, "a.txt"));
  rmSync(join(root, ".git/worktrees/started/index"));
  const lockFile = join(root, ".claude/worktrees/.half.lock");
  write(lockFile, "4194303");
  write(join(touched.path, "n"), "mine");

  expect(await sweep(root, { now: Date.now() })).toEqual({ removed: [], left: [] });
  expect(existsSync(lockFile)).toBe(true);
  const { removed, left } = await sweep(root);
  expect(existsSync(lockFile)).toBe(false);
  expect(removed).toEqual([half.path, started.path]);
  expect(left.map(({ path }) => path)).toEqual([touched.path]);
  expect(readFileSync(join(touched.path, "n"), "utf8")).toBe("mine");
  expect(branches(root)).toEqual(["main", touched.branch]);
});

const SILENCES = {
  "says nothing": "exit 0",
  fails: "exit 1",
  "is killed": "kill -KILL $$",
  "loses its output": 'exec "$real" "$@" >/dev/null',
};

test.each(Object.entries(SILENCES))(
  "a git that %s about a question is no reason to remove anything",
  async (_, silence) => {
    const root = project();
    const bin = join(place, `bin-${crypto.randomUUID()}`);
    const works: Record<string, (path: string) => void> = {
      status: (path) => write(join(path, "new.txt")),
      "ls-files": (path) => (git(path, "update-index", "--skip-worktree", "a.txt"), write(join(path, "a.txt"), "b")),
      "show-ref": (path) => commit(path, "n"),
      "rev-list": (path) => (git(path, "checkout", "-q", "--detach"), commit(path, "n")),
    };
    for (const [question, work] of Object.entries(works)) {
      const { path, branch } = await create(root, { name: question });
      work(path);
      const wrapper = `#!/bin/sh\nreal=${Bun.which("git")}\nfor word; do [ "$word" = ${question} ] && ${silence}; done\nexec "$real" "$@"\n`;
      write(join(bin, "git"), wrapper);
      chmodSync(join(bin, "git"), 0o755);
      // Without a system's git this one is used.
      const confine = async ({ command, args }: ProgramToConfine) => ({
        argv: [command, ...args],
        env: {},
        isWrapper: false,
        leave() {},
      });
      const places = { env: { PATH: bin }, home: place, confine };
      const told = (work: Promise<unknown>) => work.then(String, (error: Error) => error.name);
      expect([
        question,
        await told(worktreeState({ path, branch }, places)),
        await told(removeWorktree({ root, path, branch, ...places })),
        existsSync(path),
        branches(root).includes(branch),
      ]).toEqual([question, "WorktreeError", "WorktreeError", true, true]);
    }
  },
);
