import { expect, test } from "bun:test";
import { defineTool, object, string, type Shell, type Tool } from "@keelson/engine";
import { NOTHING_SAID, type AgentHook, type HookRun } from "@keelson/protocol";
import {
  scriptedModel,
  testEngine,
  type ScriptedModel,
  type TestEngine,
  type TestEngineOptions,
} from "@keelson/testkit";
import { bashTool, editTool, globTool, grepTool, readFileTool, writeTool } from "@keelson/tools";
import { runAgentHook, type AgentHookOptions } from "./agent.ts";

const EVENT = '{"hook_event_name":"Stop","cwd":"/p"}';
const TOOLS = [bashTool({ parallelSafe: () => false }), editTool, globTool, grepTool, readFileTool, writeTool];

async function check(
  model: ScriptedModel,
  {
    handler = {},
    world: options = {},
    ...limit
  }: { handler?: Partial<AgentHook>; world?: TestEngineOptions } & Partial<AgentHookOptions> = {},
): Promise<{ run: HookRun; there: TestEngine }> {
  const there = testEngine(model, { tools: TOOLS, system: ["The session's own prompt"], ...options });
  const run = await runAgentHook({ type: "agent", prompt: "All tests pass", ...handler }, EVENT, {
    ports: () => there.ports,
    model: there.ports.model,
    signal: there.ports.signal,
    timeoutMs: 5_000,
    ...limit,
  });
  return { run, there };
}

const answer = (ok: boolean, reason: string) => ({ calls: [{ name: "StructuredOutput", input: { ok, reason } }] });
const passing: Shell = {
  run: async () => ({
    text: "3 pass\n",
    tail: "",
    size: 7,
    path: null,
    code: 0,
    timedOut: false,
    aborted: false,
    cwd: "/p/deep",
  }),
  background: () => Promise.reject(new Error("never reached")),
};

test("an agent hook uses a few tools and answers through StructuredOutput", async () => {
  const model = scriptedModel(
    { calls: [{ name: "Read", input: { file_path: "/p/notes.txt" } }] },
    answer(false, "Two tests fail"),
  );
  const { run, there } = await check(model, {
    handler: { prompt: "Check: $ARGUMENTS" },
    world: { files: { "/p/notes.txt": "two failures" }, profile: { id: "claude-haiku-4-5", thinking: "budget" } },
  });

  expect(run).toEqual({
    outcome: "success",
    stdout: '{"ok":false,"reason":"Two tests fail"}',
    stderr: "",
    durationMs: expect.any(Number),
  });
  const [first, second] = model.requests;
  expect(first!.tools.map(({ name }) => name)).toEqual(["Bash", "Glob", "Grep", "Read", "StructuredOutput"]);
  expect(first!.tools.at(-1)!.input_schema).toMatchObject({ required: ["ok", "reason"], additionalProperties: false });
  expect(first).toMatchObject({
    model: "claude-haiku-4-5",
    thinking: { type: "disabled" },
    system: [{ type: "text", text: expect.stringContaining("You check whether a condition holds") }],
    messages: [{ role: "user", content: [{ type: "text", text: `Check: ${EVENT}` }] }],
  });
  expect(JSON.stringify(second!.messages)).toContain("two failures");
  expect(there.charges).toHaveLength(2);
});

test("an agent hook is not recorded or shown, and its reads do not count as the session's", async () => {
  const model = scriptedModel(
    { text: "I look", calls: [{ name: "Read", input: { file_path: "/p/a" } }] },
    answer(true, ""),
  );
  const typed = {
    type: "user" as const,
    uuid: "typed",
    message: { role: "user" as const, content: "for the session" },
  };
  const there = testEngine(model, { tools: TOOLS, files: { "/p/a": "x" }, partial: true });
  there.steer(typed);
  const { ports } = there;
  const learned: string[] = [];
  const run = await runAgentHook({ type: "agent", prompt: "p" }, EVENT, {
    ports: () => ({
      ...ports,
      instructionsFor: (access: { readonly kind: string }) => (learned.push(access.kind), ["rules of the folder"]),
    }),
    model: ports.model,
    signal: ports.signal,
    timeoutMs: 5_000,
  });

  expect(run.outcome).toBe("success");
  expect({ entries: there.entries, signals: there.signals, learned }).toEqual({
    entries: [],
    signals: [],
    learned: [],
  });
  expect(ports.steering()).toEqual([typed]);
  const { files, seen } = ports.context({ type: "tool_use", id: "c", name: "Read", input: {} });
  expect(seen.get((await files.stat("/p/a"))!.realPath)).toBeUndefined();
});

test("the gate and the session's hooks apply to an agent hook's tools; its start and end fire no events", async () => {
  const model = scriptedModel(
    { calls: [{ name: "Bash", input: { command: "make test" } }] },
    { calls: [{ name: "Read", input: { file_path: "/p/secret" } }] },
    { text: "I forget to answer" },
    answer(true, "fine"),
  );
  const { run, there } = await check(model, {
    world: {
      files: { "/p/secret": "hidden" },
      permit: ({ tool, input }) =>
        tool.name === "Read"
          ? { behavior: "deny", message: "Not this file", by: "rule" }
          : { behavior: "allow", input, by: "mode", source: "config" },
      fire: (event, { tool_name }) =>
        event === "PreToolUse" && tool_name === "Bash"
          ? { ...NOTHING_SAID, context: ["a hook was here"] }
          : NOTHING_SAID,
      shell: passing,
    },
  });

  expect(run).toMatchObject({ outcome: "success", stdout: '{"ok":true,"reason":"fine"}' });
  expect(there.asked.map(({ tool }) => tool.name)).toEqual(["Bash", "Read", "StructuredOutput"]);
  expect(there.fired.map(({ event, input }) => [event, input["tool_name"]])).toEqual([
    ["PreToolUse", "Bash"],
    ["PostToolUse", "Bash"],
    ["PostToolBatch", undefined],
    ["PreToolUse", "Read"],
    ["PostToolBatch", undefined],
    ["PreToolUse", "StructuredOutput"],
    ["PostToolUse", "StructuredOutput"],
  ]);
  const shown = JSON.stringify(model.requests.at(-1)!.messages);
  expect(shown).toContain("Not this file");
  expect(shown).toContain("a hook was here");
  expect(shown).not.toContain("hidden");
});

test("an agent hook cannot change the working directory or run background commands", async () => {
  const model = scriptedModel(
    { calls: [{ name: "Bash", input: { command: "cd deep" } }] },
    { calls: [{ name: "Bash", input: { command: "serve", run_in_background: true } }] },
    answer(true, ""),
  );
  const { there } = await check(model, { world: { shell: passing } });
  expect(there.ports.context({ type: "tool_use", id: "c", name: "Bash", input: {} }).workspace.cwd).toBe("/p");
  expect(JSON.stringify(model.requests[1]!.messages)).toContain("3 pass");
  expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("A hook cannot run commands in the background");
});

test("an agent hook gets no tool that the session does not have", async () => {
  const model = scriptedModel(answer(true, ""));
  await check(model, { world: { tools: [readFileTool, writeTool] } });
  expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(["Read", "StructuredOutput"]);
});

test("an answer that does not match the schema is sent back, up to five times", async () => {
  const wrong = { calls: [{ name: "StructuredOutput", input: { ok: "yes" } }] };
  const mended = await check(scriptedModel(wrong, answer(true, "now")));
  const hopeless = await check(scriptedModel(wrong, wrong, wrong, wrong, wrong));
  expect([mended.run.stdout, hopeless.run.problem]).toEqual([
    '{"ok":true,"reason":"now"}',
    "the agent did not say whether the condition is met",
  ]);
});

test("an agent that never answers is reported; one that uses all fifty turns is dropped silently", async () => {
  const silent = await check(scriptedModel({ text: "Done" }, { text: "Done, really" }));
  expect(silent.run).toMatchObject({
    outcome: "error",
    stdout: "",
    problem: "the agent did not say whether the condition is met",
  });

  const look = { calls: [{ name: "Look", input: { at: "x" } }] };
  const model = scriptedModel(...Array.from({ length: 60 }, () => look));
  const { run } = await check(model, { world: { tools: [looking("Read")] } });
  expect(run).toEqual({ outcome: "cancelled", stdout: "", stderr: "", durationMs: expect.any(Number) });
  expect(model.requests).toHaveLength(50);
});

test("a failed model request is reported and blocks nothing", async () => {
  const refused = await check(scriptedModel({ status: 401, message: "invalid x-api-key" }));
  const broken = await check(scriptedModel());
  expect(refused.run).toMatchObject({
    outcome: "error",
    stdout: "",
    problem: expect.stringContaining("invalid x-api-key"),
  });
  expect(broken.run).toMatchObject({
    outcome: "error",
    problem: expect.stringContaining("the agent failed: Script exhausted"),
  });
});

test("the timeout ends an agent hook while the model or the user has not answered", async () => {
  const silent = await check(scriptedModel({ text: "", hang: true }), { timeoutMs: 10 });
  const asking = await check(scriptedModel({ calls: [{ name: "Read", input: { file_path: "/p/a" } }] }), {
    timeoutMs: 10,
    world: { files: { "/p/a": "" }, permit: () => new Promise(() => {}) },
  });
  const late = { outcome: "cancelled", stdout: "", problem: "did not answer within 0.01 s" };
  expect([silent.run, asking.run]).toMatchObject([late, late]);
});

test("interrupting the run stops its hook and the tool that is running", async () => {
  const stopping = new AbortController();
  let heard: AbortSignal | undefined;
  const waiting = looking("Read", async (signal) => {
    heard = signal;
    stopping.abort();
  });
  const model = scriptedModel({ calls: [{ name: "Read", input: { at: "x" } }] });
  const { run } = await check(model, { signal: stopping.signal, world: { tools: [waiting] } });
  expect(run).toMatchObject({ outcome: "cancelled", problem: "stopped with the run" });
  expect(heard?.aborted).toBe(true);
});

function looking(name: string, during: (signal: AbortSignal) => Promise<void> = async () => {}): Tool {
  return defineTool<{ at: string }, string>({
    name,
    aliases: ["Look"],
    description: "Looks",
    input: object({ at: string() }),
    access: () => ({ kind: "none" }),
    run: async (_, { signal }) => {
      await during(signal);
      return "nothing";
    },
    show: (output) => output,
  });
}
