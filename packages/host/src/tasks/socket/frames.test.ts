import { expect, test } from "bun:test";
import { controlFrame, frameReader, OPCODE } from "./frames.ts";

const { text: TEXT, binary: BINARY, close: CLOSE, ping: PING } = OPCODE;

/** A frame as servers send it. */
function frame(opcode: number, payload: Uint8Array | string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65_536 ? 4 : 10);
  head[0] = (isFinal ? 0x80 : 0) | opcode;
  head[1] = head.length === 2 ? bytes.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(bytes.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
}

const texts = (found: readonly { opcode: number; payload: Buffer }[]) =>
  found.map(({ opcode, payload }) => [opcode, payload.length > 20 ? payload.length : payload.toString()]);

const STREAM = Buffer.concat([
  frame(TEXT, "one"),
  frame(TEXT, "tw", false),
  frame(PING, "?"),
  frame(0, "o", false),
  frame(0, ""),
  frame(BINARY, Buffer.alloc(70_000)),
  frame(TEXT, "x".repeat(200)),
  frame(CLOSE, Buffer.from([3, 232])),
]);
const MESSAGES = [
  [TEXT, "one"],
  [PING, "?"],
  [TEXT, "two"],
  [BINARY, 70_000],
  [TEXT, 200],
  [CLOSE, Buffer.from([3, 232]).toString()],
];

test.each([1, 3, 1_000, STREAM.length])("messages are the same in chunks of %i bytes", (size) => {
  const read = frameReader();
  const found = [];
  for (let at = 0; at < STREAM.length; at += size) found.push(...read(STREAM.subarray(at, at + size)));
  expect(texts(found)).toEqual(MESSAGES);
});

test.each([
  ["a reserved bit", Buffer.from([0xc1, 0])],
  ["a mask from a server", Buffer.from([0x81, 0x80, 0, 0, 0, 0])],
  ["an unknown opcode", Buffer.from([0x83, 0])],
  ["a control frame in parts", Buffer.from([0x09, 0])],
  ["a long control frame", Buffer.from([0x89, 126, 0, 200])],
  ["a continuation of nothing", frame(0, "x")],
  ["a message inside a message", Buffer.concat([frame(TEXT, "a", false), frame(TEXT, "b")])],
  ["a message that is too long", Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0])],
  [
    "too many parts",
    Buffer.concat(Array.from({ length: 3 }, (_, at) => frame(at ? 0 : 1, Buffer.alloc(500_000), false))),
  ],
])("%s is rejected", (_, bytes) => {
  expect(() => frameReader()(bytes)).toThrow();
});

test("control frames are masked and short", () => {
  const sent = controlFrame(PING, Buffer.from("hello"));
  expect([sent[0], sent[1]! & 0x80, sent[1]! & 0x7f, sent.length]).toEqual([0x80 | PING, 0x80, 5, 11]);
  const mask = sent.subarray(2, 6);
  expect(Buffer.from(sent.subarray(6).map((byte, at) => byte ^ mask[at % 4]!)).toString()).toBe("hello");
  expect(controlFrame(PING, Buffer.alloc(200)).length).toBe(131);
});
