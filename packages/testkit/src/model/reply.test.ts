import { expect, test } from "bun:test";
import { eventsBefore, toEvents, toMessage } from "./reply.ts";

const USAGE = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

test("toEvents() sends thinking, text and calls in the API's order", () => {
  const reply = {
    thinking: "hm",
    text: "Hello",
    deltas: 2,
    calls: [
      { name: "Read", input: { file_path: "/p/a" } },
      { name: "Bash", input: { command: "ls" }, id: "toolu_9" },
    ],
  };

  const message = { id: "msg_3", type: "message", role: "assistant", model: "m", stop_sequence: null } as const;
  const delta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
  const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
  const stop = (index: number) => ({ type: "content_block_stop", index });
  expect<unknown>(toEvents(reply, 3, "m")).toEqual([
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
    },
    start(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "sig_3" }),
    stop(0),
    start(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "Hel" }),
    delta(1, { type: "text_delta", text: "lo" }),
    stop(1),
    start(2, { type: "tool_use", id: "call_3_1", name: "Read", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: '{"file_path":"/p/a"}' }),
    stop(2),
    start(3, { type: "tool_use", id: "toolu_9", name: "Bash", input: {} }),
    delta(3, { type: "input_json_delta", partial_json: '{"command":"ls"}' }),
    stop(3),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: USAGE },
    { type: "message_stop" },
  ]);
  expect(toMessage(reply, 3, "m").content).toEqual([
    { type: "thinking", thinking: "hm", signature: "sig_3" },
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "call_3_1", name: "Read", input: { file_path: "/p/a" } },
    { type: "tool_use", id: "toolu_9", name: "Bash", input: { command: "ls" } },
  ]);
});

test("toEvents() sends blocks of any type as they are", () => {
  const block = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
  expect(toEvents({ blocks: [block] }, 1).slice(1, 3)).toEqual([
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
  ]);
});

test("toEvents() sends broken JSON for the last call only", () => {
  const calls = [
    { name: "A", input: { a: 1 } },
    { name: "B", input: { b: 1 } },
  ];
  const sent = toEvents({ calls, brokenJson: '{"b":' }, 1).flatMap((event) =>
    event.type === "content_block_delta" && event.delta.type === "input_json_delta" ? [event.delta.partial_json] : [],
  );
  expect(sent).toEqual(['{"a":1}', '{"b":']);
});

const texts: readonly [string | string[], number | undefined, string[]][] = [
  ["abc", undefined, ["abc"]],
  ["abcdef", 3, ["ab", "cd", "ef"]],
  ["abcde", 3, ["ab", "cd", "e"]],
  ["ab", 5, ["a", "b"]],
  ["👍👎", 2, ["👍", "👎"]],
  ["", 3, [""]],
  [["x", "", "yz"], undefined, ["x", "", "yz"]],
];

test.each(texts)("toEvents() sends text %p in %p deltas as %p", (text, deltas, expected) => {
  const sent = toEvents({ text, deltas }, 1).flatMap((event) =>
    event.type === "content_block_delta" && event.delta.type === "text_delta" ? [event.delta.text] : [],
  );
  expect(sent).toEqual(expected);
});

test("eventsBefore() finds a point by name or number, and the end for one that is never reached", () => {
  const events = toEvents({ text: "hello", deltas: 2 }, 1);
  const points = ["message_start", "first_delta", "first_block", 0, 2, 99] as const;
  expect(points.map((point) => eventsBefore(point, events))).toEqual([1, 3, 5, 0, 2, events.length]);
  expect(eventsBefore("first_delta", toEvents({}, 1))).toBe(3);
});
