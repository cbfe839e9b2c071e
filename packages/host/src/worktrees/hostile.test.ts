// Worktrees of hostile repositories: nothing that the repository brings runs, and nothing is written outside it.

import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { registeredWorktrees, verifiedWorktree } from "./repository/checkout.ts";
import { lockReason, startOf } from "./repository/owner.ts";
import { scratch } from "./repository.test-support.ts";

const { place, project, git, write, commit, create, branches, state, remove, sweep, worktrees } = scratch();
let count = 0;

/** A script that leaves a mark when it runs. As a filter, it passes the text on. */
function trap(): { script: string; mark: string; hasRun(): boolean } {
  const mark = join(place, `ran-${++count}`);
  const script = join(place, `trap-${count}.sh`);
  writeFileSync(script, `#!/bin/sh\n: > '${mark}'\ncat 2>/dev/null\nexit 0\n`);
  chmodSync(script, 0o755);
  return { script, mark, hasRun: () => existsSync(mark) };
}

function installHook(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(script, join(folder, name));
}

const everyHook = ["post-checkout", "post-index-change", "reference-transaction", "post-commit", "pre-auto-gc"];

interface Row {
  readonly what: string;
  arm(root: string, script: string, mark: string): void;
  /** What a user's git does that springs the trap, as a check that it works. */
  spring(root: string): void;
  readonly notices?: readonly string[];
}

const use = (root: string) => git(root, "worktree", "add", "-q", "-b", "sprung", join(place, `sprung-${++count}`));
const filtered = ['1 file is as stored in git: the filter "evil" was not run'];

const ROWS: readonly Row[] = [
  {
    what: "hooks",
    arm: (root, script) => everyHook.forEach((name) => installHook(join(root, ".git/hooks"), name, script)),
    spring: use,
  },
  {
    what: "core.hooksPath",
    arm: (root, script) => {
      installHook(join(root, "tools"), "post-checkout", script);
      git(root, "config", "core.hooksPath", "tools");
      git(root, "config", "core.hooksPath", join(root, "tools"));
    },
    spring: use,
  },
  {
    what: "core.fsmonitor",
    arm: (root, script) => git(root, "config", "core.fsmonitor", script),
    spring: (root) => git(root, "status"),
  },
  {
    what: "a smudge filter",
    arm: (root, script) => {
      commit(root, ".gitattributes", "a.txt filter=evil\n");
      git(root, "config", "filter.evil.smudge", script);
      git(root, "config", "filter.evil.clean", script);
      git(root, "config", "filter.evil.required", "true");
    },
    spring: use,
    notices: filtered,
  },
  {
    what: "a filter process in an included file, with a name that is hard to quote",
    arm: (root, script) => {
      commit(root, ".gitattributes", "a.txt filter=ev=il.x\n");
      write(join(root, "more.config"), `[filter "ev=il.x"]\n\tprocess = ${script}\n\tsmudge = ${script}\n`);
      git(root, "config", "include.path", join(root, "more.config"));
    },
    spring: (root) => {
      try {
        use(root);
      } catch {
        // The trap is no filter process, so git complains.
      }
    },
    notices: ['1 file is as stored in git: the filter "ev=il.x" was not run'],
  },
  ...["gitdir:**/worktrees/", "onbranch:**", "hasconfig:remote.*.url:x"].map((condition) => ({
    what: `a filter in a file that is included under the condition ${condition}`,
    arm: (root: string, script: string) => {
      commit(root, ".gitattributes", "a.txt filter=evil\n");
      write(join(root, ".git/deep"), `[filter "evil"]\n\tsmudge = ${script}\n\tclean = ${script}\n`);
      write(join(root, ".git/more"), "[include]\n\tpath = deep\n");
      git(root, "config", "remote.other.url", "x");
      git(root, "config", `includeIf.${condition}.path`, "more");
    },
    spring: use,
    notices: filtered,
  })),
  {
    what: "a missing object of a partial clone",
    arm: (root, _, mark) => {
      git(root, "config", "extensions.partialClone", "origin");
      git(root, "config", "remote.origin.promisor", "true");
      git(root, "config", "remote.origin.url", `ext::/usr/bin/env touch ${mark}`);
      git(root, "config", "protocol.ext.allow", "always");
      git(root, "config", "core.repositoryFormatVersion", "1");
      const blob = git(root, "rev-parse", "HEAD:a.txt").trim();
      renameSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)), join(place, blob));
    },
    spring: (root) => {
      try {
        use(root);
      } catch {
        // The trap is no server.
      }
    },
  },
];

test.each(ROWS)("$what: the repository runs nothing", async ({ what, arm, spring, notices = [] }) => {
  const root = project();
  const { script, mark, hasRun } = trap();
  arm(root, script, mark);
  const isBroken = what.startsWith("a missing object");
  if (isBroken) {
    await expect(create(root, { name: "a" })).rejects.toThrow("git worktree add failed");
    expect([hasRun(), branches(root), worktrees(root)]).toEqual([false, ["main"], [root]]);
  } else {
    const made = await create(root, { name: "a" });
    expect(made.notices).toEqual(notices);
    expect(readFileSync(join(made.path, "a.txt"), "utf8")).toBe("a\n");
    // Looking again would clean the file.
    write(join(made.path, "src/b.txt"), "b\n");
    expect((await state(made.path, made.branch)).files).toEqual([]);
    await create(root, { name: "b", sparsePaths: ["src"] });
    await sweep(root);
    await remove(root, made.path, made.branch);
    expect(hasRun()).toBe(false);
  }
  spring(root);
  expect(hasRun()).toBe(true);
});

test("a filter that the user has set up is not run either", async () => {
  const root = project();
  const { script, hasRun } = trap();
  commit(root, ".gitattributes", "a.txt filter=lfs\n");
  writeFileSync(join(place, ".gitconfig"), `[filter "lfs"]\n\tsmudge = ${script}\n\tclean = cat\n`);
  const { notices } = await create(root, { name: "a" });
  expect(notices).toEqual([
    '1 file is as stored in git: the filter "lfs" was not run; run git lfs pull in the worktree to get the content',
  ]);
  expect(hasRun()).toBe(false);
  use(root);
  expect(hasRun()).toBe(true);
  writeFileSync(join(place, ".gitconfig"), "");
});

test("a program named git in the project is not used", async () => {
  const root = project();
  const { script, hasRun } = trap();
  installHook(join(root, "bin"), "git", script);
  const env = { PATH: `${join(root, "bin")}:${process.env["PATH"]!}` };
  await create(root, { name: "a", env });
  expect(hasRun()).toBe(false);
});

test.each([".claude", ".claude/worktrees"])("a linked %s is refused", async (name) => {
  const root = project();
  const outside = join(place, `outside-${++count}`);
  mkdirSync(outside);
  if (name !== ".claude") mkdirSync(join(root, ".claude"));
  symlinkSync(outside, join(root, name));
  await expect(create(root, { name: "a" })).rejects.toThrow(
    "is a link; worktrees are created only in a folder of the repository itself",
  );
  await expect(remove(root, join(root, ".claude/worktrees/a"), "worktree-a")).rejects.toThrow("is a link");
  expect([readdirSync(outside), branches(root)]).toEqual([[], ["main"]]);
});

test("a linked .gitignore in the folder of the worktrees is not written", async () => {
  const root = project();
  const outside = join(place, `file-${++count}`);
  mkdirSync(join(root, ".claude/worktrees"), { recursive: true });
  symlinkSync(outside, join(root, ".claude/worktrees/.gitignore"));
  await create(root, { name: "a" });
  expect(existsSync(outside)).toBe(false);
});

test("a tracked link does not lead a copied file outside", async () => {
  const root = project();
  const outside = join(place, `target-${++count}`);
  mkdirSync(outside);
  symlinkSync(outside, join(root, "config"));
  git(root, "add", "config");
  commit(root, ".gitignore", "config/local\n");
  commit(root, ".worktreeinclude", "config/local\n");
  git(root, "rm", "-q", "--cached", "config");
  renameSync(join(root, "config"), join(root, "old"));
  write(join(root, "config/local"), "secret");
  const { path, notices } = await create(root, { name: "a", baseRef: "head" });
  expect(readdirSync(outside)).toEqual([]);
  expect(notices).toHaveLength(1);
  expect(existsSync(join(path, "config/local"))).toBe(false);
});

test("a linked .worktreeinclude is not read", async () => {
  const root = project();
  write(join(place, "patterns"), ".env\n");
  commit(root, ".gitignore", ".env\n");
  write(join(root, ".env"));
  symlinkSync(join(place, "patterns"), join(root, ".worktreeinclude"));
  const { path } = await create(root, { name: "a" });
  expect(existsSync(join(path, ".env"))).toBe(false);
});

test.each([
  [
    "a .git file that names another repository",
    (root: string, victim: string) => write(join(root, ".git"), `gitdir: ${victim}/.git\n`),
  ],
  [
    "a .git file that names the worktree of another folder",
    (root: string, victim: string) => write(join(root, ".git"), `gitdir: ${victim}/.git/worktrees/real\n`),
  ],
  [
    "a .git folder that shares another repository's",
    (root: string, victim: string) => {
      git(root, "init", "-q");
      write(join(root, ".git/commondir"), `${victim}/.git\n`);
    },
  ],
  ["a linked .git", (root: string, victim: string) => symlinkSync(join(victim, ".git"), join(root, ".git"))],
  [
    "a linked .git/worktrees",
    (root: string, victim: string) => {
      git(root, "init", "-q");
      commit(root, "n");
      symlinkSync(join(victim, ".git/worktrees"), join(root, ".git/worktrees"));
    },
  ],
])("%s is refused, and the other repository is untouched", async (_, forge) => {
  const victim = project();
  git(victim, "worktree", "add", "-q", join(place, `real-${++count}/real`));
  const root = join(place, `forged-${count}`);
  mkdirSync(root);
  forge(root, victim);
  const before = [git(victim, "for-each-ref"), git(victim, "worktree", "list")];

  await expect(create(root, { name: "a" })).rejects.toThrow();

  expect([git(victim, "for-each-ref"), git(victim, "worktree", "list")]).toEqual(before);
  expect(verifiedWorktree(root)).toBeUndefined();
  expect(existsSync(join(root, ".claude"))).toBe(false);
});

test("metadata that names a folder elsewhere never leads to its removal", async () => {
  const root = project();
  const { path, branch } = await create(root, { name: "a" });
  const other = join(place, `other-${++count}`);
  write(join(other, "precious"));
  write(join(other, ".git"), `gitdir: ${join(root, ".git/worktrees/a")}\n`);
  writeFileSync(join(root, ".git/worktrees/a/gitdir"), `${join(other, ".git")}\n`);
  expect(registeredWorktrees({ common: join(root, ".git") }).map((each) => each.path)).toEqual([other]);
  await expect(remove(root, path, branch)).rejects.toThrow("is not a worktree of");
  expect(await sweep(root)).toEqual({ removed: [], left: [] });
  expect([existsSync(join(other, "precious")), existsSync(join(path, "a.txt"))]).toEqual([true, true]);
});

test("a link in the place of a worktree does not lead to the removal of another", async () => {
  const root = project();
  const [mine, other] = [await create(root, { name: "mine" }), await create(root, { name: "other" })];
  renameSync(mine.path, join(place, "moved"));
  symlinkSync(other.path, mine.path);
  for (const force of [false, true]) {
    await expect(remove(root, mine.path, mine.branch, { force })).rejects.toThrow("is reached through a link");
  }
  expect(readdirSync(other.path)).toContain("a.txt");
});

test("a worktree that another process uses is not removed, even by force", async () => {
  const root = project();
  const { path, branch } = await create(root, { name: "used" });
  const { gitFolder } = verifiedWorktree(path)!;
  const parent = { pid: process.ppid, start: startOf(process.ppid)! };
  writeFileSync(join(gitFolder, "locked"), lockReason(parent, "using"));
  await expect(remove(root, path, branch, { force: true })).rejects.toThrow("is in use");
  expect([existsSync(path), branches(root)]).toEqual([true, ["main", branch]]);
});
