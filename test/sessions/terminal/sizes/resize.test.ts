// What stays of a conversation when the size of the window changes.

import { expect, test } from "bun:test";
import { openAtTerminal } from "../at-terminal.ts";
import { AT_PROMPT } from "./walk.ts";

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
  await terminal.until(AT_PROMPT);
  const words = terminal.scrollback({ joined: true }).flatMap((row) => row.match(/L\d+x\d+\./g) ?? []);
  expect(words).toEqual(names);
});
