import { expect, test } from "bun:test";
import { rowsAboveCursor } from "./live/reflow.ts";
import { randomOf } from "./random.test-support.ts";
import { testScreen } from "./screen.test-support.ts";
import type { Rendered } from "./view.ts";

const PROMPT = { rows: ["─".repeat(40), "> hi", "─".repeat(40), "footer"], cursor: { row: 1, column: 4 } };

async function started(columns = 40, rows = 10) {
  const test = testScreen(columns, rows);
  test.show(PROMPT);
  test.screen.changed({ now: true });
  await test.settled();
  return test;
}

test("finished rows are above the live area, and the cursor is where the next character appears", async () => {
  const { screen, emulator, settled, lines } = await started();
  screen.append(["one", "two"]);
  screen.flush();
  await settled();
  expect(lines()).toEqual(["one", "two", ...PROMPT.rows]);
  expect(emulator.cursor()).toEqual({ row: 3, column: 4 });
  expect(emulator.cursorVisible).toBe(false);
});

test("the cursor is seen where something can be typed, and nowhere else", async () => {
  const { screen, emulator, show, settled, written } = testScreen(40, 10, { showCursor: true });
  const seen = async (live: Rendered) => {
    show(live);
    screen.changed({ now: true });
    await settled();
    return emulator.cursorVisible;
  };
  expect(await seen(PROMPT)).toBe(true);
  expect(await seen({ rows: ["A list", "> one"] })).toBe(false);
  expect(await seen({ rows: ["A list", "> one"], cursor: { row: 0, column: 0 } })).toBe(true);
  const before = written.length;
  expect(await seen({ rows: ["A list", "> one"], cursor: { row: 0, column: 0 } })).toBe(true);
  expect(written.length).toBe(before);

  const viewer = screen.fullScreen(() => ({ rows: ["view"] }));
  await settled();
  expect(emulator.cursorVisible).toBe(false);
  viewer.close();
  await settled();
  expect(emulator.cursorVisible).toBe(true);
  await seen({ rows: ["A list"] });
  screen.pause();
  await settled();
  expect(emulator.cursorVisible).toBe(true);
});

test("nothing is written when nothing changed, and only changed rows otherwise", async () => {
  const { screen, written, show, settled, lines } = await started();
  const before = written.length;
  screen.changed({ now: true });
  expect(written.length).toBe(before);
  show({ rows: [PROMPT.rows[0]!, "> hi!", ...PROMPT.rows.slice(2)], cursor: { row: 1, column: 5 } });
  screen.changed({ now: true });
  expect(written.slice(before)).toEqual([
    "\x1b[?2026h\x1b[?7l\r\x1b[K> hi!\x1b[?7h\r\x1b[5C\r\x1b[999C\x1b[6n\r\x1b[5C\x1b[?2026l",
  ]);
  await settled();
  expect(lines()[1]).toBe("> hi!");
});

test("there are at most 30 frames a second, a key is drawn at once, and no timer runs when idle", async () => {
  const { screen, written, waiting, advance, settled } = await started();
  const frames = () => written.length;
  const before = frames();
  for (let at = 0; at < 100; at++) {
    screen.append([`row ${at}`]);
    advance(10);
  }
  expect(frames() - before).toBeLessThanOrEqual(31);
  await settled();
  expect(waiting).toEqual([]);
  const idle = frames();
  screen.append(["key"]);
  screen.changed({ now: true });
  expect(frames()).toBe(idle + 1);
  await settled();
  advance(1000);
  expect(frames()).toBe(idle + 1);
  expect(waiting).toEqual([]);
});

test("a small window that is dragged slowly keeps no live rows in its scrollback", async () => {
  const { screen, show, resize, advance, reply, settled, lines } = testScreen(60, 12);
  const live = (columns: number) => ({
    rows: ["working", "", "─".repeat(columns), "> hi", "─".repeat(columns), "f".repeat(columns)],
    cursor: { row: 3, column: 4 },
  });
  const finished = Array.from({ length: 8 }, (_, at) => `row ${at}`);
  show(live(60));
  screen.append(finished);
  screen.changed({ now: true });
  await settled();
  for (let step = 1; step <= 6; step++) {
    show(live(60 - 4 * step));
    resize(60 - 4 * step, 12 - step);
    for (let ms = 0; ms < 120; ms += 20) {
      advance(20);
      await reply();
    }
  }
  await settled();
  expect(lines()).toEqual([...finished, ...live(36).rows]);
});

test("the live area is cut at its top when it is higher than the screen", async () => {
  const { screen, emulator, show, settled } = await started(40, 5);
  show({ rows: Array.from({ length: 9 }, (_, at) => `row ${at}`), cursor: { row: 8, column: 2 } });
  screen.append(["finished"]);
  screen.changed({ now: true });
  await settled();
  expect(emulator.screen()).toEqual(["row 4", "row 5", "row 6", "row 7", "row 8"]);
  expect(emulator.cursor()).toEqual({ row: 4, column: 2 });
  show({ rows: ["small"] });
  screen.changed({ now: true });
  await settled();
  expect(emulator.scrollback().filter(Boolean)).toEqual(["finished", "small"]);
});

test("a viewer covers everything and leaves no trace; what was finished meanwhile follows", async () => {
  const { screen, emulator, settled, lines } = await started();
  screen.append(["one"]);
  screen.flush();
  const viewer = screen.fullScreen(({ rows }) => ({ rows: Array.from({ length: rows }, (_, at) => `view ${at}`) }));
  await settled();
  expect(emulator.modes.alternateScreen).toBe(true);
  expect(emulator.screen()).toEqual(Array.from({ length: 10 }, (_, at) => `view ${at}`));
  screen.append(["two"]);
  screen.changed({ now: true });
  viewer.close();
  await settled();
  expect(emulator.modes.alternateScreen).toBe(false);
  expect(lines()).toEqual(["one", "two", ...PROMPT.rows]);
});

test("pausing removes the live area and shows the cursor; resuming draws it where the cursor is then", async () => {
  const { screen, emulator, settled, lines } = await started();
  screen.append(["one"]);
  screen.pause();
  await settled();
  expect([lines(), emulator.cursorVisible, emulator.cursor()]).toEqual([["one"], true, { row: 1, column: 0 }]);
  emulator.write("shell\r\n", () => {});
  screen.append(["two"]);
  screen.resume();
  await settled();
  expect(lines()).toEqual(["one", "shell", "two", ...PROMPT.rows]);
  expect(emulator.cursorVisible).toBe(false);
});

test.each([
  [false, ["one"], { row: 1, column: 0 }],
  [true, ["one", ...PROMPT.rows], { row: 5, column: 0 }],
])("the end with keep: %p leaves the cursor below everything", async (keep, expected, cursor) => {
  const { screen, emulator, settled, lines, written } = await started();
  screen.append(["one"]);
  screen.end({ keep });
  await settled();
  expect([lines(), emulator.cursorVisible, emulator.cursor()]).toEqual([expected, true, cursor]);
  const last = written.length;
  screen.append(["late"]);
  screen.changed({ now: true });
  screen.end();
  expect(written.length).toBe(last);
});

test("clearing draws the live area anew, and with scroll the rows above go into the scrollback", async () => {
  const { screen, emulator, settled, lines, written } = await started();
  screen.append(["one", "two"]);
  screen.flush();
  await settled();
  emulator.write("\r\ngarbage\x1b[1A", () => {});
  screen.clear();
  await settled();
  expect(lines()).toEqual(["one", "two", ...PROMPT.rows]);
  screen.clear({ scroll: true });
  await settled();
  expect(emulator.screen().slice(0, 4)).toEqual(PROMPT.rows);
  expect(lines()).toEqual(["one", "two", ...PROMPT.rows]);
  expect(written.join("")).not.toContain("\x1b[3J");
});

test("one can wait for the answers that are on their way, also from a terminal that gives none", async () => {
  const answering = await started();
  answering.show({ rows: ["other"] });
  answering.screen.changed({ now: true });
  let answered = false;
  const waiting = answering.screen.answered().then(() => (answered = true));
  answering.screen.end();
  expect(answered).toBe(false);
  await answering.settled();
  await waiting;

  const silent = testScreen(40, 10, { answers: false });
  silent.screen.changed({ now: true });
  silent.show(PROMPT);
  silent.screen.changed({ now: true });
  const given = silent.screen.answered();
  silent.advance(400);
  await given;
});

test.each([20, 33, 60])("a frame that arrives after a resize to %i columns is repaired", async (columns) => {
  const { screen, emulator, settled, lines, show, resize, hold, release, advance } = await started(40, 12);
  screen.append(["one", "two"]);
  screen.changed();
  await settled();
  hold();
  screen.append(["three"]);
  advance(100);
  emulator.resize(columns, 12);
  release();
  const rows = PROMPT.rows.map((row) => row.slice(0, columns));
  show({ ...PROMPT, rows });
  resize(columns, 12);
  await settled();
  expect(lines()).toEqual(["one", "two", "three", ...rows]);
});

test("an answer that cannot be right does no harm", async () => {
  const { screen, show, settled, lines, hold, release } = await started();
  hold();
  show({ ...PROMPT, rows: PROMPT.rows.with(1, "> other") });
  screen.changed({ now: true });
  screen.reply({ kind: "reply", of: "cursor", text: "0;0" });
  release();
  await settled();
  expect(lines().slice(-4)).toEqual(PROMPT.rows.with(1, "> other"));
});

test("without answers, the live area is drawn all the same after a resize", async () => {
  const { screen, settled, lines, show, resize, advance } = testScreen(40, 12, { answers: false });
  show(PROMPT);
  screen.changed({ now: true });
  screen.append(["one"]);
  await settled();
  advance(400);
  const rows = PROMPT.rows.map((row) => row.slice(0, 30));
  show({ ...PROMPT, rows });
  resize(30, 12);
  await settled();
  advance(400);
  await settled();
  expect(lines()).toEqual(["one", ...rows]);
});

test("whatever is finished, drawn and resized, each finished row is there once, in order, above one live area", async () => {
  for (let seed = 1; seed <= 40; seed++) expect(await storyOf(seed)).toEqual({ seed, wrong: [] });
});

/** Random work in front of the emulator; says what is not as it should be after each step. */
async function storyOf(seed: number) {
  const random = randomOf(seed);
  const { screen, emulator, show, resize, settled, lines } = testScreen(random(20, 120), random(12, 40));
  let count = 0;
  const row = (kind: string) => {
    const length = random(0, 1) === 0 ? emulator.columns : random(0, emulator.columns);
    return `${kind}${count++}`.padEnd(length, ".").slice(0, emulator.columns);
  };
  const area = () => {
    const rows = Array.from({ length: random(1, 7) }, () => row("live"));
    const at = random(0, rows.length - 1);
    return { rows, cursor: { row: at, column: random(0, Math.min(rows[at]!.length, emulator.columns - 1)) } };
  };
  const finished: string[] = [];
  let live = area();
  show(live);
  screen.changed({ now: true });
  await settled();
  for (let step = 0; step < 40; step++) {
    const what = random(0, 9);
    if (what < 3) {
      const rows = Array.from({ length: random(1, 5) }, () => row("done"));
      finished.push(...rows);
      screen.append(rows);
      screen.flush();
    } else if (what < 6) {
      show((live = area()));
      screen.changed({ now: true });
    } else {
      const [columns, rows] = [random(20, 120), random(12, 40)];
      const size = { columns: emulator.columns, rows: emulator.rows };
      const y = emulator.cursor().row;
      const above = rowsAboveCursor({ ...live, size, y }, { columns, rows }, "xterm.js");
      live = {
        rows: live.rows.map((text) => text.slice(0, columns)),
        cursor: { row: live.cursor.row, column: Math.min(live.cursor.column, columns - 1) },
      };
      show(live);
      emulator.resize(columns, rows);
      // The emulator itself has put rows of the live area into the scrollback, where no one can take them back.
      if (above > emulator.cursor().row) return { seed, wrong: [] };
      resize(columns, rows);
    }
    await settled();
    const expected = [...finished, ...live.rows].join("\n").trimEnd();
    if (lines().join("\n") !== expected) return { seed, wrong: [step, ...lines()], expected };
  }
  return { seed, wrong: [] };
}

test("a viewer is left at the end even if what is below it cannot be drawn", async () => {
  const failing = { draw: () => ({ rows: ["live"] }) };
  const { screen, emulator, settled } = testScreen(40, 8, { draw: () => failing.draw() });
  screen.fullScreen(() => ({ rows: ["view"] }));
  await settled();
  expect(emulator.modes.alternateScreen).toBe(true);
  failing.draw = () => {
    throw new Error("no reason");
  };
  screen.end();
  await settled();
  expect([emulator.modes.alternateScreen, emulator.cursorVisible]).toEqual([false, true]);
});
