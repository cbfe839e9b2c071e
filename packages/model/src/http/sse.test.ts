import { expect, test } from "bun:test";
import { array, assert, constantFrom, integer, property, string, tuple } from "fast-check";
import { SseDecoder, type SseEvent } from "./sse.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (...chunks: readonly string[]): SseEvent[] => {
  const decoder = new SseDecoder();
  return chunks.flatMap((chunk) => [...decoder.push(encode(chunk))]);
};

test("an event has a name and joined data lines", () => {
  expect(decode("event: a\ndata: 1\ndata:2\n\ndata\n\n")).toEqual([
    { event: "a", data: "1\n2" },
    { event: "message", data: "" },
  ]);
});

test("comments, unknown fields and events without data are ignored", () => {
  expect(decode(": hello\nid: 7\nretry: 1\n\nevent: lonely\n\ndata: x\n\n")).toEqual([{ event: "message", data: "x" }]);
});

test("lines may end in LF, CRLF or CR, even across chunks", () => {
  const expected = [
    { event: "a", data: "1" },
    { event: "b", data: "2" },
  ];
  expect(decode("event: a\rdata: 1\r\revent: b\r\ndata: 2\r\n\r\n")).toEqual(expected);
  expect(decode("event: a\r", "\ndata: 1\r", "\n\r", "\nevent: b\ndata: 2\n", "\n")).toEqual(expected);
});

test("an incomplete event at the end of the stream is dropped", () => {
  expect(decode("data: whole\n\ndata: half\n")).toEqual([{ event: "message", data: "whole" }]);
});

test("a byte order mark is skipped, and characters split between chunks are joined", () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...encode("data: é€😀\n\n")]);
  const decoder = new SseDecoder();
  expect([...bytes].flatMap((byte) => [...decoder.push(Uint8Array.of(byte))])).toEqual([
    { event: "message", data: "é€😀" },
  ]);
});

test("an event over the limit throws, in one line or many, in one chunk or many", () => {
  const push = (text: string, size: number) => {
    const decoder = new SseDecoder({ maxSize: 100 });
    const bytes = encode(text);
    for (let at = 0; at < bytes.length; at += size) for (const _ of decoder.push(bytes.subarray(at, at + size)));
  };
  for (const size of [1, 7, 1000]) {
    expect(() => push(`data: ${"x".repeat(200)}`, size)).toThrow(RangeError);
    expect(() => push("data: 12345678\n".repeat(20), size)).toThrow(RangeError);
    expect(() => push("data: 12345678\n\n".repeat(20), size)).not.toThrow();
  }
});

test("any chunking gives the same events", () => {
  const line = tuple(
    constantFrom("data:", "data: ", "event: ", ": ", "data", "id: ", ""),
    string({ unit: "grapheme", maxLength: 12 }),
    constantFrom("\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"),
  ).map((parts) => parts.join(""));
  assert(
    property(array(line, { maxLength: 12 }), array(integer({ min: 1, max: 9 }), { minLength: 1 }), (lines, sizes) => {
      const bytes = encode(lines.join(""));
      const whole = [...new SseDecoder().push(bytes)];
      const decoder = new SseDecoder();
      const pieces: SseEvent[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        pieces.push(...decoder.push(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(pieces).toEqual(whole);
    }),
    { numRuns: 300 },
  );
});
