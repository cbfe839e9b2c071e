import { expect, test } from "bun:test";
import { ModelError } from "@keelson/engine";
import { encodeEvent, encodeFrame } from "@keelson/testkit";
import { EventStreamDecoder } from "./event-stream.ts";

/** What a decoder makes of the chunks. */
function decode(chunks: Iterable<Uint8Array>): { readonly headers: Record<string, string>; readonly text: string }[] {
  const decoder = new EventStreamDecoder();
  const frames = [];
  for (const chunk of chunks)
    for (const { headers, payload } of decoder.push(chunk))
      frames.push({ headers: Object.fromEntries(headers), text: new TextDecoder().decode(payload) });
  return frames;
}

function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function failureOf(chunks: Iterable<Uint8Array>): string {
  try {
    decode(chunks);
  } catch (error) {
    if (error instanceof ModelError) return error.kind;
    throw error;
  }
  return "no error";
}

const FRAMES = Buffer.concat([
  encodeEvent("chunk", { text: "größe 日本 👩‍👩‍👧" }),
  encodeFrame({ ":message-type": "event" }, ""),
  encodeEvent("chunk", { text: "x".repeat(5_000) }),
]);
const event = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" };
const EXPECTED = [
  { headers: event, text: JSON.stringify({ text: "größe 日本 👩‍👩‍👧" }) },
  { headers: { ":message-type": "event" }, text: "" },
  { headers: event, text: JSON.stringify({ text: "x".repeat(5_000) }) },
];

test("a frame is as AWS publishes it", () => {
  // From the published test vectors: an event with one header and a payload.
  const bytes = Buffer.from(
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
    "hex",
  );
  expect(decode([bytes])).toEqual([{ headers: { "content-type": "application/json" }, text: "{'foo':'bar'}" }]);
  expect(Buffer.from(encodeFrame({ "content-type": "application/json" }, "{'foo':'bar'}"))).toEqual(bytes);
});

test.each([1, 2, 3, 7, 11, 12, 13, 64, 4096, FRAMES.length])("frames are the same in chunks of %d bytes", (size) => {
  expect(decode(inChunks(FRAMES, size))).toEqual(EXPECTED);
});

test("headers that are not text are skipped", () => {
  const types = [
    [0],
    [1],
    [2, 9],
    [3, 9, 9],
    [4, 9, 9, 9, 9],
    [5, 9, 9, 9, 9, 9, 9, 9, 9],
    [6, 0, 2, 9, 9],
    [8, 9, 9, 9, 9, 9, 9, 9, 9],
    [9, ...Array<number>(16).fill(9)],
    [7, 0, 1, 65],
  ];
  const head = Buffer.concat(types.map((value, at) => Buffer.from([1, 97 + at, ...value])));
  expect(decode([frameOf(head)])).toEqual([{ headers: { j: "A" }, text: "" }]);
});

test("every changed byte is a cut stream", () => {
  const frame = encodeEvent("chunk", { bytes: "eHg=" });
  const wrong = frame.keys().flatMap((at) => {
    const changed = Uint8Array.from(frame);
    changed[at] = changed[at]! ^ 1;
    const kind = failureOf([changed]);
    return kind === "stream_cut" ? [] : [[at, kind]];
  });
  expect([...wrong]).toEqual([]);
});

test("headers that reach past their end are a cut stream", () => {
  expect(failureOf([frameOf(Buffer.from([200, 97]))])).toBe("stream_cut");
  expect(failureOf([frameOf(Buffer.from([1, 97, 7, 0, 200, 65]))])).toBe("stream_cut");
  expect(failureOf([frameOf(Buffer.from([1, 97, 66]))])).toBe("stream_cut");
});

test("a frame that claims to be huge is refused before it arrives", () => {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(0x7fffffff, 0);
  prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
  expect(failureOf([prelude])).toBe("stream_cut");
});

test("isPartial tells an end within a frame", () => {
  const decoder = new EventStreamDecoder();
  const partial = [...inChunks(FRAMES, 500)].map((chunk) => {
    Array.from(decoder.push(chunk));
    return decoder.isPartial;
  });
  expect([partial[0], partial.at(-1)]).toEqual([true, false]);
});

/** A frame with these bytes as its headers. */
function frameOf(head: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(16 + head.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, 8)), 8);
  bytes.set(head, 12);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}
