// Whatever the conversation, what reaches a strict server says the same, in the same order.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type ModelMessage,
} from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import { chatParts, chatProblem, responsesParts, responsesProblem, type SeenPart } from "@keelson/testkit";
import { anyTraits, PDF, PNG } from "../conformance/support.test-support.ts";
import { CHAT_IDS, fitId, RESPONSES_IDS, type IdRule } from "../fit/ids.ts";
import { CHAT_NAMES, fitNames, RESPONSES_NAMES, type FittedNames } from "../fit/names.ts";
import { sealThinking } from "../thinking-envelope.ts";
import { chatRequest } from "./chat/request.ts";
import { emptyMemory } from "./responses/input.ts";
import { responsesRequest } from "./responses/request.ts";

const NAMES = ["Read", "mcp__a.b__c", `mcp__${"long_".repeat(30)}`];
const text = fc.record({ type: fc.constant("text" as const), text: fc.string({ minLength: 1, unit: "grapheme" }) });
const source = (media_type: string, data: string) => ({ type: "base64" as const, media_type, data });
const image = fc.constant<ContentBlock>({ type: "image", source: source("image/png", PNG) } as ContentBlock);
const pdf = fc.constant<ContentBlock>({ type: "document", source: source("application/pdf", PDF) } as ContentBlock);
const shown = fc.oneof({ weight: 4, arbitrary: text as fc.Arbitrary<ContentBlock> }, image, pdf);

const ownItem = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: `state of ${id}` });
const thinking = fc.record({ own: fc.boolean(), text: fc.string(), id: fc.uuid() });
const call = fc.record({
  id: fc.string({ minLength: 1, maxLength: 90 }),
  name: fc.constantFrom(...NAMES),
  input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
});
const result = fc.record({ content: fc.array(shown, { maxLength: 2 }), is_error: fc.boolean(), delay: fc.nat(9) });
const turn = fc.record({
  prompt: fc.array(shown, { minLength: 1, maxLength: 3 }),
  replies: fc.array(
    fc.record({
      thinking: fc.option(thinking),
      texts: fc.array(text, { maxLength: 2 }),
      calls: fc.array(fc.tuple(call, result), { minLength: 1, maxLength: 3 }),
      reminder: fc.option(text),
    }),
    { maxLength: 3 },
  ),
  last: text,
});

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** A legal conversation, with thinking of this dialect and of others. */
function conversationOf(turns: readonly Turn[], api: string): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const taken = new Set<string>();
  for (const { prompt, replies, last } of turns) {
    messages.push({ role: "user", content: [{ type: "text", text: "prompt" }, ...prompt] });
    for (const { thinking, texts, calls, reminder } of replies) {
      const own = calls.map(([made, answer], at) => {
        const id = taken.has(made.id) ? `${made.id}_${taken.size}_${at}` : made.id;
        taken.add(id);
        return { made: { ...made, id }, answer };
      });
      const thoughts = thinking ? [thoughtOf(thinking, api)] : [];
      const made = own.map(({ made }) => ({ type: "tool_use", ...made }) as ContentBlock);
      messages.push({ role: "assistant", content: [...thoughts, ...texts, ...made], reply: { model: "gpt-5" } });
      const results = own
        .toSorted((a, b) => a.answer.delay - b.answer.delay)
        .map(({ made, answer: { delay: _, ...answer } }) => ({ type: "tool_result", tool_use_id: made.id, ...answer }));
      messages.push({ role: "user", content: [...(results as ContentBlock[]), ...(reminder ? [reminder] : [])] });
    }
    messages.push({ role: "assistant", content: [last], reply: { model: "gpt-5" } });
  }
  return [...messages, { role: "user", content: "end" }];
}

function thoughtOf({ own, text, id }: { own: boolean; text: string; id: string }, api: string): ContentBlock {
  const state = { api: own ? api : "another", model: "gpt-5", item: ownItem(`rs_${id}`) };
  return { type: "thinking", thinking: text, signature: sealThinking(state) };
}

/** What must survive: texts, calls with their inputs, results by call, pictures and files in order. */
function expected(messages: readonly ModelMessage[], names: FittedNames, rule: IdRule) {
  const blocks = messages.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, block })));
  const inResults = blocks.flatMap(({ block }) => (isToolResult(block) ? blocksOf(block.content) : [block]));
  const textIn = (role: string) =>
    blocks.flatMap(({ role: by, block }) =>
      by === role && isText(block) && !isBlank(block) ? [block.text.toWellFormed()] : [],
    );
  const calls = blocks.flatMap(({ block }) => (isToolUse(block) ? [block] : []));
  const results = new Map(
    blocks.flatMap(({ block }) => (isToolResult(block) ? [[block.tool_use_id, block] as const] : [])),
  );
  return {
    user: textIn("user"),
    assistant: textIn("assistant"),
    calls: calls.map(({ id, name, input }) => [fitId(id, rule), names.out(name), JSON.parse(JSON.stringify(input))]),
    results: calls.map(({ id }) => {
      const { content, is_error } = results.get(id)!;
      const texts = blocksOf(content).flatMap((block) =>
        isText(block) && !isBlank(block) ? [block.text.toWellFormed()] : [],
      );
      return [fitId(id, rule), is_error === true, texts];
    }),
    images: inResults.filter(({ type }) => type === "image").length,
    documents: inResults.filter(({ type }) => type === "document").length,
  };
}

/** The same, of what the server understood. Texts may be joined, so they are looked for one after another. */
function compare(parts: readonly SeenPart[], wanted: ReturnType<typeof expected>): void {
  const joined = (from: string) =>
    parts.flatMap((part) => ("text" in part && part.from === from ? [part.text] : [])).join("\n");
  for (const from of ["user", "assistant"] as const) expect(missingIn(joined(from), wanted[from])).toBeUndefined();
  expect(parts.flatMap((part) => ("call" in part ? [[part.call.id, part.call.name, part.call.input]] : []))).toEqual(
    wanted.calls,
  );
  const results = parts.flatMap((part) => ("result" in part ? [part.result] : []));
  expect(results.map(({ id }) => id)).toEqual(wanted.results.map(([id]) => id as string));
  for (const [at, [, isError, texts]] of wanted.results.entries()) {
    expect(results[at]!.text.startsWith("Error: ")).toBe(
      (isError as boolean) || (texts as string[])[0]?.startsWith("Error: ") === true,
    );
    expect(missingIn(results[at]!.text, texts as string[])).toBeUndefined();
  }
  expect(parts.filter((part) => "image" in part).length).toBe(wanted.images);
  expect(parts.filter((part) => "document" in part).length).toBe(wanted.documents);
}

function missingIn(whole: string, texts: readonly string[]): string | undefined {
  let from = 0;
  return texts.find((text) => {
    const found = whole.indexOf(text, from);
    from = found + text.length;
    return found < 0;
  });
}

const tools = NAMES.map((name) => ({ name, description: "d", input_schema: { type: "object" } as const }));
const requestOf = (messages: readonly ModelMessage[]): ModelRequest => ({
  model: "gpt-5",
  max_tokens: 100,
  system: [{ type: "text", text: "system" }],
  messages,
  tools,
  betas: [],
});
const base = { flavour: "openai" as const, traits: anyTraits, habits: { refused: new Set<never>() } };

test("a conversation says the same in Chat Completions", () => {
  const names = fitNames(tools, CHAT_NAMES);
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      const messages = conversationOf(turns, "openai-chat");
      const context = { ...base, provider: "openai", compat: {}, names } as const;
      const { body } = chatRequest(requestOf(messages), true, context);
      expect(chatProblem(body, {})).toBeUndefined();
      compare(chatParts(body.messages), expected(messages, names, CHAT_IDS));
    }),
  );
});

test("a conversation says the same in Responses, and keeps the reasoning of its own", () => {
  const names = fitNames(tools, RESPONSES_NAMES);
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      const messages = conversationOf(turns, "openai-responses");
      const { body } = responsesRequest(requestOf(messages), true, { ...base, names, memory: emptyMemory() });
      const given = turns
        .flatMap(({ replies }) => replies)
        .flatMap(({ thinking, texts, calls }) => {
          if (!thinking?.own) return [];
          const isText = texts.some((block) => !isBlank(block));
          const next = isText
            ? { type: "message" }
            : { type: "function_call", call_id: undefined as string | undefined };
          return [{ item: ownItem(`rs_${thinking.id}`), next, calls }];
        });
      const items = body.input as readonly any[];
      const known = new Map(
        given.map(({ item, next }) => {
          const after = items[items.findIndex(({ id }) => id === item.id) + 1];
          return [
            item.id,
            { item, next: { ...next, ...(next.type === "message" ? {} : { call_id: after?.call_id }) } },
          ];
        }),
      );
      expect(responsesProblem(body, known)).toBeUndefined();
      const parts = responsesParts(items);
      compare(parts, expected(messages, names, RESPONSES_IDS));
      expect(parts.flatMap((part) => ("state" in part ? [part.state] : []))).toEqual(
        given.map(({ item }) => item.encrypted_content),
      );
    }),
  );
});
