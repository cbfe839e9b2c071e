// Worktrees of subagents, made by git or by hooks, in every ending.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "@keelson/config";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";
import { isolateAgent } from "./isolate.ts";
import { openProvider } from "./provider.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-isolate-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const PATH = process.env["PATH"]!;
const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
  [`GIT_${who}_NAME`, "a"],
  [`GIT_${who}_EMAIL`, "a@b"],
]);
const userEnv = { PATH, HOME: place, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(identity) };
let count = 0;

function git(cwd: string, ...words: string[]): string {
  const ended = Bun.spawnSync(["git", ...words], { cwd, env: userEnv });
  if (!ended.success) throw new Error(`git ${words.join(" ")}: ${ended.stderr.toString()}`);
  return ended.stdout.toString();
}

function world(hooks: Partial<Record<HookEvent, (input: JsonObject) => Partial<HookOutcome>>> = {}) {
  const root = join(place, `project-${++count}`);
  mkdirSync(root);
  git(root, "init", "-q", "-b", "main");
  writeFileSync(join(root, "a.txt"), "a\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "Begin");
  const snapshot = load({ cwd: root, home: place, env: { PATH }, flags: {}, platform: "linux" });
  const fired: [HookEvent, JsonObject][] = [];
  const provider = openProvider({
    snapshot: () => snapshot,
    root,
    async fire(event, input) {
      fired.push([event, input]);
      return { reasons: [], context: [], ...hooks[event]?.(input) } as HookOutcome;
    },
    hasHooksFor: (event) => event in hooks,
    random: Math.random,
    now: () => Date.now(),
  });
  const isolate = (agentId = "a0123456789abcdef") =>
    isolateAgent(provider, { agentId, parent: root, signal: new AbortController().signal });
  return { root, isolate, fired, branches: () => git(root, "branch", "--format=%(refname:short)").trim().split("\n") };
}

test("an agent gets its own checkout and a notice about paths", async () => {
  const { root, isolate } = world();
  const { cwd, copyOf, branch, notice, finish } = await isolate();
  expect(cwd).toBe(join(root, ".claude/worktrees/agent-a0123456789abcdef"));
  expect(copyOf).toEqual([root]);
  expect(branch).toBe("worktree-agent-a0123456789abcdef");
  expect(notice).toContain(
    `Paths in the conversation so far refer to ${root}. Translate them: ${root}/x is ${cwd}/x here.`,
  );
  await finish();
});

test("finish() removes an unchanged worktree, once", async () => {
  const { isolate, branches } = world();
  const { cwd, branch, finish } = await isolate();
  expect(await Promise.all([finish(), finish()])).toEqual([
    { kept: false, path: cwd, branch: branch! },
    { kept: false, path: cwd, branch: branch! },
  ]);
  expect([existsSync(cwd), branches()]).toEqual([false, ["main"]]);
});

test.each([
  ["uncommitted files", (cwd: string) => writeFileSync(join(cwd, "n"), "n"), "1 uncommitted file"],
  [
    "commits",
    (cwd: string) => {
      writeFileSync(join(cwd, "n"), "n");
      git(cwd, "add", ".");
      git(cwd, "commit", "-qm", "Add n");
    },
    "1 commit on worktree-agent-a0123456789abcdef",
  ],
])("finish() keeps %s, unlocked, and a later agent of the same id continues there", async (_, work, why) => {
  const { root, isolate } = world();
  const { cwd, branch, finish } = await isolate();
  work(cwd);
  expect(await finish()).toEqual({ kept: true, path: cwd, branch: branch!, why });
  expect(existsSync(join(cwd, "n"))).toBe(true);
  expect(git(root, "worktree", "list", "--porcelain")).not.toContain("locked");
  const again = await isolate();
  expect(again.cwd).toBe(cwd);
  await again.finish();
});

test("two agents never share a worktree", async () => {
  const { isolate } = world();
  const { cwd, finish } = await isolate();
  await expect(isolate()).rejects.toThrow(`'${cwd}' is in use by another agent of this session`);
  await finish();
});

test("a deleted worktree is no problem at the end", async () => {
  const { isolate, root, branches } = world();
  const { cwd, finish } = await isolate();
  rmSync(cwd, { recursive: true });
  expect(await finish()).toMatchObject({ kept: false });
  const other = await isolate("a1111111111111111");
  expect(await other.finish()).toMatchObject({ kept: false });
  expect(branches()).not.toContain("worktree-agent-a1111111111111111");
  expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("a hook's worktree is given back to the Remove hook if nothing changed in it", async () => {
  const made = join(place, "made-by-hook");
  mkdirSync(made);
  const hooks = { WorktreeCreate: () => ({ fields: { worktreePath: made } }), WorktreeRemove: () => ({}) };
  const { isolate, fired } = world(hooks);
  const first = await isolate();
  expect([first.cwd, first.branch]).toEqual([made, undefined]);
  expect(await first.finish()).toEqual({ kept: false, path: made });
  const second = await isolate();
  writeFileSync(join(made, "work"), "");
  expect(await second.finish()).toEqual({ kept: true, path: made, why: "changed files" });
  expect(fired).toEqual([
    ["WorktreeCreate", { name: "agent-a0123456789abcdef" }],
    ["WorktreeRemove", { worktree_path: made }],
    ["WorktreeCreate", { name: "agent-a0123456789abcdef" }],
  ]);
});

test("a hook's worktree is kept if there is no Remove hook", async () => {
  const { isolate } = world({ WorktreeCreate: () => ({ fields: { worktreePath: place } }) });
  expect(await (await isolate()).finish()).toMatchObject({ kept: true, path: place });
});
