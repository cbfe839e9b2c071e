// How /help shortens the descriptions of commands.

import { expect, test } from "bun:test";
import { commandSummary } from "./command-summary.ts";

test.each([
  ["", ""],
  ["Show the cost.", "Show the cost"],
  ["Ships it. Use it when asked to (or not)", "Ships it"],
  ["Ships it: everywhere\nand now", "Ships it"],
  ["Ships it. Use it (user)", "Ships it (user)"],
  ["Ships it (project; /status is the built-in command)", "Ships it (project; /status is the built-in command)"],
  ["(kit) Ships it. Use it", "(kit) Ships it"],
  ["Ships it (replaces the built-in skill)", "Ships it (replaces the built-in skill)"],
])("%p: %p", (description, summary) => {
  expect(commandSummary(description)).toBe(summary);
});
