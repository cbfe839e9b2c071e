import { expect, test } from "bun:test";
import { makeEmulator } from "@keelson/testkit/terminal";
import { PlainScreen, type PlainLive } from "./plain-screen.ts";

function plain(columns = 40) {
  const emulator = makeEmulator({ columns, rows: 20, scrollback: 100 });
  let live: PlainLive = { rows: [] };
  let written = "";
  const screen = new PlainScreen({
    terminal: {
      columns,
      rows: 20,
      write(text) {
        written += text;
      },
    },
    draw: () => live,
  });
  return {
    screen,
    show(next: PlainLive) {
      live = next;
      screen.changed();
    },
    type(text: string, cursor = text.length) {
      this.show({ rows: live.rows, line: { text, cursor } });
    },
    get written() {
      return written;
    },
    /** What is seen in the end. */
    async seen() {
      await new Promise<void>((resolve) => emulator.write(written, resolve));
      written = "";
      return { rows: emulator.scrollback().join("\n").trimEnd().split("\n"), column: emulator.cursor().column };
    },
  };
}

test("text is appended without colors, frames or rules", () => {
  const world = plain();
  world.screen.append(["─────", "\x1b[31mhello\x1b[39m", "╭───╮", "│ in │", "╰───╯", "", "end"]);
  expect(world.written).toBe("hello\r\nin\r\n\r\nend\r\n");
});

test("what is typed is echoed as typed, after a dollar sign", () => {
  const world = plain();
  for (const text of ["", "l", "ls", "ls ", "ls"]) world.type(text);
  expect(world.written).toBe("$ ls \b \b");
});

test.each([
  ["taking back", ["hello", "hell"], undefined, "$ hell", 6],
  ["typing in the middle", ["helo", "hello"], 3, "$ hello", 5],
  ["deleting a word at the start", ["one two", "two"], 0, "$ two", 2],
  ["wide characters", ["漢字", "漢"], undefined, "$ 漢", 4],
  ["replacing everything", ["something long", "x"], undefined, "$ x", 3],
  ["a control character", ["a\x1b[2Jb"], undefined, "$ a␛[2Jb", 8],
] as const)("%s is seen as it is", async (_, texts, cursor, row, column) => {
  const world = plain();
  for (const text of texts) world.type(text, cursor ?? text.length);
  expect(await world.seen()).toEqual({ rows: [row], column });
});

test("a line longer than the window is written again below when it changes before its end", async () => {
  const world = plain(10);
  world.type("123456789012");
  world.type("12345678901");
  expect((await world.seen()).rows).toEqual(["$ 12345678", "9012", "$ 12345678", "901"]);
});

test("text that arrives while someone types does not mix with it", () => {
  const world = plain();
  world.type("dra");
  world.screen.append(["news"]);
  world.type("draft");
  expect(world.written).toBe("$ dra\r\nnews\r\n$ draft");
});

test("a dialog is said once, then only what changed", () => {
  const world = plain();
  world.show({ rows: ["────", "Allow this?", "❯ 1. Yes", "  2. No"] });
  world.show({ rows: ["────", "Allow this?", "❯ 1. Yes", "  2. No"] });
  world.show({ rows: ["────", "Allow this?", "  1. Yes", "❯ 2. No"] });
  world.show({ rows: [] });
  expect(world.written).toBe("Allow this?\r\n❯ 1. Yes\r\n  2. No\r\n❯ 2. No\r\n");
});

test("a viewer is read out, and no sequence is ever written", () => {
  const world = plain();
  const viewer = world.screen.fullScreen(({ rows }) => ({ rows: ["\x1b[1mTitle\x1b[22m", `fits in ${rows > 1000}`] }));
  viewer.close();
  world.type("x");
  world.screen.clear();
  world.screen.pause();
  world.screen.resume();
  world.screen.end();
  world.screen.append(["late"]);
  expect(world.written).toBe("Title\r\nfits in true\r\n$ x\r\n$ x\r\n$ x\r\n");
});
