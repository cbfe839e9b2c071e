import { expect, test } from "bun:test";
import { printedRuns } from "./printed.ts";

const plain = (text: string) =>
  printedRuns(text).map((run) => (run.look === "" ? run.text : `<${run.look}:${run.text}>`));

test.each([
  ["a\u001b[31mred\u001b[0mb", ["a", "<ink-red:red>", "b"]],
  ["\u001b[1;92mgood\u001b[22m so\u001b[39m.", ["<ink-green bold:good>", "<ink-green: so>", "."]],
  ["\u001b[38;5;31mx\u001b[38;2;1;31;3my", ["xy"]],
  ["\u001b[2Kgone\u001b[10;3H", ["gone"]],
  ["\u001b]8;;https://x.test\u0007link\u001b]8;;\u001b\\.", ["link."]],
  ["\u001b]0;a title that never ends", []],
  ["10 %\r50 %\r100 %\nnext\r\nlast\r", ["100 %\nnext\nlast"]],
  ["a\u0007\u0000\u009b31mb\tc", ["ab\tc"]],
  ["cut off \u001b[3", ["cut off "]],
  ["", []],
])("%j is shown as %j", (text, shown) => {
  expect(plain(text)).toEqual(shown as string[]);
});

test("a long output without an end of a title is read in one go", () => {
  const text = "\u001b]".repeat(200_000);
  const started = performance.now();
  printedRuns(text);
  expect(performance.now() - started).toBeLessThan(2_000);
});
