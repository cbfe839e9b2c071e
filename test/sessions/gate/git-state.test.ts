// Repositories inside the project, or brought along with it, that make git run a program. The calls come one by one,
// through the real program; a marker tells whether anything ran.

import { expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";

/** Each command in a turn of its own. */
async function visit(home: TemporaryHome, commands: readonly string[], flags: readonly string[] = [], env = {}) {
  const turns = commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([...turns, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env });
  const denied = new Set(resultOf(ended).permission_denials.map(({ tool_use_id }: any) => tool_use_id));
  const answers = model.requests.slice(1).map((request) => told(request)[0]);
  return {
    verdicts: answers.map(({ tool_use_id, is_error }) =>
      denied.has(tool_use_id) ? "denied" : is_error ? "failed" : "ran",
    ),
    answers: answers.map(({ content }) => String(content)),
  };
}

function git(home: TemporaryHome, cwd: string, ...args: string[]): void {
  const ended = Bun.spawnSync(["git", ...args], { cwd: join(home.project, cwd), env: home.env });
  if (!ended.success) throw new Error(`git ${args.join(" ")}: ${ended.stderr.toString()}`);
}

/** A home with a committed project and a program that leaves a mark. */
function prepare() {
  const home = temporaryHome({ git: true });
  const ran = join(home.root, "ran");
  const program = home.write("~/evil.sh", `#!/bin/sh\necho ran >>"${ran}"\n`);
  chmodSync(program, 0o755);
  home.write("a.txt", "a");
  home.write("src/b.txt", "b");
  git(home, "", "add", ".");
  git(home, "", "commit", "-qm", "first");
  /** A repository at this place whose settings run the program. */
  const plant = (place: string, config = `[core]\n\tfsmonitor = ${program}\n`) => {
    mkdirSync(join(home.project, place), { recursive: true });
    git(home, place, "init", "-q", "--template=");
    git(home, place, "commit", "-qm", "x", "--allow-empty");
    writeFileSync(join(home.project, place, "tracked.txt"), "x");
    git(home, place, "add", "tracked.txt");
    writeFileSync(
      join(home.project, place, ".git/config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${config}`,
    );
  };
  const didRun = () => existsSync(ran);
  return { home, program, plant, didRun, [Symbol.dispose]: () => home.remove() };
}

test("the trap works: git itself, in such a repository, runs the program", () => {
  using it = prepare();
  it.plant("nested");
  git(it.home, "nested", "status");
  expect(it.didRun()).toBe(true);
});

test("cd in one call and git in the next: what the nested repository sets does not run", async () => {
  using it = prepare();
  it.plant("nested");
  const { verdicts, answers } = await visit(it.home, [
    "cd nested",
    "git status",
    "git log",
    `cd ${it.home.project}`,
    "git status --short",
  ]);
  expect(verdicts).toEqual(["ran", "denied", "denied", "ran", "ran"]);
  expect(answers[1]).toContain(`in '${it.home.project}/nested', git may run a program set by core.fsmonitor`);
  expect(it.didRun()).toBe(false);
});

test("other ways there: bare layouts, a .git that is a file, diff drivers, filters, hooks, includes, rules that allow git", async () => {
  using it = prepare();
  const { home, program } = it;
  it.plant("source");
  const at = (name: string) => join(home.project, name);
  // The contents of .git under another name, as a repository can be committed.
  cpSync(at("source/.git"), at("bare"), { recursive: true });
  writeFileSync(at("bare/config"), `[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${program}\n`);
  mkdirSync(at("pointing"));
  writeFileSync(at("pointing/.git"), "gitdir: ../bare\n");
  it.plant("driver", `[diff "x"]\n\ttextconv = ${program}\n`);
  writeFileSync(at("driver/.gitattributes"), "* diff=x\n");
  it.plant("filter", `[filter "x"]\n\tclean = ${program}\n`);
  writeFileSync(at("filter/.gitattributes"), "* filter=x\n");
  it.plant("included", "[include]\n\tpath = ../evil.config\n");
  writeFileSync(at("included/evil.config"), `[core]\n\tfsmonitor = ${program}\n`);
  it.plant("hooked", "");
  mkdirSync(at("hooked/.git/hooks"));
  cpSync(program, at("hooked/.git/hooks/post-index-change"));
  rmSync(at("source"), { recursive: true });
  for (const name of ["bare", "pointing", "driver", "filter", "included", "hooked"]) {
    for (const flags of [[], ["--allowedTools", "Bash(git:*)"]]) {
      const { verdicts } = await visit(home, [`cd ${name}`, "git status", "git diff", "git log -p"], flags);
      expect([name, flags, ...verdicts]).toEqual([name, flags, "ran", "denied", "denied", "denied"]);
    }
  }
  const elsewhere = ["git -C driver log -p", "git --git-dir=bare status", "cd pointing && git status"];
  expect((await visit(home, elsewhere, ["--allowedTools", "Bash(git:*)"])).verdicts).toEqual([
    "denied",
    "denied",
    "denied",
  ]);
  expect(it.didRun()).toBe(false);
});

test("a nested repository that git enters by itself, from the top", async () => {
  using it = prepare();
  it.plant("nested");
  const before = await visit(it.home, ["git status --short"]);
  expect(before.verdicts).toEqual(["ran"]);
  git(it.home, "", "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},nested`);
  const { verdicts, answers } = await visit(it.home, ["git status", "git diff", "cd src", "git status"]);
  expect(verdicts).toEqual(["denied", "denied", "ran", "denied"]);
  expect(answers[0]).toContain(`in '${it.home.project}/nested'`);
  expect(it.didRun()).toBe(false);
});

test("the project's own settings run programs only where someone trusts the folder", async () => {
  using it = prepare();
  const { home, program } = it;
  git(home, "", "config", "core.fsmonitor", program);
  const { verdicts, answers } = await visit(home, ["git status", "ls"]);
  expect(verdicts).toEqual(["denied", "ran"]);
  expect(answers[0]).toContain("this folder is not trusted");
  expect(it.didRun()).toBe(false);

  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  expect((await visit(home, ["git status"])).verdicts).toEqual(["ran"]);
  expect(it.didRun()).toBe(true);
});

test("the usual stays unasked: folders, clones, work trees, submodules, what husky and git-lfs set up", async () => {
  using it = prepare();
  const { home } = it;
  const { project } = home;
  git(home, "", "clone", "-q", ".", "vendor/clone");
  git(
    home,
    "",
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    join(project, "vendor/clone"),
    "lib",
  );
  git(home, "", "worktree", "add", "-q", "trees/one");
  git(home, "", "config", "core.hooksPath", ".husky/_");
  git(home, "", "config", "filter.lfs.clean", "git-lfs clean -- %f");
  git(home, "", "config", "alias.st", "status");
  const commands = ["", "src", "vendor/clone", "lib", "trees/one"].flatMap((folder) => [
    `cd ${join(project, folder)}`,
    "git status --short",
    "git log --oneline -3",
    "git diff --stat",
    `cd ${join(project, folder)} && git status`,
  ]);
  const { verdicts } = await visit(home, commands);
  expect(commands.filter((_, at) => verdicts[at] !== "ran")).toEqual([]);
});

test("`cd sub` means ./sub, whatever CDPATH says", async () => {
  using it = prepare();
  const { home } = it;
  it.plant("elsewhere/sub");
  mkdirSync(join(home.project, "sub"));
  const env = { CDPATH: join(home.project, "elsewhere") };
  const { verdicts, answers } = await visit(home, ["cd sub && pwd", "git status --short"], [], env);
  expect(verdicts).toEqual(["ran", "ran"]);
  expect(answers[0]).toBe(join(home.project, "sub"));
  expect(it.didRun()).toBe(false);
});
