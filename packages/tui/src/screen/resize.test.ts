import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { screenFixture } from "../terminal/fixture.test-support.ts";

const SIZES = [
  [80, 24],
  [40, 15],
  [120, 40],
  [41, 40],
  [100, 20],
] as const;

test("in a real terminal, each finished row is there once after any resize, above one prompt", async () => {
  using home = temporaryHome();
  await using terminal = startTerminal({ home, command: screenFixture(home), columns: 120, rows: 40 });
  await terminal.until("ready 120");
  let added = 0;
  for (const [columns, rows] of SIZES) {
    terminal.type("aaaa");
    added += 12;
    await terminal.until(`row ${added} `);
    terminal.resize(columns, rows);
    await terminal.until(`ready ${columns}`);
  }
  // A resize behind a viewer must not cost a row either.
  terminal.type("v");
  await terminal.until("viewer");
  terminal.resize(60, 18);
  terminal.type("v");
  await terminal.until("ready 60");
  terminal.type("z");
  await terminal.until("> z");
  const lines = terminal.scrollback({ joined: true });
  const numbers = lines.flatMap((line) => /^row (\d+) /.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: added }, (_, at) => `${at + 1}`));
  expect(lines.filter((line) => line.startsWith(">"))).toEqual(["> z"]);
  expect(lines.filter((line) => line.startsWith("─"))).toHaveLength(2);
  expect(terminal.bytes).not.toContain("\x1b[3J");
});
