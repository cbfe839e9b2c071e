import { expect, test } from "bun:test";
import { printableLine, printableLines, printableSentence } from "./printable.ts";

const HOSTILE = "a\u001b]0;x\u0007\nb\tc\u009b2J\u2028d\u202ee\u2066f\u200bg\ufeffh";

test.each([
  ["printableLine() leaves one line without hidden characters", printableLine, "a?]0;x??b?c?2J?d?e?f?g?h"],
  ["printableLines() keeps line breaks and tabs", printableLines, "a?]0;x?\nb\tc?2J?d?e?f?g?h"],
  ["printableSentence() leaves one line with spaces", printableSentence, "a ]0;x b c 2J d e f g h"],
])("%s", (_, make, plain) => {
  expect(make(HOSTILE)).toBe(plain);
});

test("letters, emoji and joiners of a name stay; a sentence has no joiners", () => {
  const name = "می‌خواهم 👩‍🚀 é.txt";
  expect(printableLine(name)).toBe(name);
  expect(printableSentence("x\u200d\u200cy ")).toBe("x y");
});
