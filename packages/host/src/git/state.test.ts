// The state of real repositories, and of some whose settings would start programs.

import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWorkTreeChanges } from "./changes.ts";
import { readGitState } from "./state.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-git-state-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const PATH = process.env["PATH"]!;
const ENV = {
  PATH,
  HOME: place,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};
let count = 0;

function git(cwd: string, ...args: string[]): void {
  const ended = Bun.spawnSync(["git", ...args], { cwd, env: ENV });
  if (!ended.success) throw new Error(`git ${args.join(" ")}: ${ended.stderr.toString()}`);
}

function project(): string {
  const root = join(place, `project-${++count}`);
  mkdirSync(join(root, "src"), { recursive: true });
  git(root, "init", "-q", "-b", "main");
  writeFileSync(join(root, "a.txt"), "a");
  git(root, "add", ".");
  git(root, "commit", "-qm", "Add a");
  return root;
}

const stateOf = (cwd: string, env: Record<string, string> = { PATH }, signal = new AbortController().signal) =>
  readGitState({ cwd, home: place, directories: [], env, signal });

test("branch, main branch, changed files and commits, from any subfolder", async () => {
  const root = project();
  git(root, "switch", "-qc", "fix/b");
  writeFileSync(join(root, "b.txt"), "b");
  git(root, "add", ".");
  git(root, "commit", "-qm", "Add b");
  git(root, "pack-refs", "--all");
  writeFileSync(join(root, "a.txt"), "changed");
  writeFileSync(join(root, "new.txt"), "new");
  expect(await stateOf(join(root, "src"))).toEqual({
    branch: "fix/b",
    mainBranch: "main",
    status: [" M a.txt", "?? new.txt"],
    commits: [expect.stringMatching(/^[0-9a-f]{7,} Add b$/), expect.stringMatching(/^[0-9a-f]{7,} Add a$/)],
  });
});

test("the remote says which branch is the main one; a repository without commits has a state, too", async () => {
  const root = project();
  mkdirSync(join(root, ".git/refs/remotes/origin"), { recursive: true });
  writeFileSync(join(root, ".git/refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/trunk\n");
  expect((await stateOf(root))!.mainBranch).toBe("trunk");

  const empty = join(place, "empty");
  mkdirSync(empty);
  git(empty, "init", "-q", "-b", "main");
  expect(await stateOf(empty)).toEqual({ branch: "main", status: [], commits: [] });
});

test("a repository that would start a program is not looked at, and nothing starts", async () => {
  const ran = join(place, "ran");
  const script = join(place, "script");
  writeFileSync(script, `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(script, 0o755);
  for (const settings of [
    `[core]\n\tfsmonitor = ${script}\n`,
    `[filter "x"]\n\tclean = ${script}\n\trequired = true\n`,
    `[include]\n\tpath = ../elsewhere\n`,
  ]) {
    const root = project();
    writeFileSync(join(root, ".git/config"), `[core]\n\tbare = false\n${settings}`);
    writeFileSync(join(root, ".gitattributes"), "* filter=x\n");
    writeFileSync(join(root, "a.txt"), "b");
    expect(await stateOf(root)).toBeUndefined();
  }
  const hooked = project();
  for (const hook of ["post-index-change", "post-checkout", "reference-transaction"]) {
    writeFileSync(join(hooked, ".git/hooks", hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  }
  await stateOf(hooked);
  expect(existsSync(ran)).toBe(false);
});

test("a program named git in the project is not run, and variables do not point elsewhere", async () => {
  const root = project();
  const bin = join(root, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "git"), `#!/bin/sh\ntouch ${join(place, "own-ran")}\n`, { mode: 0o755 });
  const state = await stateOf(root, { PATH: `${bin}:.:${PATH}` });
  expect([state!.branch, existsSync(join(place, "own-ran"))]).toEqual(["main", false]);
  expect(await stateOf(root, { PATH, GIT_DIR: "/elsewhere" })).toBeUndefined();
  expect(await stateOf(root, { PATH: bin })).toBeUndefined();
});

test("outside a repository, in a bare one and after an abort there is no state", async () => {
  expect(await stateOf(place)).toBeUndefined();
  const bare = join(place, "bare");
  mkdirSync(bare);
  git(bare, "init", "-q", "--bare");
  expect(await stateOf(bare)).toBeUndefined();
  expect(await stateOf(project(), { PATH }, AbortSignal.abort())).toBeUndefined();
});

test("a long status is cut", async () => {
  const root = project();
  for (let at = 0; at < 1_500; at++) writeFileSync(join(root, `${"n".repeat(60)}-${at}`), "");
  const { status } = (await stateOf(root))!;
  expect(status.length).toBeGreaterThan(500);
  expect(status.length).toBeLessThan(1_500);
  expect(new Set(status.map((line) => line.length <= 68))).toEqual(new Set([true]));
});

test("readWorkTreeChanges() shows what changed since the last commit, and nothing if the repository could start a program", async () => {
  const root = project();
  const diffOf = async (cwd: string) => {
    const found = await readWorkTreeChanges({
      since: "commit",
      cwd,
      home: place,
      directories: [],
      env: { PATH },
      signal: new AbortController().signal,
      mayRead: (path) => !path.endsWith("secret.txt"),
    });
    return found?.diff;
  };
  expect(await diffOf(root)).toBe("");
  writeFileSync(join(root, "a.txt"), "b");
  expect(await diffOf(join(root, "src"))).toContain("+b");
  git(root, "checkout", "a.txt");
  writeFileSync(join(root, "secret.txt"), "hidden");
  writeFileSync(join(root, "new file.txt"), "one\ntwo");
  writeFileSync(join(root, "picture.bin"), "\0");
  symlinkSync(join(root, "secret.txt"), join(root, "link"));
  expect(await diffOf(root)).toBe(
    [
      "diff --git a/link b/link\nnew file mode 100644\nBinary files /dev/null and b/link differ\n",
      "diff --git a/new file.txt b/new file.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new file.txt\n",
      "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n",
      "diff --git a/picture.bin b/picture.bin\nnew file mode 100644\nBinary files /dev/null and b/picture.bin differ\n",
    ].join(""),
  );
  git(root, "config", "diff.external", "/bin/true");
  expect(await diffOf(root)).toBeUndefined();
  expect(await diffOf(place)).toBeUndefined();
});
