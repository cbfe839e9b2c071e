import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { ModelMessage } from "@keelson/protocol";
import { sealThinking } from "../thinking-envelope.ts";
import { withOwnThinking } from "./own-thinking.ts";

const thought = (signature: string) => ({ type: "thinking", thinking: "hm", signature });
const call = { type: "tool_use", id: "c", name: "Read", input: {} };
const reply = (model: string, ...content: object[]): ModelMessage =>
  ({ role: "assistant", content, reply: { model } }) as never;
const asked: ModelMessage = { role: "user", content: [{ type: "text", text: "go" }] };
const result: ModelMessage = { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "ok" }] };

const ask = (messages: readonly ModelMessage[], thinking: object = { type: "adaptive" }): ModelRequest =>
  ({ model: "a", messages, thinking, betas: [] }) as never;
const own = (request: ModelRequest) => withOwnThinking(request, (model) => model === "a");

test("thinking of the same model stays, byte for byte, and the request is the same object", () => {
  const request = ask([asked, reply("a", thought("raw"), call), result]);
  expect(own(request)).toBe(request);
});

test("thinking of another model and of another provider is left out, and comes back with its model", () => {
  const sealed = sealThinking({ api: "gemini", model: "a" });
  const messages = [asked, reply("b", thought("raw"), call), result, reply("a", thought(sealed), call), result];
  const sent = own(ask(messages)).messages.map(({ content }) => (content as object[]).length);
  expect(sent).toEqual([1, 1, 1, 1, 1]);
  const back = withOwnThinking(ask(messages), (model) => model === "b").messages[1];
  expect(back).toBe(messages[1]!);
});

test("a message that was only thinking disappears", () => {
  expect(own(ask([asked, reply("b", thought("raw")), asked])).messages).toEqual([asked, asked]);
});

test("the same message always gives the same object, so its bytes stay known", () => {
  const messages = [asked, reply("b", thought("raw"), call), result];
  expect(own(ask(messages)).messages[1]).toBe(own(ask([...messages])).messages[1]!);
});

test("with a fixed budget, a turn that lost its thinking is asked without it", () => {
  const budget = { type: "enabled", budget_tokens: 2_000 };
  const foreign = [asked, reply("b", thought("raw"), call), result];
  expect(own(ask(foreign, budget)).thinking).toBeUndefined();
  expect(own(ask(foreign)).thinking).toEqual({ type: "adaptive" });
  const later = [...foreign, reply("a", thought("raw"), call), result];
  expect(own(ask(later, budget)).thinking).toEqual(budget);
});
