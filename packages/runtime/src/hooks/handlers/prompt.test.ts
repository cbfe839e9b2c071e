import { expect, test } from "bun:test";
import type { HookRun, PromptHook } from "@keelson/protocol";
import { scriptedModel, testEngine, type Charge, type ScriptedModel, type TestEngineOptions } from "@keelson/testkit";
import { runPromptHook, type PromptHookOptions } from "./prompt.ts";

const EVENT = '{"hook_event_name":"Stop","cwd":"/p"}';

async function ask(
  model: ScriptedModel,
  {
    handler = {},
    event = EVENT,
    world: options = {},
    ...limit
  }: { handler?: Partial<PromptHook>; event?: string; world?: TestEngineOptions } & Partial<PromptHookOptions> = {},
): Promise<{ run: HookRun; charges: readonly Charge[] }> {
  const { ports, charges } = testEngine(model, options);
  const run = await runPromptHook({ type: "prompt", prompt: "All tests pass", ...handler }, event, {
    model: ports.model,
    signal: ports.signal,
    timeoutMs: 5_000,
    charge: (...charge) => ports.charge(...charge),
    now: () => ports.now(),
    ...limit,
  });
  return { run, charges };
}

const yes = { text: '{"ok":true,"reason":"They do"}' };

test("the condition goes to the model in one request without tools, and the answer is the hook's output", async () => {
  const model = scriptedModel({ text: '{"ok":false,"reason":"Two tests fail"}' });
  const profile = { id: "claude-haiku-4-5", thinking: "budget" as const };
  const { run, charges } = await ask(model, {
    world: { profile, choice: { metadata: { user_id: "u" }, betas: ["b"] } },
  });

  expect(run).toEqual({
    outcome: "success",
    stdout: '{"ok":false,"reason":"Two tests fail"}',
    stderr: "",
    durationMs: expect.any(Number),
  });
  expect(charges).toEqual([
    {
      model: "claude-haiku-4-5",
      usage: expect.objectContaining({ input_tokens: 100, output_tokens: 20 }),
      durationMs: expect.any(Number),
    },
  ]);
  const [request] = model.requests;
  expect(request).toEqual({
    model: "claude-haiku-4-5",
    max_tokens: 4096,
    system: [{ type: "text", text: expect.stringContaining('{"ok": true, "reason": "..."}') }],
    messages: [{ role: "user", content: [{ type: "text", text: `All tests pass\n\n${EVENT}` }] }],
    tools: [],
    thinking: { type: "disabled" },
    output_config: {
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            ok: { type: "boolean", description: expect.any(String) },
            reason: { type: "string", description: expect.any(String) },
            impossible: { type: "boolean", description: expect.any(String) },
          },
          required: ["ok", "reason"],
          additionalProperties: false,
        },
      },
    },
    metadata: { user_id: "u" },
    betas: ["b"],
  });
});

test("the event replaces every $ARGUMENTS literally", async () => {
  const event = '{"prompt":"$& $1 $ARGUMENTS"}';
  const model = scriptedModel(yes);
  await ask(model, { handler: { prompt: "<$ARGUMENTS> and <$ARGUMENTS>" }, event });
  expect(model.requests[0]!.messages).toEqual([
    { role: "user", content: [{ type: "text", text: `<${event}> and <${event}>` }] },
  ]);
});

test("an event too long for the model is cut in the middle", async () => {
  const model = scriptedModel(yes);
  await ask(model, { event: `"${"x".repeat(5_000)}"`, world: { profile: { contextWindow: 1_000 } } });
  const [block] = model.requests[0]!.messages[0]!.content as readonly { text: string }[];
  expect(block!.text).toContain("… 3002 characters left out …");
});

test("thinking is off where the model allows it, and effort is the session's", async () => {
  const cases = [
    { id: "claude-3-5-haiku", thinking: "none" as const },
    { id: "claude-fable-5", thinking: "adaptive" as const, effort: true, maxTokens: 64_000 },
    { id: "claude-opus-5", thinking: "adaptive" as const, effort: true },
  ];
  const sent = [];
  for (const profile of cases) {
    const model = scriptedModel(yes);
    await ask(model, { world: { profile, choice: { effort: "low", thinkingTokens: 9_000 } } });
    const { thinking, output_config, max_tokens } = model.requests[0]!;
    sent.push([profile.id, thinking, output_config!["effort"], max_tokens]);
  }
  expect(sent).toEqual([
    ["claude-3-5-haiku", undefined, undefined, 4096],
    ["claude-fable-5", undefined, "low", 64_000], // thinking cannot be turned off
    ["claude-opus-5", { type: "disabled" }, "low", 4096],
  ]);
});

test.each([
  ['{"ok":true,"reason":"x"}', '{"ok":true,"reason":"x"}'],
  [' \n{"ok":false,"reason":"x","impossible":true}\n', '{"ok":false,"reason":"x","impossible":true}'],
  ['{"ok":true}', '{"ok":true,"reason":""}'],
  ['{"ok":false,"reason":7,"impossible":false,"more":1}', '{"ok":false,"reason":""}'],
  ['```json\n{"ok":false,"reason":"a } b"}\n```', '{"ok":false,"reason":"a } b"}'],
  ['```\n{"ok":true,"reason":"x"}\n```\nThat is all.', '{"ok":true,"reason":"x"}'],
  ['My answer: {"ok":false,"reason":"{x}"} as asked', '{"ok":false,"reason":"{x}"}'],
])("the answer %j is read", async (text, stdout) => {
  const { run } = await ask(scriptedModel({ text }));
  expect(run).toMatchObject({ outcome: "success", stdout });
});

test.each(["", "yes", "null", "[]", '{"ok":"true","reason":"x"}', '{"ok":1}', '{"reason":"x"}', '{"ok":tr', "} {"])(
  "the answer %j decides nothing",
  async (text) => {
    const { run } = await ask(scriptedModel({ text }));
    const problem = "scripted did not say whether the condition is met";
    expect(run).toEqual({ outcome: "error", stdout: "", stderr: "", problem, durationMs: expect.any(Number) });
  },
);

test("a failed model request is reported and blocks nothing", async () => {
  const refused = await ask(scriptedModel({ status: 400, message: "no such parameter" }));
  const cut = await ask(scriptedModel({ ...yes, cutAfter: "first_block" }));
  const broken = await ask(scriptedModel());
  expect([refused.run, cut.run]).toMatchObject([
    { outcome: "error", stdout: "", problem: "the request to scripted failed: no such parameter" },
    {
      outcome: "error",
      stdout: "",
      problem: expect.stringContaining("the request to scripted failed: Connection broke"),
    },
  ]);
  expect(broken.run).toMatchObject({ outcome: "error", problem: expect.stringContaining("Script exhausted") });
  // A request without a reply is not charged; a reply that was cut off is.
  expect([refused.charges.length, cut.charges.length]).toEqual([0, 1]);
});

test("a model that does not answer in time is cancelled", async () => {
  const { run } = await ask(scriptedModel({ ...yes, hang: true }), { timeoutMs: 10 });
  expect(run).toMatchObject({ outcome: "cancelled", stdout: "", problem: "did not answer within 0.01 s" });
});

test("interrupting the run stops its hook, before and during the model request", async () => {
  const stopping = new AbortController();
  const model = scriptedModel(() => {
    stopping.abort();
    return { ...yes, hang: true };
  });
  const during = await ask(model, { signal: stopping.signal });
  const before = await ask(model, { signal: stopping.signal });
  expect([during.run, before.run]).toMatchObject([
    { outcome: "cancelled", problem: "stopped with the run" },
    { outcome: "cancelled", problem: "stopped with the run" },
  ]);
  expect(model.requests).toHaveLength(1);
});
