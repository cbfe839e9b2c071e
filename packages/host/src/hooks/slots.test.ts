import { expect, test } from "bun:test";
import type { HookRun } from "@keelson/protocol";
import { createHookSlots } from "./slots.ts";

const DONE: HookRun = { outcome: "success", stdout: "", stderr: "", durationMs: 0 };
const STARVED: HookRun = { ...DONE, outcome: "error", prevented: "start" };
const { signal } = new AbortController();

test("at most 64 run at once, all run, and each gets its own result", async () => {
  const slots = createHookSlots(() => 1_000);
  let running = 0;
  let most = 0;
  const runs = Array.from({ length: 301 }, (_, at) =>
    slots.run(signal, async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(1);
      running--;
      return { ...DONE, stdout: String(at) };
    }),
  );
  expect((await Promise.all(runs)).map(({ stdout }) => Number(stdout))).toEqual([...Array(301).keys()]);
  expect(most).toBe(64);
});

test("without room only a few run at once; when there is room again, the others start together", async () => {
  let room = 0;
  const slots = createHookSlots(() => room);
  const ends: (() => void)[] = [];
  const work = () => new Promise<HookRun>((resolve) => ends.push(() => resolve(DONE)));
  const all = Promise.all(Array.from({ length: 20 }, () => slots.run(signal, work)));
  await Bun.sleep(0);
  expect(ends).toHaveLength(4);
  room = 100;
  ends[0]!();
  await Bun.sleep(0);
  expect(ends).toHaveLength(20);
  for (const end of ends) end();
  await all;
});

test("a run that could not start is tried again when another one has ended, and reported if nothing else runs", async () => {
  const slots = createHookSlots(() => 1_000);
  const { promise: held, resolve: end } = Promise.withResolvers<HookRun>();
  const first = slots.run(signal, () => held);
  const attempts = [0, 0, 0];
  let isFree = false;
  const starving = attempts.map((_, at) =>
    slots.run(signal, async () => {
      attempts[at]!++;
      return isFree ? DONE : STARVED;
    }),
  );
  await Bun.sleep(0);
  expect(Math.max(...attempts)).toBeLessThan(5);
  isFree = true;
  end(DONE);
  expect(await Promise.all([first, ...starving])).toEqual([DONE, DONE, DONE, DONE]);

  expect(await Promise.all([1, 2, 3].map(() => slots.run(signal, async () => STARVED)))).toEqual([
    STARVED,
    STARVED,
    STARVED,
  ]);
});

test("a run that could not start is tried again when another one goes on in the background", async () => {
  const slots = createHookSlots(() => 1_000);
  const { promise: isBackground, resolve: toBackground } = Promise.withResolvers<void>();
  void slots.run(signal, async (leave) => {
    await isBackground;
    leave();
    return new Promise<HookRun>(() => {});
  });
  let isFree = false;
  const starving = slots.run(signal, async () => (isFree ? DONE : STARVED));
  await Bun.sleep(0);
  isFree = true;
  toBackground();
  expect(await starving).toEqual(DONE);
});

test("a run that waits and is interrupted does not keep waiting; one that left does not count", async () => {
  const slots = createHookSlots(() => 0);
  const stop = new AbortController();
  const never = () => new Promise<HookRun>(() => {});
  for (let at = 0; at < 4; at++) void slots.run(signal, never);
  const waiting = slots.run(stop.signal, async () => ({ ...DONE, stdout: "asked" }));
  stop.abort();
  expect((await waiting).stdout).toBe("asked");

  const others = createHookSlots(() => 0);
  for (let at = 0; at < 10; at++) {
    void others.run(signal, (leave) => {
      leave();
      return never();
    });
  }
  expect(await others.run(signal, async () => DONE)).toEqual(DONE);
});
