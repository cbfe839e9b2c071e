import { expect, test } from "bun:test";
import { isSafeSubpath, keyOfFile } from "./key.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";

test.each([
  [`/home/u/.claude/projects/-p/${SESSION}.jsonl`, { projectKey: "-p", sessionId: SESSION }],
  [`/projects/x/.claude/projects/-projects-x/${SESSION}.jsonl`, { projectKey: "-projects-x", sessionId: SESSION }],
  [
    `/tmp/c/projects/-p/${SESSION}/subagents/agent-a1.jsonl`,
    { projectKey: "-p", sessionId: SESSION, subpath: "subagents/agent-a1" },
  ],
  [
    `C:\\Users\\u\\.claude\\projects\\C--p\\${SESSION}\\subagents\\workflows\\r\\agent-b.jsonl`,
    { projectKey: "C--p", sessionId: SESSION, subpath: "subagents/workflows/r/agent-b" },
  ],
  ["/home/u/notes.jsonl", undefined],
  [`/home/u/.claude/projects/-p/${SESSION}.json`, undefined],
])("keyOfFile(%p)", (path, key) => {
  expect(keyOfFile(path)).toEqual(key);
});

test.each([
  ["subagents/agent-1", true],
  ["subagents/workflows/run 1/agent-2", true],
  ["../x", false],
  ["a/../../x", false],
  ["/etc/passwd", false],
  ["a\\..\\x", false],
  ["C:x", false],
  ["", false],
  ["a//b", false],
])("isSafeSubpath(%p) is %p", (subpath, isSafe) => {
  expect(isSafeSubpath(subpath)).toBe(isSafe);
});
