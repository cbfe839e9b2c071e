// Real and forged repositories, and what each would make git do. Git never runs in the forged ones.

import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGitLookup, type GitLookupOptions } from "./repositories.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-repositories-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;

const ENV = {
  PATH: process.env["PATH"]!,
  HOME: place,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

function git(cwd: string, ...args: string[]): void {
  mkdirSync(cwd, { recursive: true });
  const ended = Bun.spawnSync(["git", "-c", "protocol.file.allow=always", ...args], { cwd, env: ENV });
  if (!ended.success) throw new Error(`git ${args.join(" ")}: ${ended.stderr.toString()}`);
}

function put(path: string, content = "", mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** A project with one commit, and a lookup for folders in it. */
function project(options: Partial<GitLookupOptions> & { init?: readonly string[] } = {}) {
  const root = join(place, `project-${++count}`);
  git(root, "init", "-q", "-b", "main", ...(options.init ?? []));
  put(join(root, "a.txt"), "a");
  put(join(root, "src/deep/b.txt"), "b");
  git(root, "add", ".");
  git(root, "commit", "-qm", "first");
  const lookup = createGitLookup({
    root,
    home: place,
    isTrusted: () => true,
    directories: () => [root],
    env: () => ({}),
    ...options,
  });
  return {
    root,
    at: (folder = "") => lookup(join(root, folder)),
    set: (text: string, file = ".git/config") => put(join(root, file), text),
  };
}

const both = (folder: string, reason: string) => [{ folder, looking: reason, acting: reason }];
const FSMONITOR = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = touch /ran\n";
const RUNS = "git may run a program set by core.fsmonitor";

/** A repository as it could come from an archive. */
function forge(folder: string, config = FSMONITOR): void {
  put(join(folder, "HEAD"), "ref: refs/heads/main\n");
  put(join(folder, "config"), config);
  mkdirSync(join(folder, "objects"), { recursive: true });
  mkdirSync(join(folder, "refs"), { recursive: true });
}

test("an ordinary project with its folders, work trees, submodules and clones is harmless, trusted or not", () => {
  for (const trusted of [true, false]) {
    const { root, at } = project({ isTrusted: () => trusted });
    const other = join(place, `other-${count}`);
    git(other, "init", "-q");
    git(other, "commit", "-qm", "x", "--allow-empty");
    git(root, "submodule", "add", "-q", other, "lib");
    git(root, "worktree", "add", "-q", "trees/one");
    git(root, "clone", "-q", other, "vendor/clone");
    git(root, "init", "-q", "--bare", "bare.git");
    git(root, "config", "user.email", "x@y");
    git(root, "config", "alias.co", "checkout");
    const folders = [
      "",
      "src/deep",
      "missing/folder",
      "lib",
      "trees/one",
      "vendor/clone",
      "bare.git",
      ".git",
      ".git/hooks",
    ];
    expect(folders.map((folder) => [folder, at(folder)])).toEqual(folders.map((folder) => [folder, []]));
  }
});

test("a repository that came with the project is checked by its settings, however it is found", () => {
  const { root, at } = project();
  forge(join(root, "nested/.git"));
  forge(join(root, "bare"));
  forge(join(root, "store/kept"));
  put(join(root, "pointing/.git"), "gitdir: ../store/kept\n");
  put(join(root, "lost/.git"), "gitdir: ../nowhere\n");
  put(join(root, "odd/.git"), "what?\n");
  symlinkSync(join(root, "nested"), join(root, "link"));
  mkdirSync(join(root, "linked"));
  symlinkSync(join(root, "nested/.git"), join(root, "linked/.git"));
  expect(at("nested")).toEqual(both(join(root, "nested"), RUNS));
  expect(at("nested/src/deep")).toEqual(both(join(root, "nested"), RUNS));
  expect(at("nested/.git")).toEqual(both(join(root, "nested/.git"), RUNS));
  expect(at("bare/refs")).toEqual(both(join(root, "bare"), RUNS));
  expect(at("pointing")).toEqual(both(join(root, "pointing"), RUNS));
  expect(at("pointing/.git")).toEqual(both(join(root, "pointing"), RUNS));
  expect(at("odd")).toEqual(both(join(root, "odd"), "the file .git cannot be read"));
  expect(at("lost")).toEqual([]);
  expect(at("link")).toEqual(both(join(root, "nested"), RUNS));
  expect(at("linked")).toEqual(both(join(root, "linked"), RUNS));
  expect(at("")).toEqual([]);
});

test("GIT_DIR is resolved from the folder where a command runs", () => {
  const { root, at } = project({ env: () => ({ GIT_DIR: "meta" }) });
  forge(join(root, "nested/meta"));
  expect(at("nested")).toEqual(both(join(root, "nested/meta"), RUNS));
});

test("checks settings of the work tree, a shared folder elsewhere, includes and unreadable files", () => {
  const { root, at } = project();
  const plain = "[core]\n\tbare = false\n";
  const make = (name: string) => {
    forge(join(root, name, ".git"), plain);
    return join(root, name, ".git");
  };
  put(join(make("tree"), "config.worktree"), FSMONITOR);
  forge(join(root, "elsewhere"));
  put(join(make("shares"), "commondir"), "../../elsewhere\n");
  put(join(make("includes"), "config"), "[include]\n\tpath = ../evil\n");
  put(join(make("broken"), "config"), "[core\n");
  put(join(make("huge"), "config"), `#${"x".repeat(1024 * 1024)}\n`);
  rmSync(join(make("fifo"), "config"));
  expect(Bun.spawnSync(["mkfifo", join(root, "fifo/.git/config")]).success).toBe(true);
  put(join(make("moved"), "config"), "[core]\n\tworktree = /\n");
  put(join(make("partial"), "config"), '[remote "o"]\n\tpromisor = true\n[core]\n\tsshCommand = x\n');
  expect(at("tree")).toEqual(both(join(root, "tree"), RUNS));
  expect(at("shares")).toEqual(both(join(root, "shares"), RUNS));
  expect(at("includes")).toEqual(both(join(root, "includes"), "git may run a program set by include.path"));
  for (const name of ["broken", "huge", "fifo"]) {
    expect(at(name)).toEqual(both(join(root, name), "the git configuration cannot be read"));
  }
  expect(at("moved")).toEqual(both(join(root, "moved"), "git works on files elsewhere, set by core.worktree"));
  expect(at("partial")).toEqual(both(join(root, "partial"), "git may run a program set by core.sshcommand"));
});

test("a work tree that shares the settings of the project but not its folder is not its own", () => {
  const { root, at } = project();
  git(root, "config", "extensions.worktreeConfig", "true");
  forge(join(root, "nested/.git"), "");
  put(join(root, "nested/.git/commondir"), "../../.git\n");
  put(join(root, "nested/.git/config.worktree"), FSMONITOR);
  expect(at("nested")).toEqual(both(join(root, "nested"), RUNS));
});

test("a repository is the project's own only by its folder, whatever that folder claims to share", () => {
  const { root, at, set } = project();
  set("/\n", ".git/commondir");
  forge(join(root, "nested/.git"));
  expect(at("nested")).toEqual(both(join(root, "nested"), RUNS));
  // A project that is a bare repository does not own the repositories in it.
  const bare = join(place, `bare-${count}`);
  git(place, "init", "-q", "--bare", bare);
  forge(join(bare, "nested/.git"));
  const lookup = createGitLookup({
    root: bare,
    home: place,
    isTrusted: () => true,
    directories: () => [bare],
    env: () => ({}),
  });
  expect(lookup(join(bare, "nested"))).toEqual(both(join(bare, "nested"), RUNS));
  expect(lookup(bare)).toEqual([]);
});

test("hooks matter for commands that write, and the hook that `git status` runs matters for all", () => {
  const { root, at } = project();
  const nested = join(root, "nested");
  forge(join(nested, ".git"), "");
  put(join(nested, ".git/hooks/pre-commit.sample"), "", 0o755);
  put(join(nested, ".git/hooks/pre-push"), "", 0o644);
  expect(at("nested")).toEqual([]);
  chmodSync(join(nested, ".git/hooks/pre-push"), 0o755);
  expect(at("nested")).toEqual([{ folder: nested, acting: "git runs the hook pre-push" }]);
  put(join(nested, ".git/hooks/post-index-change"), "", 0o755);
  expect(at("nested")).toEqual(both(nested, "git runs the hook post-index-change"));
  rmSync(join(nested, ".git/hooks"), { recursive: true });
  put(join(nested, "tools/post-index-change"), "", 0o755);
  put(join(nested, ".git/config"), "[core]\n\thooksPath = tools\n");
  expect(at("nested")).toEqual(both(nested, "git runs the hook post-index-change"));
});

test("the project's own settings are accepted only in a trusted folder", () => {
  let trusted = false;
  const { root, at, set } = project({ isTrusted: () => trusted });
  set(FSMONITOR);
  const untrusted = `${RUNS}, and this folder is not trusted`;
  expect(at("src")).toEqual([{ folder: root, looking: untrusted }]);
  trusted = true;
  expect(at("src")).toEqual([]);

  // As husky and git-lfs leave it: nothing here runs for a read-only command.
  trusted = false;
  set(
    '[core]\n\thooksPath = .husky/_\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n[core]\n\tsshCommand = ssh -i k\n',
  );
  put(join(root, ".husky/_/pre-commit"), "", 0o755);
  expect(at()).toEqual([]);
  put(join(root, ".husky/_/post-index-change"), "", 0o755);
  expect(at()).toEqual([
    { folder: root, looking: "git runs the hook post-index-change, and this folder is not trusted" },
  ]);
});

test.each([
  ["version 2", []],
  ["version 4", ["-c", "index.version=4"]],
  ["split", ["-c", "core.splitIndex=true", "-c", "splitIndex.maxPercentChange=0"]],
])("finds submodules in an index of %s, at any depth, and when they appear", (_, flags) => {
  const { root, at } = project();
  const nested = join(root, "lib/with space");
  git(nested, "init", "-q");
  git(nested, "commit", "-qm", "x", "--allow-empty");
  const inner = join(nested, "inner");
  git(inner, "init", "-q");
  git(inner, "commit", "-qm", "x", "--allow-empty");
  put(join(inner, ".git/config"), FSMONITOR);
  expect(at()).toEqual([]);
  git(root, ...flags, "add", "lib/with space");
  expect(at()).toEqual([]);
  git(nested, "-c", "core.fsmonitor=false", "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},inner`);
  expect(at("src")).toEqual(both(inner, RUNS));
  renameSync(join(inner, ".git"), join(inner, "kept"));
  expect(at("src")).toEqual([]);
});

test("an index with long hashes is read; a file that is not an index is not trusted", () => {
  const { root, at } = project({ init: ["--object-format=sha256"] });
  const nested = join(root, "nested");
  git(root, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(64)},nested`);
  forge(join(nested, ".git"));
  expect(at()).toEqual(both(nested, RUNS));
  writeFileSync(join(root, ".git/index"), Buffer.from("44495243000000020000000900000000e00000", "hex"));
  expect(at()).toEqual(both(root, "the git index cannot be read"));
});
