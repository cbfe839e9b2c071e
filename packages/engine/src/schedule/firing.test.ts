import { expect, test } from "bun:test";
import { DueQueue } from "./due-queue.ts";
import { firingAfter, firingAfterThis, firingSince, isExpired, type Schedule } from "./firing.ts";
import { createZone } from "./zone.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UTC = createZone("UTC");
const CREATED = Date.parse("2026-06-01T08:20:00Z");

const job = (cron: string, more: Partial<Schedule> = {}): Schedule => ({
  id: "0a1b2c3d",
  cron,
  recurring: true,
  createdAt: CREATED,
  ...more,
});
const ids = Array.from({ length: 400 }, (_, at) => (at * 9_973).toString(16).padStart(8, "0"));
const at = (text: string) => Date.parse(`2026-06-${text}Z`);

/** The least and the most of what 400 ids are late by, in seconds. */
function lateness(cron: string, due: string) {
  const late = ids.map((id) => (firingAfter(job(cron, { id }), CREATED, UTC)! - at(due)) / SECOND);
  return {
    least: Math.min(...late),
    most: Math.max(...late),
    mean: late.reduce((sum, each) => sum + each) / late.length,
  };
}

test.each([
  ["* * * * *", "01T08:21", 30],
  ["*/15 * * * *", "01T08:30", 7.5 * 60],
  ["0 * * * *", "01T09:00", 30 * 60],
  ["0 9 * * *", "01T09:00", 30 * 60],
  ["7 9 * * 1-5", "01T09:07", 30 * 60],
])("'%s' is late by up to half its interval or half an hour", (cron, due, most) => {
  const seen = lateness(cron, due);
  expect(seen.least).toBeGreaterThanOrEqual(0);
  expect(seen.most).toBeLessThanOrEqual(most);
  expect(seen.most).toBeGreaterThan(most * 0.95);
  expect(seen.mean / most).toBeCloseTo(0.5, 1);
});

test("a job that fires once is up to 90 seconds early at full and half hours, and on time at others", () => {
  const earliness = (cron: string, due: string) =>
    ids.map((id) => (at(due) - firingAfter(job(cron, { id, recurring: false }), CREATED, UTC)!) / SECOND);
  for (const [cron, due] of [
    ["0 9 1 6 *", "01T09:00"],
    ["30 9 1 6 *", "01T09:30"],
  ] as const) {
    const early = earliness(cron, due);
    expect([Math.min(...early) >= 0, Math.max(...early) > 80, Math.max(...early) <= 90]).toEqual([true, true, true]);
  }
  expect(new Set(earliness("7 9 1 6 *", "01T09:07"))).toEqual(new Set([0]));
  // Created ten seconds before: at most five early.
  const soon = ids.map((id) =>
    firingAfter({ id, cron: "0 9 * * *", recurring: false, createdAt: at("01T08:59:50") }, 0, UTC)!,
  );
  expect(Math.min(...soon)).toBeGreaterThanOrEqual(at("01T08:59:55"));
});

test("the same id is late by the same in every process", () => {
  const firing = firingAfter(job("0 9 * * *"), CREATED, UTC)!;
  expect(firingAfter(job("0 9 * * *"), CREATED, createZone("UTC"))).toBe(firing);
  expect(firing).toBe(1_780_304_659_155);
});

/** Plays a clock that stands still from time to time, as that of a computer that sleeps; returns when the job fired. */
function play(schedule: Schedule, moments: readonly number[]): number[] {
  const fired: number[] = [];
  let next = firingAfter(schedule, schedule.createdAt, UTC);
  for (const now of moments) {
    if (next === undefined || now < next) continue;
    fired.push(now);
    next = firingAfterThis(schedule, now, UTC);
  }
  return fired;
}

const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

test("what a recurring job missed while the computer slept, it makes up once", () => {
  const [before, after] = [
    every(SECOND * 10, CREATED, at("01T10:00")),
    every(SECOND * 10, at("03T12:00"), at("03T14:00")),
  ];
  const fired = play(job("*/15 * * * *"), [...before, ...after]);
  const late = firingAfter(job("*/15 * * * *"), CREATED, UTC)! - at("01T08:30");
  expect(fired.filter((moment) => moment < at("02T00:00"))).toHaveLength(6);
  const rest = fired.filter((moment) => moment > at("02T00:00"));
  // Once on waking up, which counts for 12:00, too; then in time again.
  expect(rest.map((moment) => new Date(moment).toISOString().slice(11, 15))).toEqual(
    [
      at("03T12:00"),
      ...["12:15", "12:30", "12:45", "13:00", "13:15", "13:30", "13:45"].map((time) => at(`03T${time}`) + late),
    ].map((moment) => new Date(Math.ceil(moment / 10_000) * 10_000).toISOString().slice(11, 15)),
  );
});

test("a job that fires once and was missed fires once, whenever that is", () => {
  const once = job("7 9 1 6 *", { recurring: false });
  expect(play(once, every(MINUTE, at("20T00:00"), at("20T03:00")))).toEqual([at("20T00:00")]);
  expect(firingSince(once, at("20T00:00"), UTC)).toBe(at("01T09:07"));
});

test("a job that was not watched fires for what it missed, and not for what it had done before", () => {
  const hourly = job("0 * * * *");
  const firstAt = firingAfter(hourly, CREATED, UTC)!;
  // No one watched since before, and since after, the firing of nine o'clock.
  expect(firingSince(hourly, firstAt - 1, UTC)).toBe(firstAt);
  expect(firingSince(hourly, firstAt, UTC)).toBe(firstAt + HOUR);
  expect(firingSince(hourly, firstAt + 10 * DAY, UTC)).toBe(firstAt + 10 * DAY + HOUR);
  const quick = job("* * * * *");
  for (const since of every(7 * SECOND, CREATED, CREATED + 5 * MINUTE)) {
    const next = firingSince(quick, since, UTC)!;
    expect([next > since, next - since <= MINUTE + (since === CREATED ? 30 * SECOND : 0)]).toEqual([true, true]);
  }
});

test("after seven days, a recurring job fires for the last time", () => {
  const daily = job("20 9 * * *");
  const fired = play(daily, every(5 * MINUTE, CREATED, CREATED + 20 * DAY));
  expect(fired).toHaveLength(8);
  expect(fired.at(-1)! - CREATED).toBeGreaterThan(7 * DAY);
  expect([isExpired(daily, CREATED + 7 * DAY - 1), isExpired(daily, CREATED + 7 * DAY)]).toEqual([false, true]);
  expect(isExpired(job("20 9 * * *", { recurring: false }), CREATED + 70 * DAY)).toBe(false);
});

test("an expression that cannot be read, or that no date matches, never fires", () => {
  expect(firingAfter(job("nope"), CREATED, UTC)).toBeUndefined();
  expect(firingAfter(job("0 0 31 2 *"), CREATED, UTC)).toBeUndefined();
  expect(firingSince(job("0 0 31 2 *", { recurring: false }), CREATED, UTC)).toBeUndefined();
  for (const odd of [-1, -8.64e15, 8.64e15, 1e300, NaN, Infinity]) {
    for (const recurring of [true, false]) {
      expect(firingAfter(job("* * * * *", { createdAt: odd, recurring }), CREATED, UTC)).toBeUndefined();
    }
  }
  expect(firingAfter(job("* * * * *"), 1e300, UTC)).toBeUndefined();
});

test("a queue gives the earliest first, whatever is moved and removed meanwhile", () => {
  const queue = new DueQueue();
  const expected = new Map<string, number>();
  let state = 7;
  const roll = (sides: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % sides;
  for (let step = 0; step < 5_000; step++) {
    const id = `${roll(97)}`;
    if (roll(4) === 0) {
      queue.delete(id);
      expected.delete(id);
    } else {
      const due = roll(1_000_000);
      queue.set(id, due);
      expected.set(id, due);
    }
    expect(queue.first()?.at).toBe(expected.size === 0 ? undefined : Math.min(...expected.values()));
    expect([queue.size, queue.at(id)]).toEqual([expected.size, expected.get(id)]);
  }
});

/** A day of many schedules, by a clock that changes within it. Returns how often one fired, and the work that took. */
function busyDay(count: number): { readonly fired: number; readonly perFiring: number } {
  const zone = createZone("Europe/Berlin");
  const start = Date.parse("2026-10-24T20:00Z");
  const queue = new DueQueue();
  const jobs = new Map<string, Schedule>();
  for (let index = 0; index < count; index++) {
    const id = index.toString(16).padStart(8, "0");
    jobs.set(id, { id, cron: `${index % 60} */${1 + (index % 7)} * * *`, recurring: true, createdAt: start });
    queue.set(id, firingAfter(jobs.get(id)!, start, zone)!);
  }
  let fired = 0;
  const began = performance.now();
  for (let next = queue.first()!; next.at < start + DAY; next = queue.first()!) {
    queue.set(next.id, firingAfterThis(jobs.get(next.id)!, next.at, zone)!);
    fired++;
  }
  return { fired, perFiring: (performance.now() - began) / fired };
}

test("a firing among 10,000 schedules costs little more than one among 100", () => {
  busyDay(100);
  const [few, many] = [busyDay(100), busyDay(10_000)];
  expect(many.fired / few.fired).toBeCloseTo(100, -1);
  // A queue that looks at every schedule would take a hundred times as long.
  expect(many.perFiring / few.perFiring).toBeLessThan(10);
});
