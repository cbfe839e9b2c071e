import { expect, test } from "bun:test";
import {
  ModelError,
  type ModelErrorKind,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from "@keelson/engine";
import type { StreamEvent } from "@keelson/protocol";
import { requestFor, withFallback } from "./fallback.ts";
import { lookUpModel } from "../profiles/profiles.ts";

const request: ModelRequest = {
  model: "claude-opus-4-8",
  max_tokens: 64_000,
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  thinking: { type: "adaptive" },
  output_config: { effort: "max" },
  betas: ["interleaved-thinking-2025-05-14", "effort-2025-11-24", "context-1m-2025-08-07"],
};
const said: StreamEvent[] = [{ type: "message_stop" }];

/** Fails each request with the given error, then replies. */
function provider(
  name: string,
  asked: string[],
  ...failures: readonly (ModelErrorKind | StreamEvent)[][]
): ModelProvider {
  let turn = 0;
  return {
    id: name,
    async *stream({ model }) {
      asked.push(`${name} ${model}`);
      for (const step of failures[turn++] ?? said) {
        if (typeof step === "string") throw new ModelError(step, step);
        yield step;
      }
    },
  };
}

async function collect(model: ModelProvider) {
  const got: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, new AbortController().signal)) got.push(event);
    return { got };
  } catch (error) {
    return { got, error: (error as ModelError).kind };
  }
}

const models = ["claude-sonnet-4-6", "claude-opus-4-8", "haiku"].map((name) => lookUpModel(name));

test("an overloaded model is replaced by the next, the last one retries, and each switch is reported", async () => {
  const asked: string[] = [];
  const hasty = provider("hasty", asked, ["overloaded"], ["overloaded"]);
  const { got } = await collect(withFallback({ models, hasty, patient: provider("patient", asked) }));
  expect(asked).toEqual(["hasty claude-opus-4-8", "hasty claude-sonnet-4-6", `patient ${models[2]!.profile.id}`]);
  const change = (from: string, to: string) => ({
    type: "notice",
    notice: { type: "fallback", from, to, reason: "overloaded" },
  });
  expect(got as unknown[]).toEqual([
    change("claude-opus-4-8", "claude-sonnet-4-6"),
    change("claude-sonnet-4-6", models[2]!.profile.id),
    ...said,
  ]);
});

test("a model that the server does not have is replaced at once", async () => {
  const asked: string[] = [];
  const hasty = provider("hasty", asked, ["model_not_found"]);
  const { got } = await collect(withFallback({ models, hasty, patient: provider("patient", asked) }));
  expect(asked).toEqual(["hasty claude-opus-4-8", "hasty claude-sonnet-4-6"]);
  const notice = {
    type: "fallback",
    from: "claude-opus-4-8",
    to: "claude-sonnet-4-6",
    reason: "model_not_found",
  };
  expect(got as unknown[]).toEqual([{ type: "notice", notice }, ...said]);
});

test("other errors do not switch the model", async () => {
  for (const kind of [
    "authentication_failed",
    "billing_error",
    "rate_limit",
    "prompt_too_long",
    "stream_cut",
  ] as const) {
    const asked: string[] = [];
    const hasty = provider("hasty", asked, [kind]);
    expect((await collect(withFallback({ models, hasty, patient: hasty }))).error).toBe(kind);
    expect(asked).toHaveLength(1);
  }
});

test("a partial reply from the first model is discarded", async () => {
  const start = { type: "message_start" } as unknown as StreamEvent;
  const asked: string[] = [];
  const hasty = provider("hasty", asked, [start, "overloaded"]);
  const { got } = await collect(withFallback({ models, hasty, patient: hasty }));
  expect(got.map((event) => (event.type === "notice" ? event.notice.type : event.type))).toEqual([
    "message_start",
    "restart",
    "fallback",
    "message_stop",
  ]);
});

test("the next call starts with the first model again", async () => {
  const asked: string[] = [];
  const hasty = provider("hasty", asked, ["overloaded"]);
  const model = withFallback({ models, hasty, patient: provider("patient", asked) });
  await collect(model);
  await collect(model);
  expect(asked).toEqual(["hasty claude-opus-4-8", "hasty claude-sonnet-4-6", "hasty claude-opus-4-8"]);
});

test("requestFor() adapts the request to what each model accepts", () => {
  const { thinking: _, output_config: __, ...rest } = request;
  expect(requestFor(request, lookUpModel("claude-sonnet-4-6"))).toEqual({
    ...rest,
    model: "claude-sonnet-4-6",
    max_tokens: 32_000,
    thinking: { type: "adaptive" },
    output_config: { effort: "max" },
    betas: ["interleaved-thinking-2025-05-14", "effort-2025-11-24"],
  });
  expect(requestFor(request, lookUpModel("claude-haiku-4-5"))).toEqual({
    ...rest,
    model: "claude-haiku-4-5",
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 31_999 },
    betas: ["interleaved-thinking-2025-05-14"],
  });
  const small = { ...request, max_tokens: 500, thinking: { type: "disabled" } };
  expect(requestFor(small, lookUpModel("claude-opus-4-6[1m]"))).toEqual({
    ...rest,
    model: "claude-opus-4-6",
    max_tokens: 500,
    output_config: { effort: "max" },
    betas: ["interleaved-thinking-2025-05-14", "effort-2025-11-24", "context-1m-2025-08-07"],
  });
});

test("requestFor() removes thinking from another model, and the budget if a tool result needs that thinking", () => {
  const call = { type: "tool_use" as const, id: "t", name: "Read", input: {} };
  const result = { type: "tool_result" as const, tool_use_id: "t", content: "x" };
  const messages: ModelRequest["messages"] = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, call] },
    { role: "user", content: [result] },
  ];
  const next = requestFor({ ...request, messages }, lookUpModel("claude-haiku-4-5"));
  expect(next.thinking).toBeUndefined();
  expect(next.messages).toEqual([
    { role: "user", content: "hi" },
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ]);
});
