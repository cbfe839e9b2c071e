import { expect, test } from "bun:test";
import fc from "fast-check";
import { LineSplitter, toLine } from "./jsonl.ts";

function split(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const splitter = new LineSplitter();
  const lines: string[] = [];
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...places, bytes.length]) {
    lines.push(...splitter.push(bytes.subarray(start, end)));
    start = end;
  }
  const rest = splitter.rest();
  return rest === undefined ? lines : [...lines, rest];
}

test("LineSplitter returns the same lines wherever the chunks are cut, even inside a character", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, " "));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.nat()), (lines, cuts) => {
      expect(split(new TextEncoder().encode(lines.map((text) => `${text}\n`).join("")), cuts)).toEqual(lines);
    }),
  );
});

test("LineSplitter accepts CRLF, empty lines and a last line without newline", () => {
  expect(split(new TextEncoder().encode("a\r\n\nb"), [])).toEqual(["a", "", "b"]);
});

test("LineSplitter refuses a line that is too long", () => {
  const splitter = new LineSplitter({ maxBytes: 10 });
  expect([...splitter.push(new Uint8Array(10).fill(97))]).toEqual([]);
  expect(() => [...splitter.push(new Uint8Array(1).fill(97))]).toThrow("Line is longer than 10 bytes");
});

test("toLine() is one line for any value and reads back as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const line = toLine(value);
      expect(line.match(/[\n\r\u2028\u2029]/g)).toEqual(["\n"]);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
