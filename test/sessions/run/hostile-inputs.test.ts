// Whatever a model sends as the input of a call, the call is answered and the run ends with a result.

import { expect, test } from "bun:test";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told } from "../front-door.ts";

function nested(depth: number): unknown {
  let value: unknown = "x";
  for (let left = depth; left > 0; left--) value = [value];
  return value;
}

/** Every one of these breaks something that trusts its input. */
const INPUTS: readonly unknown[] = [
  null,
  {},
  [],
  "text",
  7,
  true,
  nested(20_000),
  { command: null },
  { command: 7, file_path: {}, pattern: [], todos: "x", questions: null, plan: 3, task_id: {} },
  { command: { toString: "x" }, file_path: nested(400), pattern: nested(20_000) },
  { __proto__: null, constructor: "x", toString: 1 },
  { command: "\0", file_path: "\0", pattern: "\0", path: "\0" },
  { command: "x".repeat(200_000), file_path: "y".repeat(200_000), pattern: "z".repeat(200_000) },
  { file_path: "\ud800", command: "\udc00", pattern: "(" },
];

test("every tool answers every input, and the run ends with a result", async () => {
  using home = temporaryHome();
  await using list = await startMockModel([{ text: "hi" }]);
  const [init] = messagesOf(await runKeelson(["-p", "go", ...STREAM], { home, url: list.url }), "system/init");
  const names: readonly string[] = init.tools;
  expect(names.length).toBeGreaterThan(8);

  for (const [at, input] of INPUTS.entries()) {
    const blocks = [...names, "NoSuchTool"].map((name, index) => ({
      type: "tool_use" as const,
      id: `toolu_${at}_${index}`,
      name,
      input: input as never,
    }));
    await using model = await startMockModel([{ blocks, stopReason: "tool_use" }, { text: "done" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
    expect([at, resultOf(ended).subtype, resultOf(ended).result]).toEqual([at, "success", "done"]);
    const answers = told(model.requests[1]!);
    expect(answers.map(({ tool_use_id }) => tool_use_id)).toEqual(blocks.map(({ id }) => id));
    expect(answers.filter(({ is_error }) => is_error).length).toBeGreaterThan(blocks.length / 2);
    expect(messageProblems(model.requests[1]!.body.messages)).toEqual([]);
    expect(chainProblems(readTranscript(home, resultOf(ended).session_id))).toEqual([]);
  }
});

test("JSON that never ends is answered for every tool", async () => {
  using home = temporaryHome();
  for (const brokenJson of ['{"command": "ls', "{", "nul", "]", '{"a":1}{"b":2}', "{".repeat(5_000)]) {
    const calls = ["Bash", "Write"].map((name) => ({ name, input: {} }));
    await using model = await startMockModel([{ calls, brokenJson }, { text: "done" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
    expect(resultOf(ended).result).toBe("done");
    expect(told(model.requests[1]!).map(({ is_error }) => is_error)).toEqual([true, true]);
    expect(told(model.requests[1]!)[1].content).toContain("is not valid JSON");
  }
});
