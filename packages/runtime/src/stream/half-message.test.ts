// The message in progress is what its events lead to, whenever one looks.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BlockDelta, StreamEvent, StreamEventMessage } from "@keelson/protocol";
import { HalfMessage } from "./half-message.ts";

const start = { type: "message_start", message: { id: "m" } } as unknown as StreamEvent;
const message = (event: StreamEvent): StreamEventMessage => ({
  type: "stream_event",
  event,
  parent_tool_use_id: null,
  session_id: "s",
  uuid: "u",
});

const delta: fc.Arbitrary<BlockDelta> = fc.oneof(
  fc.string().map((text) => ({ type: "text_delta" as const, text })),
  fc.string().map((thinking) => ({ type: "thinking_delta" as const, thinking })),
  fc.string().map((signature) => ({ type: "signature_delta" as const, signature })),
  fc.string().map((partial_json) => ({ type: "input_json_delta" as const, partial_json })),
  fc.string().map((citation) => ({ type: "citations_delta" as const, citation })),
);
const index = fc.nat(3);
const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  index.map((index) => ({
    type: "content_block_start" as const,
    index,
    content_block: { type: "text" as const, text: "" },
  })),
  { weight: 5, arbitrary: fc.record({ type: fc.constant("content_block_delta" as const), index, delta }) },
  index.map((index) => ({ type: "content_block_stop" as const, index })),
  fc.constant({ type: "ping" as const }),
  fc.constant({ type: "message_delta" as const, delta: { stop_reason: "end_turn" } }),
);

/** What a client knows of each block that is not complete after these events: the text of each kind of delta. */
function read(events: readonly StreamEvent[]): unknown {
  const blocks = new Map<number, { texts: Record<string, string>; others: unknown[] }>();
  for (const each of events) {
    if (each.type === "content_block_start") blocks.set(each.index, { texts: {}, others: [] });
    const block = "index" in each ? blocks.get(each.index) : undefined;
    if (each.type === "content_block_stop") blocks.delete(each.index);
    if (each.type !== "content_block_delta" || !block) continue;
    const { type, ...rest } = each.delta;
    const [text] = Object.values(rest);
    if (type === "citations_delta") block.others.push(text);
    else block.texts[type] = (block.texts[type] ?? "") + String(text);
  }
  return Object.fromEntries(blocks);
}

test("its events lead to the same as all events so far", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const half = new HalfMessage();
      for (const each of [start, ...events]) half.add(message(each));
      const found = half.events();
      expect(found[0]).toEqual(start);
      expect(read(found)).toEqual(read(events));
      expect(found.length).toBeLessThan(2 + 4 * 6 + events.filter(isCitation).length);
    }),
    { numRuns: 500 },
  );
});

const isCitation = (event: StreamEvent) =>
  event.type === "content_block_delta" && event.delta.type === "citations_delta";

test("there is none before a message starts and after it ends", () => {
  const half = new HalfMessage();
  expect(half.events()).toEqual([]);
  half.add(message(start));
  expect(half.events()).toEqual([start]);
  half.add(message({ type: "message_stop" }));
  expect(half.events()).toEqual([]);
});

test("a block that was sent whole is no part of it, whether its end was streamed or not", () => {
  const half = new HalfMessage();
  const block = (at: number) =>
    ({ type: "content_block_start", index: at, content_block: { type: "text", text: "" } }) as const;
  for (const each of [start, block(0)]) half.add(message(each));
  half.settle();
  expect(half.events()).toEqual([start]);
  for (const each of [{ type: "content_block_stop", index: 0 } as const, block(1)]) half.add(message(each));
  expect(half.events()).toEqual([start, block(1)]);
});

test("clients that know no snapshots get its events as they were streamed", () => {
  const half = new HalfMessage();
  const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as const;
  half.add(message(start));
  half.add(message(block));
  expect(half.messages(() => "new")).toEqual([message(start), { ...message(block), uuid: "new" }]);
});
