// What EnterWorktree and ExitWorktree declare and check. What they do is up to the session.

import { expect, test } from "bun:test";
import type { ToolContext } from "@keelson/engine";
import { enterWorktreeTool, exitWorktreeTool, type WorktreeKeeper } from "./worktree.ts";

const context = { workspace: { root: "/r/sub", cwd: "/r/sub" }, env: {} } as ToolContext;
const keeper = (current?: { path: string }): WorktreeKeeper => ({
  current: () => current,
  enter: async ({ name, path }) => ({ worktreePath: path ?? `/r/${name}`, message: "in" }),
  exit: async ({ action }) => ({ action, originalCwd: "/r", worktreePath: "/r/x", message: "out" }),
});

test.each([
  [{}, { kind: "none" }],
  [{ name: "x" }, { kind: "none" }],
  [{ path: "/r/.claude/worktrees/x" }, { kind: "none" }],
  [{ path: "../.claude/worktrees/x" }, { kind: "none" }],
  [{ path: "/r/.claude/worktrees/../../../etc" }, { kind: "edit", path: "/etc" }],
  [{ path: "/r/.claude/worktrees/x/y" }, { kind: "edit", path: "/r/.claude/worktrees/x/y" }],
  [{ path: "/other/.claude/worktrees/x" }, { kind: "edit", path: "/other/.claude/worktrees/x" }],
  [{ path: "/r/su/.claude/worktrees/x" }, { kind: "edit", path: "/r/su/.claude/worktrees/x" }],
] as const)("EnterWorktree %j declares %j", async (input, access) => {
  expect(await enterWorktreeTool(keeper()).access(input, context)).toEqual({ ...access, makes: "worktree" });
});

test("EnterWorktree gives the session absolute paths", async () => {
  const tool = enterWorktreeTool(keeper());
  expect((await tool.run({ path: "x" }, context)).worktreePath).toBe("/r/sub/x");
});

test("a session enters one worktree at a time, and leaves only one that it is in", () => {
  const inside = keeper({ path: "/w" });
  expect(() => enterWorktreeTool(inside).check!({}, context)).toThrow("already in the worktree /w");
  expect(() => exitWorktreeTool(keeper()).check!({ action: "keep" }, context)).toThrow("not in a worktree");
  expect(() => exitWorktreeTool(inside).check!({ action: "keep" }, context)).not.toThrow();
});
