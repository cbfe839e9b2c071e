import { expect, test } from "bun:test";
import fc from "fast-check";
import { framed, FrameReader, FramingError } from "./framing.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (...chunks: readonly Uint8Array[]) => {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
};

test("messages arrive whole, however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.array(fc.nat(200), { maxLength: 20 }),
      (values, cuts) => {
        const all = bytes(values.map((value) => framed({ value })).join(""));
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(all.slice(at, at + cut));
          at += cut;
        }
        const sent: unknown = JSON.parse(JSON.stringify(values.map((value) => ({ value }))));
        expect(read(...chunks, all.slice(at))).toEqual(sent as object[]);
      },
    ),
  );
});

test("other header lines are ignored, and the name of the header may be written in any case", () => {
  expect(read(bytes("content-length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}"))).toEqual(
    [{}],
  );
});

test.each([
  ["text", "No such option --stdio\n"],
  ["text before a header", "No such option\nContent-Length: 2\r\n\r\n{}"],
  ["JSON without a header", '{"jsonrpc": "2.0"}\n'],
  ["a header without a length", "Content-Type: x\r\n\r\n{}"],
  ["a length that is no number", "Content-Length: many\r\n\r\n{}"],
  ["a negative length", "Content-Length: -1\r\n\r\n{}"],
  ["an enormous length", "Content-Length: 99999999999\r\n\r\n"],
  ["a header without an end", `Content-Length: 1\r\n${"X: y\r\n".repeat(2_000)}`],
  ["JSON that is broken", "Content-Length: 2\r\n\r\n{]"],
])("%s is an error", (_, text) => {
  expect(() => read(bytes(text))).toThrow(FramingError);
});
