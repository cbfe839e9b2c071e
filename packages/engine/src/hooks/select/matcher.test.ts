import { expect, test } from "bun:test";
import fc from "fast-check";
import type { HookEvent } from "@keelson/protocol";
import { matcherProblem, readMatcher } from "./matcher.ts";

const matches = (event: HookEvent, matcher: string | undefined, subject: string | undefined) =>
  readMatcher(event, matcher)(subject);

test.each<[HookEvent, string | undefined, string | undefined, boolean]>([
  ["PreToolUse", undefined, "Bash", true],
  ["PreToolUse", "", "Bash", true],
  ["PreToolUse", "*", "Bash", true],
  ["PreToolUse", "Bash", "Bash", true],
  ["PreToolUse", "Bas", "Bash", false],
  ["PreToolUse", "bash", "Bash", false],
  ["PreToolUse", "Write|Bash", "Bash", true],
  ["PreToolUse", "Edit, Bash", "Bash", true],
  ["PreToolUse", "Edit , Bash |", "Bash", true],
  ["PreToolUse", "Edit,Write", "Bash", false],
  ["PreToolUse", ",", "Bash", false],
  ["PreToolUse", "^Bas", "Bash", true],
  ["PreToolUse", "as.", "Bash", true],
  ["PreToolUse", "^(Edit|Write)$", "NotebookEdit", false],
  ["PreToolUse", "mcp__srv", "mcp__srv__read", false],
  ["PreToolUse", "mcp__srv__.*", "mcp__srv__read", true],
  ["PreToolUse", "Bash(", "Bash", false],
  ["PreToolUse", "Task", "Agent", true],
  ["PreToolUse", "^Task$", "Agent", true],
  ["PreToolUse", "Agent", "Task", true],
  ["PreToolUse", "Bash", undefined, false],
  ["PreToolUse", "*", undefined, true],
  ["Stop", "nothing", undefined, true],
  ["UserPromptSubmit", "(", undefined, true],
  ["SessionStart", "startup|resume", "resume", true],
  ["SessionStart", "startup", "clear", false],
  ["SubagentStart", "Task", "Agent", false],
  ["FileChanged", ".env", ".env", true],
  ["FileChanged", ".env", "xenv", true],
  ["FileChanged", "Makefile|README", "README", true],
  ["FileChanged", "my-file", "my-file.txt", true],
  ["StopFailure", "rate_limit|overloaded", "overloaded", true],
  ["StopFailure", "rate limit", "a rate limit", true],
])("%s with matcher %j and subject %j: %p", (event, matcher, subject, expected) => {
  expect(matches(event, matcher, subject)).toBe(expected);
});

test("matcherProblem() says what is wrong, and nothing about ordinary matchers", () => {
  expect(matcherProblem("PreToolUse", "Bash(")).toBe(
    'The matcher "Bash(" is not a valid regular expression, so it matches nothing',
  );
  expect(matcherProblem("PreToolUse", "^(\\w)\\1$")).toBe(
    'The matcher "^(\\\\w)\\\\1$" cannot be matched in bounded time, so the hook runs for every name. Write it without back references, modifiers and large counts',
  );
  expect(matcherProblem("Stop", "(")).toBe(undefined);
  for (const fine of [
    "Bash",
    "Edit, Write",
    "^(Edit|Write)$",
    "mcp__.*",
    "mcp__.*__(get|list)_.*",
    "mcp__a__.*|mcp__b__.*|mcp__c__.*|mcp__d__.*|mcp__e__.*|mcp__f__.*",
    "^(?!Bash$).*",
    "(Edit|Write)+",
    "^(\\w+)+$",
    "(?<!mcp__)read",
    "Notebook(Edit)?",
    "[A-Z][a-z]{2,5}",
    "\\(x+\\)+",
    "[(]a+[)]+",
  ]) {
    expect([fine, matcherProblem("PreToolUse", fine)]).toEqual([fine, undefined]);
  }
});

test.each(["^(a+)+$", "^(a|a)*$", "(a*)*b", "(?:a|ab)*c", "((a?){30})b", "(.*a){20}b", ".*.*.*.*.*.*x"])(
  "%s is compared with names of any length",
  (pattern) => {
    expect(matches("PreToolUse", pattern, `${"a".repeat(5_000)}!`)).toBe(false);
  },
);

test("a hook runs if its pattern cannot be matched in bounded time", () => {
  expect(matches("PreToolUse", "^(?<n>a+)*\\k<n>!", "b")).toBe(true);
  expect(matches("PreToolUse", "^(x)\\1$", "Bash")).toBe(true);
});

test("any text used as a matcher gives an answer", () => {
  const sign = fc.constantFrom(..."ab(|)*+?{2,}[^]\\.$:=!<>-1k ");
  fc.assert(
    fc.property(
      fc.array(sign, { maxLength: 12 }),
      fc.constantFrom("ab", "aaaaaaaaaaaaaaaaaaaaaaaaab"),
      (signs, subject) => {
        expect(typeof matches("PreToolUse", signs.join(""), subject)).toBe("boolean");
        matcherProblem("PreToolUse", signs.join(""));
      },
    ),
    { numRuns: 500 },
  );
});
