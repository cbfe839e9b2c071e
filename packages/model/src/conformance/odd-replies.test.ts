// Whatever a server sends, Gemini's and Bedrock's replies are read as well-formed ones, or are a ModelError.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { ModelError } from "@keelson/engine";
import type { StreamEvent } from "@keelson/protocol";
import { ConverseReply } from "../bedrock/converse/stream.ts";
import { CHAT_NAMES, fitNames } from "../fit/names.ts";
import { replyEvents } from "../gemini/reply/events.ts";

/** Also an object that cannot be turned into text. */
const anything = fc.oneof(
  { weight: 9, arbitrary: fc.anything({ maxDepth: 2, maxKeys: 3 }) },
  fc.constant({ toString: 1, valueOf: 1 }),
);
const orSo = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: good as fc.Arbitrary<unknown> }, anything);
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const names = fitNames([{ name: "Read" }], CHAT_NAMES);

function check(events: readonly StreamEvent[]): void {
  expect(events[0]!.type).toBe("message_start");
  let open = false;
  for (const event of events) {
    if (event.type === "content_block_start" || event.type === "content_block_stop") {
      expect(open).toBe(event.type === "content_block_stop");
      open = !open;
    }
    if (event.type === "content_block_start" && event.content_block.type === "tool_use")
      expect(event.content_block).toMatchObject({ id: expect.any(String), name: expect.any(String) });
    if (event.type !== "message_start" && event.type !== "message_delta") continue;
    const { usage } = event.type === "message_start" ? event.message : event;
    expect([usage!.input_tokens, usage!.output_tokens].every((count) => count! >= 0)).toBe(true);
    if (event.type === "message_delta") expect(event.delta.stop_reason).toBeString();
  }
  expect(open).toBe(false);
}

const part = some({
  text: orSo(fc.string()),
  thought: orSo(fc.boolean()),
  thoughtSignature: orSo(fc.string()),
  functionCall: orSo(some({ id: orSo(fc.constantFrom("a", "")), name: orSo(fc.constant("Read")), args: anything })),
});
const response = some({
  responseId: orSo(fc.string()),
  candidates: orSo(
    fc.array(
      orSo(
        some({
          content: orSo(some({ parts: orSo(fc.array(orSo(part), { maxLength: 3 })) })),
          finishReason: orSo(fc.constantFrom("STOP", "constructor", "SAFETY")),
        }),
      ),
      { maxLength: 2 },
    ),
  ),
  promptFeedback: orSo(some({ blockReason: anything })),
  usageMetadata: orSo(some({ promptTokenCount: orSo(fc.integer()), candidatesTokenCount: orSo(fc.integer()) })),
});

test("any responses of Gemini are a reply or an error", async () => {
  let replies = 0;
  const context = {
    api: "gemini",
    model: "m",
    names,
    requestLength: () => 1,
    ids: new Set<string>(),
    mayRepeat: false,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(response, { maxLength: 4 }), async (responses) => {
      const events: StreamEvent[] = [];
      async function* sent() {
        yield* responses as never[];
      }
      try {
        for await (const event of replyEvents(sent(), context)) events.push(event);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        return;
      }
      check(events);
      replies++;
    }),
    { numRuns: 400 },
  );
  expect(replies).toBeGreaterThan(0);
});

const NAMES = ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"];
const payload = some({
  contentBlockIndex: orSo(fc.nat(2)),
  start: orSo(some({ toolUse: orSo(some({ toolUseId: orSo(fc.constant("a")), name: orSo(fc.constant("Read")) })) })),
  delta: orSo(
    some({
      text: orSo(fc.string()),
      toolUse: orSo(some({ input: orSo(fc.constant("{}")) })),
      reasoningContent: orSo(some({ text: anything, signature: anything, redactedContent: anything })),
    }),
  ),
  stopReason: orSo(fc.constantFrom("end_turn", "constructor", "__proto__")),
  usage: orSo(some({ inputTokens: orSo(fc.integer()), outputTokens: orSo(fc.integer()) })),
});

test("any events of Converse are a reply", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...NAMES), payload), { maxLength: 8 }), (sent) => {
      const reply = new ConverseReply({ id: "i", model: "m", names, usedIds: new Set() });
      const events = sent.flatMap(([name, value]) => [...reply.push(name, value)]);
      check([...events, ...reply.end(() => 1)]);
    }),
    { numRuns: 400 },
  );
});
