import { expect, test } from "bun:test";
import { joinFilledLines } from "./filled-lines.ts";

const long = "a text that somebody filled up to the margin of the file which";

test.each([
  ["short\nlines", "short\nlines"],
  [`${long}\nwas sixty columns wide`, `${long} was sixty columns wide`],
  [`${long}\n\`was\` wide`, `${long} \`was\` wide`],
  [`${long}.\nA new sentence`, `${long}.\nA new sentence`],
  [`${long}  \nhas a break`, `${long}\nhas a break`],
  [`${long}\\\nhas a break`, `${long}\\\nhas a break`],
  [`a short line\n${long}`, `a short line\n${long}`],
  [`${long.repeat(3)}\nmeant`, `${long.repeat(3)}\nmeant`],
])("%j", (text, joined) => {
  expect(joinFilledLines(text)).toBe(joined);
});
