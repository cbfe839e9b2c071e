// Whatever the conversation, what Gemini is sent is legal, and everything that it can read is in it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelRequest } from "@keelson/engine";
import { isText, isToolUse, type ContentBlock, type JsonObject, type ModelMessage } from "@keelson/protocol";
import { geminiParts, geminiProblem } from "@keelson/testkit";
import { anyTraits, collect } from "../conformance/support.test-support.ts";
import { sealThinking } from "../thinking-envelope.ts";
import { GeminiHabits } from "./habits.ts";
import { replyEvents } from "./reply/events.ts";
import { buildGemini } from "./request/body.ts";
import type { GenerateContentResponse, Part } from "./wire.ts";

const MODELS = ["gemini-3-pro-preview", "gemini-2.5-flash"] as const;
const NAMES = ["Read", "mcp__a__b", `mcp__${"long_".repeat(30)}`, "9 lives"];
const tools = NAMES.map((name) => ({ name, description: "d", input_schema: { type: "object" } }));

const requestOf = (model: string, messages: readonly ModelMessage[]): ModelRequest => ({
  model,
  max_tokens: 1_000,
  system: [],
  messages,
  tools,
  betas: [],
});
const translated = (model: string, messages: readonly ModelMessage[]) =>
  buildGemini(requestOf(model, messages), "gemini", anyTraits, new GeminiHabits()).body;
const problemIn = (model: string, body: object) =>
  geminiProblem(body, { model, isSignature: (signature) => signature.startsWith(`${model}:`) });

const text = fc
  .constantFrom("hello", " ", "", "naïve 👩‍👩‍👧", "\ud800")
  .map((each): ContentBlock => ({ type: "text", text: each }));
const media = fc.constantFrom("image/png", "image/gif", "image/jpeg", "application/pdf").map(
  (media_type): ContentBlock =>
    ({
      type: media_type === "application/pdf" ? "document" : "image",
      source: { type: "base64", media_type, data: "AAAA" },
    }) as ContentBlock,
);
const id = fc.constantFrom("a", "b", "c", "d");
const use = fc
  .record({ id, name: fc.constantFrom(...NAMES), input: fc.constantFrom<JsonObject>({}, { x: 1 }) })
  .map((each): ContentBlock => ({ type: "tool_use", ...each }));
const result = fc
  .record({
    tool_use_id: id,
    content: fc.oneof(fc.constantFrom("ok", ""), fc.array(fc.oneof(text, media), { maxLength: 3 })),
    is_error: fc.boolean(),
  })
  .map((each): ContentBlock => ({ type: "tool_result", ...each }));
const odd = fc.constantFrom<ContentBlock>(
  { type: "thinking", thinking: "t", signature: sealThinking({ api: "gemini", model: MODELS[0] }) },
  { type: "redacted_thinking", data: "x" },
  { type: "server_tool_use", id: "s", name: "web_search", input: {} },
  { type: "web_search_tool_result", tool_use_id: "s", content: [] },
);
const reply = fc
  .record({
    model: fc.constantFrom(...MODELS, "claude-opus-5-5"),
    signed: fc.subarray(["a", "b", "c", "d"]),
    ids: fc.boolean(),
  })
  .map(({ model, signed, ids }) => ({
    model,
    callState: Object.fromEntries(
      signed.map((call) => [
        call,
        { api: "gemini", model, signature: `${model}:${call}`, ...(ids ? { id: `server-${call}` } : {}) },
      ]),
    ),
  }));
const anyMessage: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    content: fc.array(fc.oneof(text, media, result, odd), { maxLength: 5 }),
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(fc.oneof(text, use, odd, result), { maxLength: 5 }),
    reply: fc.option(reply, { nil: undefined }),
  }),
);

test("any conversation at all becomes a legal one", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 10 }), fc.constantFrom(...MODELS), (messages, model) => {
      const all = [...messages, { role: "user" as const, content: "go on" }];
      expect(problemIn(model, translated(model, all))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

/** A turn of a legal conversation: a prompt, steps with calls and their results, and an answer. */
const legalTurn = fc.record({
  steps: fc.array(
    fc.array(fc.record({ name: fc.constantFrom(...NAMES), failed: fc.boolean() }), { minLength: 1, maxLength: 3 }),
    {
      maxLength: 3,
    },
  ),
  reply,
});

test("texts, calls and results of a legal conversation all arrive, in order", () => {
  fc.assert(
    fc.property(fc.array(legalTurn, { minLength: 1, maxLength: 4 }), fc.constantFrom(...MODELS), (turns, model) => {
      const expected: unknown[] = [];
      const messages: ModelMessage[] = [];
      let number = 0;
      for (const [at, turn] of turns.entries()) {
        messages.push({ role: "user", content: `prompt ${at}` });
        expected.push(["user", `prompt ${at}`]);
        for (const step of turn.steps) {
          const calls = step.map(({ name, failed }) => ({
            id: `call_${number}`,
            name,
            failed,
            input: { at: number++ },
          }));
          const used = calls.map((each): ContentBlock => ({
            type: "tool_use",
            id: each.id,
            name: each.name,
            input: each.input,
          }));
          messages.push({ role: "assistant", content: [{ type: "text", text: "so" }, ...used], reply: turn.reply });
          const results = calls.map((each): ContentBlock => ({
            type: "tool_result",
            tool_use_id: each.id,
            content: `of ${each.id}`,
            ...(each.failed ? { is_error: true } : {}),
          }));
          messages.push({ role: "user", content: results.toReversed() });
          expected.push(["assistant", "so"], ...calls.map((each) => ["call", each.input]));
          expected.push(...calls.map((each) => ["result", `of ${each.id}`, each.failed]));
        }
        messages.push({ role: "assistant", content: `answer ${at}`, reply: turn.reply });
        expected.push(["assistant", `answer ${at}`]);
      }
      messages.push({ role: "user", content: "end" });
      expected.push(["user", "end"]);
      const body = translated(model, messages);
      expect(problemIn(model, body)).toBeUndefined();
      const said = geminiParts(body.contents).flatMap((part): unknown[] => {
        if ("call" in part) return [["call", part.call.input]];
        if ("result" in part) return [["result", part.result.text, part.result.isError]];
        return "text" in part ? [[part.from, part.text]] : [];
      });
      expect(said).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

const signature = fc.option(fc.constantFrom(`${MODELS[0]}:1`, `${MODELS[0]}:2`), { nil: undefined });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom("one ", "two", "").map((each) => ({ text: each })),
  fc.constantFrom("hm", "so").map((each) => ({ text: each, thought: true })),
  fc
    .record({ name: fc.constantFrom("Read", "Bash"), id: fc.option(fc.uuid(), { nil: undefined }), signature })
    .map(({ name, id: given, signature: signed }) => ({
      functionCall: { ...(given ? { id: given } : {}), name, args: { x: 1 } },
      ...(signed ? { thoughtSignature: signed } : {}),
    })),
);

test("a reply goes back as it came: its texts, its calls, their ids and signatures", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 5 }), async (chunks) => {
      const model = MODELS[0];
      const { names } = buildGemini(requestOf(model, []), "gemini", anyTraits, new GeminiHabits());
      async function* responses(): AsyncGenerator<GenerateContentResponse> {
        for (const parts of chunks) yield { candidates: [{ content: { parts } }] };
        yield { candidates: [{ finishReason: "STOP" }] };
      }
      const context = { api: "gemini", model, names, ids: new Set<string>(), requestLength: () => 0, mayRepeat: true };
      const stream = () => replyEvents(responses(), context);
      const got = await collect({ id: "gemini", stream, plain: stream }, requestOf(model, []));
      expect({ error: got.error, problems: got.problems }).toEqual({ error: undefined, problems: [] });

      const sent = chunks.flat();
      const isCall = (each: Part) => each.functionCall !== undefined;
      const plain = sent.flatMap((each) => (isCall(each) || each.thought ? [] : [each.text])).join("");
      expect(
        got.blocks
          .filter(isText)
          .map((block) => block.text)
          .join(""),
      ).toBe(plain);
      expect(got.stop).toBe(sent.some(isCall) ? "tool_use" : "end_turn");
      const messages: ModelMessage[] = [
        { role: "user", content: "hi" },
        { role: "assistant", content: got.blocks, reply: { model, callState: got.callState } },
        {
          role: "user",
          content: [
            ...got.blocks
              .filter(isToolUse)
              .map(({ id: call }): ContentBlock => ({ type: "tool_result", tool_use_id: call, content: "x" })),
            { type: "text", text: "go on" },
          ],
        },
      ];
      const body = translated(model, messages);
      expect(problemIn(model, body)).toBeUndefined();
      const back = body.contents.flatMap(({ parts }) => parts).filter(isCall);
      const calls = sent.filter(isCall);
      const expected = calls.map((each, at) =>
        at === 0 ? { thoughtSignature: "skip_thought_signature_validator", ...each } : each,
      );
      expect(back).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
