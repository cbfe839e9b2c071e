import { expect, test } from "bun:test";
import { branchName, folderName, generateName, worktreeNameProblem } from "./names.ts";

test.each(["a", "fix-1", "Fix_2.0", "feature/login", "a".repeat(64), "-x", "_", "agent-a0123456789abcdef"])(
  "worktreeNameProblem() accepts %p",
  (name) => expect(worktreeNameProblem(name)).toBeUndefined(),
);

test.each([
  "",
  ".",
  "..",
  ".git",
  "a..b",
  "a/../b",
  "/a",
  "a/",
  "a//b",
  "a b",
  "a\nb",
  "a\0b",
  "é",
  "a.lock",
  "a.",
  "x/.y",
  "a:b",
  "a\\b",
  "~",
  "a*",
  "a".repeat(65),
])("worktreeNameProblem() rejects %p", (name) => expect(worktreeNameProblem(name)).toBeString());

test("worktreeNameProblem() shows no control characters", () => {
  expect(worktreeNameProblem("\u001b[31m")).toContain('"?[31m" is not a valid worktree name');
});

test("a name of several parts gives one folder and one branch", () => {
  expect([folderName("feature/login"), branchName("feature/login")]).toEqual([
    "feature+login",
    "worktree-feature+login",
  ]);
});

test("generateName() gives two words, and a number if they are taken", () => {
  const none = generateName(
    () => 0,
    () => false,
  );
  expect(none).toBe("amber-anchor");
  expect(
    generateName(
      () => 0,
      (name) => ["amber-anchor", "amber-anchor-2"].includes(name),
    ),
  ).toBe("amber-anchor-3");
  expect(
    worktreeNameProblem(
      generateName(
        () => 0.9999,
        () => false,
      ),
    ),
  ).toBeUndefined();
});
