import { expect, test } from "bun:test";
import type { HookRun, JsonObject, McpToolHook } from "@keelson/protocol";
import { runMcpToolHook, type CallMcpTool } from "./mcp-tool.ts";
import type { HandlerLimit } from "./timeout.ts";

const EVENT: JsonObject = {
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls $HOME ${x}", timeout: 5, list: ["a", { b: true }], nothing: null },
};

async function call(
  caller: CallMcpTool | undefined,
  handler: Partial<McpToolHook> = {},
  limit: Partial<HandlerLimit> = {},
): Promise<Omit<HookRun, "durationMs">> {
  const { durationMs, ...run } = await runMcpToolHook(
    { type: "mcp_tool", server: "guard", tool: "look", ...handler },
    EVENT,
    caller,
    { timeoutMs: 5_000, signal: new AbortController().signal, ...limit },
  );
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return run;
}

const failed = (problem: string) => ({ outcome: "error" as const, stdout: "", stderr: "", problem });

test("the tool gets the event's values, and its text is read like a command's output", async () => {
  const calls: unknown[] = [];
  const run = await call(
    async (...args) => {
      calls.push(args.slice(0, 3));
      return { text: '{"decision":"block"}', isError: false };
    },
    {
      input: {
        command: "${tool_input.command}",
        sentence: "${tool_name} for ${ tool_input.timeout } ms: ${tool_input.list.1.b}",
        deep: { list: ["${tool_input.list}", 7, null, true] },
        absent: "<${tool_input.absent}${tool_input.nothing}${tool_name.length}${constructor}${}>",
        "${tool_name}": "keys stay",
      },
    },
  );
  expect(run).toEqual({ outcome: "success", exitCode: 0, stdout: '{"decision":"block"}', stderr: "" });
  expect(calls).toEqual([
    [
      "guard",
      "look",
      {
        command: "ls $HOME ${x}",
        sentence: "Bash for 5 ms: true",
        deep: { list: ['["a",{"b":true}]', 7, null, true] },
        absent: "<${}>",
        "${tool_name}": "keys stay",
      },
    ],
  ]);
});

test("a hook without input calls its tool with an empty object", async () => {
  let given: unknown;
  await call(async (_, __, input) => {
    given = input;
    return { text: "", isError: false };
  });
  expect(given).toEqual({});
});

test("a server that is not connected is reported, not started", async () => {
  const problem = 'the MCP server "guard" is not connected, or has no tool "look"';
  expect([await call(undefined), await call(() => undefined)]).toEqual([failed(problem), failed(problem)]);
});

test("a tool error and a failed call block nothing; an answer that is too long is one that could not be read", async () => {
  const runs = [
    await call(async () => ({ text: "no such table", isError: true })),
    await call(() => Promise.reject(new Error("pipe closed"))),
    await call(() => {
      throw new Error("not here");
    }),
    await call(async () => ({ text: "x".repeat(1024 * 1024 + 1), isError: false })),
  ];
  expect(runs).toEqual([
    failed('the tool "look" of "guard" failed: no such table'),
    failed('the tool "look" of "guard" could not be called: pipe closed'),
    failed('the tool "look" of "guard" could not be called: not here'),
    { ...failed('the tool "look" of "guard" answered with more than 1 MiB'), prevented: "unread" },
  ]);
});

test("a tool that does not answer in time is cancelled", async () => {
  const signals: AbortSignal[] = [];
  const silent: CallMcpTool = (_, __, ___, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const stopping = new AbortController();
  const late = await call(silent, {}, { timeoutMs: 5 });
  const stopped = call(silent, {}, { signal: stopping.signal });
  stopping.abort();
  expect([late, await stopped]).toMatchObject([
    { outcome: "cancelled", stdout: "", problem: "did not answer within 0.005 s" },
    { outcome: "cancelled", stdout: "", problem: "stopped with the run" },
  ]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
