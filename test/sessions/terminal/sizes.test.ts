// What has to be seen in a window of any size, and what stays of it when the size changes.

import { expect, test } from "bun:test";
import type { TestTerminal } from "@keelson/testkit/terminal";
import { openAtTerminal } from "./at-terminal.ts";

const isIdle = (terminal: TestTerminal) => !terminal.screen().some((row) => row.includes("to interrupt"));
const atPrompt = (terminal: TestTerminal) =>
  isIdle(terminal) && !terminal.modes.alternateScreen && terminal.screen().some((row) => /^❯\s*$/.test(row));

/** A row that the terminal had to break was too wide. */
function expectToFit(terminal: TestTerminal): void {
  const wide = terminal.scrollback({ joined: true }).filter((row) => Bun.stringWidth(row) > terminal.columns);
  expect(wide).toEqual([]);
}

const questions = [
  {
    question: "Which of the two colors should the button have when it is pressed?",
    header: "Color",
    multiSelect: false,
    options: [
      { label: "Red", description: "as the warnings in the rest of the program" },
      { label: "Blue", description: "as the links" },
    ],
  },
];

test.each([
  [120, 40],
  [80, 24],
  [40, 15],
])("in %i×%i, prompt, dialogs, panels and viewer fit and can be left with Esc", async (columns, rows) => {
  const text = Array.from({ length: rows }, (_, at) => `- line ${at + 1}`).join("\n");
  await using at = await openAtTerminal(
    [
      { calls: [{ name: "Bash", input: { command: `make ${"alpha ".repeat(20)}`, description: "Build everything" } }] },
      { calls: [{ name: "AskUserQuestion", input: { questions } }] },
      { text },
    ],
    { columns, rows },
  );
  const { terminal } = at;
  const shows = async (...words: readonly (string | RegExp)[]) => {
    for (const word of words) await terminal.until(word);
    expectToFit(terminal);
  };
  terminal.type("build it\r");
  await shows("Run this command?", "make alpha", "1. Yes", /\d\. No/);
  terminal.press("esc");
  await terminal.until(atPrompt);
  terminal.type("ask me\r");
  await shows("Which of the two colors", "1. Red", "2. Blue");
  terminal.press("esc");
  await terminal.until(atPrompt);
  terminal.type("list\r");
  await terminal.until(`line ${rows}`);
  await terminal.until(atPrompt);
  for (const [command, ...words] of [
    ["/help", /commands/i],
    ["/config", "Auto-compact"],
    ["/permissions", "Allow"],
    ["/status", "Version"],
    ["/context", /tokens/i],
  ] as const) {
    terminal.type(`${command}\r`);
    await shows(...words);
    terminal.press("esc");
    await terminal.until(atPrompt);
  }
  terminal.press("ctrl+o");
  await shows("Transcript");
  terminal.press("esc");
  await terminal.until(atPrompt);
  expectToFit(terminal);
});

test("each line is there once when the window changes its size while they arrive", async () => {
  const sizes = [
    [60, 20],
    [120, 40],
    [40, 15],
    [100, 30],
  ] as const;
  const releases = sizes.map(() => Promise.withResolvers<void>());
  const names: string[] = [];
  const part = (number: number) =>
    Array.from({ length: 30 }, (_, at) => {
      names.push(`L${number}x${at}.`);
      return `L${number}x${at}. is a line of the answer\n\n`;
    }).join("");
  // Each reply waits in its middle, and the next part comes in the window's new size.
  await using at = await openAtTerminal(
    sizes.map((_, number) => ({
      text: [part(number), "…\n\n", part(number + 10)],
      hold: releases[number]!.promise,
      holdAfter: 4,
      ...(number < sizes.length - 1
        ? { calls: [{ name: "Read", input: { file_path: `missing-${number}.txt` } }] }
        : {}),
    })),
    { columns: 80, rows: 24 },
  );
  const { terminal } = at;
  const has = (name: string) => terminal.until(({ scrollback }) => scrollback().some((row) => row.includes(name)));
  terminal.type("go\r");
  for (const [number, [columns, rows]] of sizes.entries()) {
    await has(`L${number}x29.`);
    terminal.resize(columns, rows);
    releases[number]!.resolve();
    await has(`L${number + 10}x29.`);
  }
  await terminal.until(atPrompt);
  const words = terminal.scrollback({ joined: true }).flatMap((row) => row.match(/L\d+x\d+\./g) ?? []);
  expect(words).toEqual(names);
});
