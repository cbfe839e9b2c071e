import { expect, test } from "bun:test";
import { inlineCommands } from "./inline-shell.ts";

const commandsIn = (text: string) => inlineCommands(text).map(({ command }) => command);

test.each([
  ["Status: !`git status`", ["git status"]],
  ["!`a` and\n!`b`", ["a", "b"]],
  ["x!`a`", []],
  ["! a\n!a", []],
  ["`!a`", []],
  ["!``", []],
  ["```\n!`a`\n```", ["a"]],
  ["```!\na\nb\n```\nx", ["a\nb"]],
  ["  ```! bash\na\n  ```", ["a"]],
  ["```!\necho !`x`\n```", ["echo !`x`"]],
  ["```!\nnever closed", []],
])("%j", (text, commands) => {
  expect(commandsIn(text)).toEqual(commands);
});

test("a range covers the whole form, fence included", () => {
  const text = "a !`b` c\n```!\nd\n```\ne";
  expect(inlineCommands(text).map(({ start, end }) => text.slice(start, end))).toEqual(["!`b`", "```!\nd\n```"]);
});

test("no more than fifty run", () => {
  expect(commandsIn("!`a` ".repeat(80))).toHaveLength(50);
});

test("blocks and inline commands are told apart also where they alternate", () => {
  const text = "!`a` ```!\n```!\n!`b`\n```\n!`c`\n```!\n\n```\n !`d` !` `";
  expect(commandsIn(text)).toEqual(["a", "!`b`", "c", "d"]);
});

test("a long text is read in one pass", () => {
  // With a search to the end for each fence, these would take many minutes.
  for (const part of ["```!\n", "```!\n ``` x\n", "```!\na\n```\n!`b`\n", "!`"]) {
    expect(inlineCommands(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(50);
  }
});
