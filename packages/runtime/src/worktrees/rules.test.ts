import { expect, test } from "bun:test";
import type { Rule } from "@keelson/engine";
import { copiedRules, rulesInWorktree } from "./rules.ts";

const move = { from: ["/h/repo"], to: "/h/repo/.claude/worktrees/x", home: "/h" };
const rule = (behavior: Rule["behavior"], content?: string, base = "/h/repo"): Rule => ({
  behavior,
  tool: "Edit",
  ...(content === undefined ? {} : { content }),
  source: "userSettings",
  base,
  text: "Edit",
});
const shown = (rules: readonly Rule[]) => rules.map(({ content, base }) => `${base} ${content}`);

test.each([
  ["/src/**", ["/h/repo/.claude/worktrees/x /src/**"]],
  ["//h/repo/src/**", ["/h/repo //h/repo/.claude/worktrees/x/src/**"]],
  ["~/repo/src/**", ["/h/repo //h/repo/.claude/worktrees/x/src/**"]],
  ["//h/repository/**", ["/h/repo //h/repository/**"]],
  ["~/other/**", ["/h/repo ~/other/**"]],
  ["src/**", ["/h/repo src/**"]],
  ["npm test", ["/h/repo npm test"]],
])("rulesInWorktree() moves the allow rule %p", (content, expected) => {
  expect(shown(rulesInWorktree(move, [rule("allow", content)]))).toEqual(expected);
});

test("rulesInWorktree() keeps deny and ask rules where they were, too", () => {
  const rules = [rule("deny", "/.env"), rule("ask", "//h/repo/x"), rule("deny"), rule("deny", "/x", "/elsewhere")];
  expect(shown(rulesInWorktree(move, rules))).toEqual([
    "/h/repo /.env",
    "/h/repo/.claude/worktrees/x /.env",
    "/h/repo //h/repo/x",
    "/h/repo //h/repo/.claude/worktrees/x/x",
    "/h/repo undefined",
    "/elsewhere /x",
  ]);
});

test("copiedRules() are about the worktree alone, and moving them again changes nothing", () => {
  const rules = [rule("deny", "/.env"), rule("ask", "~/repo/x"), rule("allow", "/src"), rule("deny", "//elsewhere")];
  const copied = copiedRules(move, rules);
  expect(shown(copied)).toEqual(["/h/repo/.claude/worktrees/x /.env", "/h/repo //h/repo/.claude/worktrees/x/x"]);
  expect(rulesInWorktree(move, copied)).toEqual(copied);
});

test("a copy of several checkouts has the rules of each; one inside another counts in both readings, but allows in one", () => {
  const from = ["/h/repo", "/h/other", "/h/repo/wt"];
  const both = { from, to: "/h/repo/.claude/worktrees/x", home: "/h" };
  expect(shown(rulesInWorktree(both, [rule("deny", "/.env", "/h/other"), rule("allow", "/src", "/h/other")]))).toEqual([
    "/h/other /.env",
    "/h/repo/.claude/worktrees/x /.env",
    "/h/repo/.claude/worktrees/x /src",
  ]);
  expect(shown(rulesInWorktree(both, [rule("deny", "//h/repo/wt/.env"), rule("allow", "//h/repo/wt/src")]))).toEqual([
    "/h/repo //h/repo/wt/.env",
    "/h/repo //h/repo/.claude/worktrees/x/.env",
    "/h/repo //h/repo/.claude/worktrees/x/wt/.env",
    "/h/repo //h/repo/.claude/worktrees/x/src",
  ]);
});
