import { expect, test } from "bun:test";
import { randomOf } from "../random.test-support.ts";
import { testScreen } from "../screen.test-support.ts";

test("frames overtaken by a resize are repaired: each finished row is there once, above one live area", async () => {
  for (let seed = 1; seed <= 40; seed++) expect(await storyOf(seed)).toEqual({ seed, wrong: [] });
});

test("a window that is dragged while an answer arrives has each finished row once, above one live area", async () => {
  for (let seed = 1; seed <= 20; seed++) expect(await dragOf(seed)).toEqual({ seed, wrong: [] });
});

/** An answer is streamed while the window is dragged: each size comes a moment after the last, and frames are late. */
async function dragOf(seed: number) {
  const random = randomOf(seed);
  const { screen, emulator, show, resize, settled, lines, hold, release, advance, reply } = testScreen(80, 42);
  const finished: string[] = [];
  let live: string[] = [];
  const stream = () => {
    const rows = Array.from({ length: random(0, 2) }, (_, at) => `done${finished.length + at} `.padEnd(30, "."));
    finished.push(...rows);
    screen.append(rows);
    const rule = "─".repeat(emulator.columns);
    live = [...Array.from({ length: random(1, 3) }, (_, at) => `live${at}`), rule, "> prompt", rule, "footer"];
    show({ rows: live, cursor: { row: live.length - 3, column: 8 } });
    screen.changed();
  };
  stream();
  await settled();
  for (let drag = 0; drag < 6; drag++) {
    const [from, to] = [emulator.columns, random(40, 110)];
    hold();
    stream();
    advance(60);
    for (let step = 1; step <= 8; step++) {
      resize(Math.round(from + ((to - from) * step) / 8), 42);
      stream();
      advance(random(5, 30));
      if (random(0, 1) === 0) {
        release();
        await reply();
        hold();
      }
    }
    release();
    stream();
    await settled();
    const rows = lines().map((line) => line.trimEnd());
    const expected = [...finished, ...live].map((line) => line.trimEnd());
    if (rows.join("\n") !== expected.join("\n")) return { seed, wrong: [drag, ...rows.slice(-40)] };
  }
  return { seed, wrong: [] };
}

/** An answer is streamed and someone types, while the window is resized with frames on their way to it. */
async function storyOf(seed: number) {
  const random = randomOf(seed);
  // High enough for the live area however it is wrapped: what was scrolled away cannot be taken back.
  const someSize = () => [random(30, 110), random(40, 44)] as const;
  const { screen, emulator, show, resize, settled, lines, hold, release, advance } = testScreen(...someSize());
  const finished: string[] = [];
  let live: string[] = [];
  const filled = (text: string, sign: string) => {
    const { columns } = emulator;
    return text.padEnd(random(0, 1) === 0 ? columns : random(8, columns), sign).slice(0, columns);
  };
  const finish = (count: number) => {
    const rows = Array.from({ length: count }, (_, at) => filled(`done${finished.length + at} `, "."));
    finished.push(...rows);
    screen.append(rows);
  };
  const draw = () => {
    const answer = Array.from({ length: random(1, 5) }, (_, at) => filled(`live${at} `, "-"));
    const rule = "─".repeat(emulator.columns);
    live = [...answer, rule, "> prompt", rule, "footer"];
    show({ rows: live, cursor: { row: answer.length + 1, column: 8 } });
  };
  draw();
  screen.changed({ now: true });
  await settled();
  finish(15);
  await settled();
  for (let step = 0; step < 12; step++) {
    hold();
    draw();
    finish(random(0, 3));
    screen.changed();
    advance(60);
    if (random(0, 1) === 0) {
      draw();
      screen.changed({ now: true });
    }
    const size = someSize();
    emulator.resize(...size);
    // The news of it comes before the frames arrive, or after.
    const isEarly = random(0, 1) === 0;
    if (!isEarly) release();
    draw();
    resize(...size);
    screen.changed();
    if (isEarly) release();
    await settled();
    // Joined rows are blank where a resize cut them off.
    const rows = lines().map((line) => line.trimEnd());
    const expected = [...finished, ...live].map((line) => line.trimEnd());
    if (rows.join("\n") !== expected.join("\n")) return { seed, wrong: [step, ...rows.slice(-40)] };
  }
  return { seed, wrong: [] };
}
