// What is said about a resized area, next to what xterm.js does to it.

import { expect, test } from "bun:test";
import { makeEmulator } from "@keelson/testkit/terminal";
import { randomOf } from "../random.test-support.ts";
import type { ScreenSize } from "../port.ts";
import { ResizedArea } from "./reflow.ts";

test("the rows of an area are where xterm.js puts them, as long as nothing has been scrolled away", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { expected, found } = await resized(seed);
    expect({ seed, lines: expected }).toEqual({ seed, lines: found });
  }
});

async function resized(seed: number) {
  const random = randomOf(seed);
  const size = { columns: random(40, 120), rows: 45 };
  const row = () => {
    const text = "x".repeat(random(0, 3) === 0 ? size.columns : random(0, size.columns));
    // As the rows of a diff are painted to the edge of the window.
    return random(0, 3) === 0 ? `\x1b[41m${text.padEnd(size.columns)}\x1b[49m` : text;
  };
  const finished = Array.from({ length: random(0, 24) }, row);
  const rows = Array.from({ length: random(2, 18) }, row);
  const at = random(0, rows.length - 1);
  const emulator = makeEmulator({ ...size, scrollback: 1_000 });
  const up = rows.length - 1 - at;
  const text = `${[...finished, ...rows].join("\r\n")}\r${up > 0 ? `\x1b[${up}A` : ""}`;
  await new Promise<void>((resolve) => emulator.write(text, resolve));
  const area = { rows, cursor: { row: at, column: 0 }, size, y: emulator.cursor().row, finished };
  const after = new ResizedArea(area, "xterm.js");
  let isScrolled = false;
  for (let step = random(1, 3); step > 0 && !isScrolled; step--) {
    const to: ScreenSize = { columns: random(40, 120), rows: 45 };
    emulator.resize(to.columns, to.rows);
    isScrolled = emulator.scrollback().length > to.rows;
    if (!isScrolled) after.step(to);
  }
  const lines = emulator.screen();
  const expected = after.lines().map((line) => line.text.trimEnd());
  const top = emulator.cursor().row - after.above;
  emulator.dispose();
  return {
    expected,
    found: isScrolled ? expected : lines.slice(top, top + expected.length).map((line) => line.trimEnd()),
  };
}
