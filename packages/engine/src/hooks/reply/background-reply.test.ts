import { expect, test } from "bun:test";
import type { HookHandler } from "@keelson/protocol";
import { readBackgroundReply } from "./background-reply.ts";
import { aboutOf, exit, specific, timedOut } from "./reply.test-support.ts";

const late: HookHandler = { type: "command", command: "ci.sh", async: true };
const about = aboutOf("PostToolUse", late);

test("a background hook's message comes without its name, and its decisions are too late", () => {
  const json = specific(
    "PostToolUse",
    { additionalContext: "3 tests fail" },
    { systemMessage: "CI is red", decision: "block" },
  );
  expect(readBackgroundReply(exit(0, json), about)).toEqual({ text: "CI is red\n3 tests fail", wakes: false });
});

test("the announcement before the output is not part of it", () => {
  expect(readBackgroundReply(exit(0, '{"async":true}\n{"systemMessage":"done"}\n'), about)).toEqual({
    text: "done",
    wakes: false,
  });
  expect(readBackgroundReply(exit(0, '{"async":true}\nplain'), about)).toEqual({ wakes: false });
});

test("exit 2 wakes the model only with asyncRewake", () => {
  const waking = aboutOf("PostToolUse", { ...late, asyncRewake: true });
  expect(readBackgroundReply(exit(2, "", "3 tests fail"), waking)).toEqual({
    text: 'PostToolUse:Bash hook blocking error from command: "ci.sh": [ci.sh]: 3 tests fail',
    wakes: true,
  });
  expect(readBackgroundReply(exit(2, "", "3 tests fail"), about)).toEqual({
    wakes: false,
    problem: '"ci.sh" exited with code 2: 3 tests fail',
  });
  expect(readBackgroundReply(timedOut, waking)).toEqual({
    wakes: false,
    problem: '"ci.sh" failed: It did not end within 5 s',
  });
});
