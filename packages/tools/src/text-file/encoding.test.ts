import { expect, test } from "bun:test";
import fc from "fast-check";
import { decode, encode } from "./encoding.ts";

test("decode() detects the encoding by byte order mark, then by validity", () => {
  const cases: [number[], ReturnType<typeof decode>][] = [
    [[], { text: "", encoding: "utf-8", bom: false }],
    [[0x68, 0xc3, 0xa9], { text: "hé", encoding: "utf-8", bom: false }],
    [[0xef, 0xbb, 0xbf, 0x61], { text: "a", encoding: "utf-8", bom: true }],
    [[0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], { text: "\ufeff", encoding: "utf-8", bom: true }],
    [[0xff, 0xfe, 0x61, 0x00], { text: "a", encoding: "utf-16le", bom: true }],
    [[0xfe, 0xff, 0x00, 0x61], { text: "a", encoding: "utf-16be", bom: true }],
    [[0x68, 0xe9, 0x80], { text: "hé€", encoding: "windows-1252", bom: false }],
    [[0xff, 0xfe, 0x61], { text: "ÿþa", encoding: "windows-1252", bom: false }],
  ];
  for (const [bytes, decoded] of cases) expect(decode(Uint8Array.from(bytes))).toEqual(decoded);
});

test("encode() returns exactly the bytes that decode() got", () => {
  const marks = fc.constantFrom<number[]>([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
  fc.assert(
    fc.property(marks, fc.uint8Array({ maxLength: 64 }), (mark, rest) => {
      const bytes = Uint8Array.from([...mark, ...rest]);
      const { text, encoding, bom } = decode(bytes);
      expect(new Uint8Array(encode(text, encoding, bom) as Uint8Array)).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});

test("encode() returns the first character missing from windows-1252", () => {
  expect(encode("é→😀", "windows-1252", false)).toEqual({ lacks: "→" });
  expect(encode("é😀→", "windows-1252", false)).toEqual({ lacks: "😀" });
});
