import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelRequest } from "@keelson/engine";
import { rememberJson, type ModelMessage } from "@keelson/protocol";
import { BodyPool, countTokensBody, type MessagesBody } from "./body.ts";

const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  max_tokens: 10,
  system: [{ type: "text", text: "s" }],
  tools: [{ name: "T", description: "d", input_schema: {} }],
  betas: ["b"],
  messages,
  ...more,
});

const read = ({ bytes }: Pick<MessagesBody, "bytes">) => JSON.parse(new TextDecoder().decode(bytes));

const message = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  content: fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.array(fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "binary" }) })),
  ),
});

test("a body matches its request, whatever was sent before it", () => {
  const change = fc.record({
    keep: fc.nat(8),
    add: fc.array(message, { maxLength: 3 }),
    model: fc.constantFrom("a", "b"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const bodies = new BodyPool();
      let messages: readonly ModelMessage[] = [];
      for (const { keep, add, model } of changes) {
        messages = [...messages.slice(0, keep), ...add];
        const asked = request(messages, { model });
        using body = bodies.lease(asked, { stream: true });
        const { betas: _, ...rest } = JSON.parse(JSON.stringify(asked));
        expect(read(body)).toEqual({ ...rest, stream: true });
      }
    }),
  );
});

test("bodies in use at the same time keep their bytes", () => {
  const bodies = new BodyPool();
  const first = bodies.lease(request([{ role: "user", content: "first" }]), { stream: true });
  const second = bodies.lease(request([{ role: "user", content: "other" }]), { stream: true });
  expect([read(first).messages[0].content, read(second).messages[0].content]).toEqual(["first", "other"]);
});

test("extra fields override the request's own, except messages and stream", () => {
  using body = new BodyPool().lease(request([{ role: "user", content: "x" }]), {
    stream: false,
    extra: { max_tokens: 5, top_k: 1, stream: true, messages: [] },
  });
  expect(read(body)).toMatchObject({ max_tokens: 5, top_k: 1, messages: [{ role: "user", content: "x" }] });
  expect(read(body).stream).toBeUndefined();
});

test("messages that were sent before are not written again", () => {
  const bodies = new BodyPool();
  const turns = Array.from({ length: 50 }, (_, n): ModelMessage => ({ role: "user", content: `turn ${n}` }));
  const sizes = turns.map((_, n) => {
    using body = bodies.lease(request(turns.slice(0, n + 1)), { stream: true });
    return body.bytes.buffer;
  });
  expect(new Set(sizes).size).toBeLessThan(10);
});

test("agents that take turns each get the body they filled before", () => {
  const bodies = new BodyPool();
  const first: ModelMessage = { role: "user", content: "first" };
  const more: ModelMessage = { role: "assistant", content: "more" };
  const asked = (agent: string, ...messages: ModelMessage[]) => {
    using body = bodies.lease(request(messages, { system: [{ type: "text", text: agent }] }), { stream: true });
    expect(read(body)).toMatchObject({ system: [{ text: agent }], messages });
    return body.bytes.buffer;
  };
  const own = asked("session ".repeat(100), first);
  const child = asked("child ".repeat(100), first);
  expect(asked("session ".repeat(100), first)).toBe(own);
  expect(asked("child ".repeat(100), first)).toBe(child);
  expect(child).not.toBe(own);

  // A third agent takes the one that was used longest ago.
  expect(asked("third ".repeat(90), first)).toBe(own);
  expect(asked("child ".repeat(100), first)).toBe(child);
  expect(asked("third ".repeat(90), first, more)).not.toBe(child);
});

test("bodies of many requests at the same time are not kept", () => {
  const bodies = new BodyPool();
  const lease = (index: number) =>
    bodies.lease(request([], { system: [{ type: "text", text: `agent ${index}` }] }), { stream: true });
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const leased = numbers.map(lease);
  const buffers = leased.map(({ bytes }) => bytes.buffer);
  for (const body of leased) body[Symbol.dispose]();
  const again = numbers.map(lease);
  expect(again.filter(({ bytes }) => buffers.includes(bytes.buffer))).toHaveLength(2);
});

test("the body for counting tokens omits fields that only affect the reply", () => {
  const body = countTokensBody(request([{ role: "user", content: "x" }], { thinking: { type: "adaptive" } }));
  expect(Object.keys(read({ bytes: body }))).toEqual(["model", "thinking", "system", "tools", "messages"]);
});

test("a lone surrogate becomes U+FFFD, and nothing else changes", () => {
  const unit = fc.oneof(fc.integer({ min: 0xd800, max: 0xdfff }), fc.constantFrom(...[..."\\ud8a\n"].map(codeOf)));
  fc.assert(
    fc.property(fc.array(unit), fc.boolean(), (units, isEscaped) => {
      const text = String.fromCharCode(...units);
      const block = { type: "text" as const, text };
      // As some programs write JSON: with every non-ASCII character escaped.
      if (isEscaped) rememberJson(block, JSON.stringify(block).replace(/[\ud800-\udfff]/g, escapeOf));
      using body = new BodyPool().lease(request([{ role: "user", content: [block] }]), { stream: true });
      expect(read(body).messages[0].content[0].text).toBe(text.toWellFormed());
    }),
  );
});

const codeOf = (character: string) => character.charCodeAt(0);
const escapeOf = (unit: string) => `\\u${codeOf(unit).toString(16)}`;
