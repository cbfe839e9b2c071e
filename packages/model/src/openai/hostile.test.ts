// Whatever a server sends, a reader ends with a well-formed reply or a ModelError.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { ModelError } from "@keelson/engine";
import { readField, type StreamEvent } from "@keelson/protocol";
import { CHAT_NAMES, fitNames } from "../fit/names.ts";
import { ChatReader } from "./chat/reader.ts";
import { ResponsesReader } from "./responses/reader.ts";

const anything = fc.anything({ maxDepth: 2, maxKeys: 3 });
const orSo = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: good as fc.Arbitrary<unknown> }, anything);
const some = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const piece = some({
  index: orSo(fc.nat(2)),
  id: orSo(fc.constantFrom("a", "b", "")),
  function: orSo(
    some({
      name: orSo(fc.constantFrom("Read", "multi_tool_use.parallel", "")),
      arguments: orSo(
        fc.constantFrom("{", "}", '"', "{}", '{"a":', "1}", "\\", '{"tool_uses":[{"recipient_name":"Read"}]}'),
      ),
    }),
  ),
});
const delta = some({
  content: orSo(fc.constantFrom("x", "<think>", "</think>", " ")),
  refusal: orSo(fc.constant("no")),
  reasoning: orSo(fc.string()),
  reasoning_content: orSo(fc.string()),
  reasoning_details: orSo(fc.array(orSo(some({ index: fc.nat(1), type: fc.constant("t"), text: fc.string() })))),
  tool_calls: orSo(fc.array(orSo(piece), { maxLength: 3 })),
  function_call: orSo(some({ name: fc.string(), arguments: fc.string() })),
});
const choice = some({
  index: orSo(fc.constant(0)),
  delta: orSo(delta),
  finish_reason: orSo(fc.constantFrom("stop", null)),
});
const chunk = some({ id: anything, choices: orSo(fc.array(orSo(choice), { maxLength: 2 })), usage: anything });

const item = some({
  type: orSo(fc.constantFrom("message", "reasoning", "function_call")),
  call_id: orSo(fc.constantFrom("a", "b")),
  name: orSo(fc.constant("Read")),
  arguments: orSo(fc.constantFrom("{}", '{"a')),
  content: orSo(fc.array(orSo(some({ text: fc.string() })))),
  summary: orSo(fc.array(orSo(some({ text: fc.string() })))),
  encrypted_content: orSo(fc.string()),
});
const EVENTS = [
  "created",
  "output_item.added",
  "output_item.done",
  "output_text.delta",
  "refusal.delta",
  "reasoning_summary_text.delta",
  "reasoning_text.delta",
  "function_call_arguments.delta",
  "completed",
  "incomplete",
].map((name) => `response.${name}`);
const event = some({
  type: orSo(fc.constantFrom(...EVENTS)),
  output_index: orSo(fc.nat(2)),
  item: orSo(item),
  delta: orSo(fc.string()),
  response: orSo(some({ id: fc.string(), usage: anything, incomplete_details: anything })),
});

const options = () => ({
  model: "m",
  names: fitNames([{ name: "Read" }], CHAT_NAMES),
  ids: new Set<string>(),
  contextWindow: 1_000_000,
  estimateInput: () => 1,
});

/** Reads everything; true if it ended as a reply. */
function isReply(
  reader: { push(value: any): StreamEvent[]; end(): StreamEvent[] },
  values: readonly unknown[],
): boolean {
  const events: StreamEvent[] = [];
  try {
    for (const value of values) events.push(...reader.push(value));
    events.push(...reader.end());
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return false;
  }
  check(events);
  return true;
}

function check(events: readonly StreamEvent[]): void {
  expect(events[0]!.type).toBe("message_start");
  expect(events.slice(-2).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
  let open = -1;
  let next = 0;
  for (const event of events) {
    if (event.type === "content_block_start") {
      expect([open, event.index]).toEqual([-1, next]);
      open = next++;
      if (event.content_block.type === "tool_use") expect(readField(event.content_block, "id")).not.toBe("");
    } else if (event.type === "content_block_delta") expect(event.index).toBe(open);
    else if (event.type === "content_block_stop") {
      expect(event.index).toBe(open);
      open = -1;
    }
  }
  expect(open).toBe(-1);
}

test("any chunks of Chat Completions are a reply or an error", () => {
  let replies = 0;
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 6 }), (chunks) => {
      const reader = new ChatReader(options());
      reader.done();
      if (isReply(reader, chunks)) replies++;
    }),
    { numRuns: 500 },
  );
  expect(replies).toBeGreaterThan(0);
});

test("any events of Responses are a reply or an error", () => {
  let replies = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const reader = new ResponsesReader(options());
      if (isReply(reader, [...events, { type: "response.completed" }])) replies++;
    }),
    { numRuns: 500 },
  );
  expect(replies).toBeGreaterThan(0);
});
