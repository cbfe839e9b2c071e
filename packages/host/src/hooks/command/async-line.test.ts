import { expect, test } from "bun:test";
import { readAsyncLine } from "./async-line.ts";
import { keepHead } from "./head.ts";

test.each([
  ["", "not yet"],
  ["{", "not yet"],
  ['{"async":true', "not yet"],
  ['{"a":{"b":1}', "not yet"],
  ['{"async":true}', { length: 14 }],
  ['{"async":true}\n{"systemMessage":"x"}\n', { length: 15 }],
  ['{"async":true}\r\nmore', { length: 16 }],
  ['{"async":true,"asyncTimeout":1500}\n', { length: 35, timeoutMs: 1500 }],
  ['{"async":true,"asyncTimeout":-1}\n', { length: 33 }],
  ['{"async":true,"asyncTimeout":"soon"}\n', { length: 37 }],
  ['{"async":"true"}\n', "none"],
  ['{"decision":"block"}', "none"],
  ['{\n"async":true}', "none"],
  ["{nonsense}\n", "none"],
  ['text\n{"async":true}\n', "none"],
  [`{"a":"${"é".repeat(2_100)}`, "none"],
] as const)("readAsyncLine() of %j", (text, wanted) => {
  const head = keepHead(100_000);
  head.push(Buffer.from(text));
  expect(readAsyncLine(head)).toEqual(wanted);
});
