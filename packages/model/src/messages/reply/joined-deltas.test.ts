import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import type { StreamEvent } from "@keelson/protocol";
import { anthropicProvider } from "../anthropic.ts";
import { gatherTimes, joinedDeltas } from "./joined-deltas.ts";

const text = (value: string, index = 0): StreamEvent => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text: value },
});
const thinking = (value: string): StreamEvent => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "thinking_delta", thinking: value },
});
const json = (value: string): StreamEvent => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json: value },
});
const signature: StreamEvent = {
  type: "content_block_delta",
  index: 0,
  delta: { type: "signature_delta", signature: "s" },
};
const stop: StreamEvent = { type: "content_block_stop", index: 0 };

test.each<[string, StreamEvent[], StreamEvent[]]>([
  ["text", [text("a"), text("b"), text("c"), stop], [text("abc"), stop]],
  ["thoughts", [thinking("a"), thinking("b"), signature, stop], [thinking("ab"), signature, stop]],
  ["the input of a call", [json("{"), json("}"), stop], [json("{}"), stop]],
  ["one delta", [text("a"), stop], [text("a"), stop]],
  ["blocks written in turn", [text("a"), text("b", 1), text("c")], [text("a"), text("b", 1), text("c")]],
  ["kinds in turn", [thinking("a"), text("b"), text("c")], [thinking("a"), text("bc")]],
  ["nothing", [], []],
])("joinedDeltas() keeps the order and joins neighbours: %s", (_, events, joined) => {
  expect(joinedDeltas(events)).toEqual(joined);
});

test("joinedDeltas() leaves a delta whose text is not text as it is", () => {
  const odd = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 7 } } as never;
  expect(joinedDeltas([text("a"), odd, text("b")])).toEqual([text("a"), odd, text("b")]);
});

test.each<[string, StreamEvent | undefined, number]>([
  ["no time before there is an event", undefined, 0],
  ["no time after the end of a block, which may start a tool", stop, 0],
  ["less time for the rest of a call", json("{"), 0.5],
  ["a frame for thoughts", thinking("a".repeat(2_000)), 1],
  ["a frame for text", text("a"), 1],
  ["two frames for text that comes faster than it is read", text("a".repeat(2_000)), 2],
  ["less time for more text than is worth waiting for", text("a".repeat(20_000)), 0.5],
  ["a frame for a delta without a text", { ...text("a"), delta: { type: "text_delta" } } as never, 1],
])("gatherTimes() leaves %s", (_, last, times) => {
  expect(gatherTimes(last)).toBe(times);
});

test.each([undefined, 0, 30])("what came before a broken event is passed on, gathered in %p ms", async (gatherMs) => {
  const events = replyOf(["a", "b"]).slice(0, 4);
  const body = `${events.map(asSse).join("")}data: {"type":7}\n\n${asSse(stop)}`;
  using server = serve(() => new Response(body, EVENT_STREAM));
  const seen: string[] = [];
  const reading = (async () => {
    for await (const part of textsFrom(server.url.origin, gatherMs)) seen.push(part);
  })();
  await expect(reading).rejects.toThrow("invalid event");
  expect(seen).toEqual(gatherMs === undefined ? ["a", "b"] : ["ab"]);
});

test("deltas are joined only for a reader that asked for it", async () => {
  const pieces = Array.from({ length: 40 }, (_, at) => `${at} `);
  const counts = await Promise.all([deltasOf(pieces, undefined), deltasOf(pieces, 30)]);
  expect(counts.map(({ whole }) => whole)).toEqual([pieces.join(""), pieces.join("")]);
  expect(counts[0]!.count).toBe(pieces.length);
  // Far fewer than were sent: reads are 30 ms apart, and the server sends all of them at once.
  expect(counts[1]!.count).toBeLessThan(pieces.length / 2);
});

async function deltasOf(pieces: readonly string[], gatherMs: number | undefined) {
  const events = replyOf(pieces);
  using server = serve(
    () =>
      new Response(
        (async function* () {
          for (const event of events) yield new TextEncoder().encode(asSse(event));
        })(),
        EVENT_STREAM,
      ),
  );
  const parts = await Array.fromAsync(textsFrom(server.url.origin, gatherMs));
  return { whole: parts.join(""), count: parts.length };
}

const EVENT_STREAM = { headers: { "content-type": "text/event-stream" } };

const serve = (fetch: () => Response) => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });

const asSse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

/** The events of a reply with this text. */
function replyOf(pieces: readonly string[]): object[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const start = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  return [
    { type: "message_start", message: start },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...pieces.map((piece) => text(piece)),
    stop,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
}

async function* textsFrom(baseUrl: string, gatherMs: number | undefined): AsyncGenerator<string> {
  const provider = anthropicProvider({ baseUrl, apiKey: "k", gatherMs });
  const request: ModelRequest = {
    model: "m",
    max_tokens: 1,
    system: [],
    betas: [],
    tools: [],
    messages: [{ role: "user", content: "hi" }],
  };
  for await (const event of provider.stream(request, new AbortController().signal)) {
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text;
  }
}
