import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ModelMessage } from "@keelson/protocol";
import { RefusedThinking } from "./refused-thinking.ts";

const asked: ModelMessage = { role: "user", content: "go" };
const call = { type: "tool_use", id: "c", name: "Read", input: {} };
const result: ModelMessage = { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "ok" }] };
const reply = (...thoughts: object[]): ModelMessage => ({ role: "assistant", content: [...thoughts, call] }) as never;
const request = (messages: readonly ModelMessage[], more: object = {}): ModelRequest =>
  ({ model: "m", messages, betas: [], ...more }) as never;

test("thinking of a refused request is left out, now and later; what came after it stays", () => {
  const refused = new RefusedThinking();
  const old = reply({ type: "thinking", thinking: "x", signature: "s1" }, { type: "redacted_thinking", data: "d1" });
  const first = request([asked, old, result]);
  expect(refused.add(first)).toBe(true);
  expect(refused.without(first).messages).toEqual([asked, reply(), result]);
  expect(refused.add(first)).toBe(false);

  const own = reply({ type: "thinking", thinking: "y", signature: "s2" });
  const later = refused.without(request([asked, old, result, own, result]));
  expect(later.messages).toEqual([asked, reply(), result, own, result]);
});

test("a request without thinking is the same object, and nothing is remembered of it", () => {
  const refused = new RefusedThinking();
  const plain = request([asked, reply(), result]);
  expect([refused.add(plain), refused.without(plain)]).toEqual([false, plain]);
});

test("with a fixed budget, a turn that lost its thinking is asked without it", () => {
  const refused = new RefusedThinking();
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const first = request([asked, reply({ type: "thinking", thinking: "x", signature: "s1" }), result], { thinking });
  refused.add(first);
  expect(refused.without(first).thinking).toBeUndefined();
});
