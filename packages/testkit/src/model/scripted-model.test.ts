import { expect, test } from "bun:test";
import { ModelError, type ModelRequest } from "@keelson/engine";
import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import { toEvents } from "./reply.ts";
import { failureKind, scriptedModel, type ScriptedModel } from "./scripted-model.ts";

const request: ModelRequest = {
  model: "m",
  max_tokens: 10,
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [],
  betas: [],
};
const never = new AbortController().signal;
const ask = (model: ScriptedModel, signal = never, asked = request) => Array.fromAsync(model.stream(asked, signal));

test("the script is played step by step, and functions get the request and its number", async () => {
  const model = scriptedModel({ text: "one" }, (asked, number) => ({ text: `${asked.model} ${number}` }));

  expect(model.remaining).toBe(2);
  expect(await ask(model)).toEqual(toEvents({ text: "one" }, 1, "m"));
  expect(await ask(model)).toEqual(toEvents({ text: "m 2" }, 2, "m"));
  expect(model.remaining).toBe(0);
});

test("requests are recorded as they were, whatever happens to them later", async () => {
  const content: ContentBlock[] = [{ type: "text", text: "before" }];
  const messages: ModelMessage[] = [{ role: "user", content }];
  const model = scriptedModel({ text: "ok" });

  await ask(model, never, { ...request, messages });
  content.push({ type: "text", text: "after" });
  messages.push({ role: "assistant", content: "later" });

  expect(model.requests).toEqual([
    { ...request, messages: [{ role: "user", content: [{ type: "text", text: "before" }] }] },
  ]);
});

test("a request past the end of the script is a plain error that names it", async () => {
  const model = scriptedModel({ text: "only" });
  await ask(model);

  const error = await ask(model).catch((thrown) => thrown);

  expect(error).not.toBeInstanceOf(ModelError);
  expect(error.message).toBe(
    'Script exhausted: request 2 came, but the script has 1 replies. Its last message: {"role":"user","content":"hi"}',
  );
});

test("a refusal throws the error a provider would throw", async () => {
  const model = scriptedModel({ status: 429, message: "slow down", headers: { "Retry-After": "3" } });
  const { kind, message, status, apiType, retryAfterMs } = await ask(model).catch((thrown) => thrown);
  expect({ kind, message, status, apiType, retryAfterMs }).toEqual({
    kind: "rate_limit",
    message: "slow down",
    status: 429,
    apiType: "rate_limit_error",
    retryAfterMs: 3000,
  });
});

test.each([
  [{ status: 400 }, "invalid_request"],
  [{ status: 400, message: "Prompt is too long" }, "prompt_too_long"],
  [{ status: 401 }, "authentication_failed"],
  [{ status: 402 }, "billing_error"],
  [{ status: 404 }, "model_not_found"],
  [{ status: 408 }, "server_error"],
  [{ status: 413 }, "prompt_too_long"],
  [{ status: 418 }, "invalid_request"],
  [{ status: 500, type: "overloaded_error" }, "overloaded"],
  [{ status: 503 }, "server_error"],
] as const)("kindOf() calls %j %j", (failure, kind) => {
  expect(failureKind(failure)).toBe(kind);
});

test("a held reply waits for its promise, in the middle if requested", async () => {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const model = scriptedModel({ text: ["a", "b"], hold, holdAfter: "first_delta" });

  const seen: string[] = [];
  for await (const event of model.stream(request, never)) {
    seen.push(event.type);
    if (seen.length === 3) setImmediate(() => (seen.push("released"), release()));
  }

  expect(seen.slice(0, 5)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "released",
    "content_block_delta",
  ]);
});

test("a hanging reply ends with the signal", async () => {
  const aborting = new AbortController();
  const asked = ask(scriptedModel({ hang: true }), aborting.signal).catch((thrown) => thrown);
  aborting.abort();
  expect((await asked).kind).toBe("aborted");
});
