import { expect, test } from "bun:test";
import { armed, previewSchedule } from "./preview.ts";
import { aTrigger } from "./due-trigger.test-support.ts";
import { createZones, slotsOf } from "./trigger-slots.ts";

const zones = createZones();
const NOW = Date.parse("2026-11-19T12:00:00Z");
const time = (text: string) => Date.parse(text);
const ids = Array.from({ length: 400 }, (_, at) => `cron_${(at * 9_973).toString(16)}`);

/** The least and the most of what the starts of 400 triggers are late by, in seconds. */
function lateness(fields: Parameters<typeof aTrigger>[0]): { least: number; most: number } {
  const late = ids.map((id) => {
    const start = slotsOf(aTrigger({ ...fields, id }), zones)!.after(NOW - 1)!;
    return (start.startAt - start.slotAt) / 1_000;
  });
  return { least: Math.min(...late), most: Math.max(...late) };
}

test("a preview says the schedule in words, and its next five times", () => {
  const preview = previewSchedule({ cron: "0 9 * * 1-5", zone: "America/New_York" }, { now: NOW, zones });
  expect(preview).toEqual({
    sentence: "every weekday at 09:00",
    starts: [
      "2026-11-19T14:00Z",
      "2026-11-20T14:00Z",
      "2026-11-23T14:00Z",
      "2026-11-24T14:00Z",
      "2026-11-25T14:00Z",
    ].map((text) => ({ slotAt: time(text), startAt: time(text) })),
  });
});

test("the next times of a trigger that exists have its jitter, the same each time", () => {
  const preview = () =>
    previewSchedule({ id: "cron_7", cron: "0 9 * * *", zone: "UTC" }, { now: NOW, zones, count: 2 });
  const { starts } = preview() as Extract<ReturnType<typeof preview>, { problem?: undefined }>;
  const late = starts.map(({ slotAt, startAt }) => startAt - slotAt);
  expect(late[0]).toBeGreaterThan(0);
  expect(late[1]).toBe(late[0]!);
  expect(preview()).toEqual(
    previewSchedule({ id: "cron_7", cron: "0 9 * * *", zone: "UTC" }, { now: NOW, zones: createZones(), count: 2 }),
  );
});

test("a one-off has one time", () => {
  const runOnceAt = time("2026-12-01T09:10Z");
  expect(previewSchedule({ runOnceAt, zone: "UTC" }, { now: NOW, zones })).toEqual({
    sentence: undefined,
    starts: [{ slotAt: runOnceAt, startAt: runOnceAt }],
  });
});

test.each([
  [
    { cron: "0 9 * * *", zone: "Mars/Base" },
    "zone",
    '"Mars/Base" is not a time zone; use a name such as Europe/Berlin or UTC',
  ],
  [
    { cron: "0 9 * * *", zone: "+02:00" },
    "zone",
    '"+02:00" is not a time zone; use a name such as Europe/Berlin or UTC',
  ],
  [{ zone: "UTC" }, "cron_expression", "A schedule has either a cron line or a time at which it runs once"],
  [
    { zone: "UTC", cron: "0 9 * * *", runOnceAt: NOW + 1 },
    "cron_expression",
    "A schedule has either a cron line or a time at which it runs once",
  ],
  [{ zone: "UTC", cron: "0 9 30 2 *" }, "cron_expression", "It would never run: February has no 30th"],
  [{ zone: "UTC", runOnceAt: NOW }, "run_once_at", "This time is in the past"],
  [{ zone: "UTC", runOnceAt: Number.NaN }, "run_once_at", "This is not a time"],
  [{ zone: "UTC", cron: "0 9 * * *", jitterMs: 3_600_000 }, "jitter_ms", "The jitter is not between 0 and 1800000"],
  [{ zone: "UTC", cron: "0 9 * * *", expiresAt: NOW }, "expires_at", "This time is in the past"],
  [
    { zone: "UTC", cron: "0 9 * * *", expiresAt: NOW + 60_000 },
    "expires_at",
    "The schedule would expire before its first run",
  ],
] as const)("%o is refused: %s: %s", (wanted, field, problem) => {
  expect(previewSchedule(wanted, { now: NOW, zones })).toEqual({ field, problem });
});

test("recurring runs at a full hour are late by up to half an hour, and never by more than half their interval", () => {
  for (const [cron, most] of [
    ["0 9 * * *", 30 * 60],
    ["0 * * * *", 30 * 60],
    ["*/20 * * * *", 10 * 60],
  ] as const) {
    const seen = lateness({ cron });
    expect([cron, seen.least >= 0, seen.most <= most, seen.most > most * 0.95]).toEqual([cron, true, true, true]);
  }
  // The full hour is that of the zone.
  expect(lateness({ cron: "0 9 * * *", zone: "Asia/Kathmandu" }).most).toBeGreaterThan(0);
  expect(lateness({ cron: "15 9 * * *", zone: "Asia/Kathmandu" })).toEqual({ least: 0, most: 0 });
  expect(lateness({ cron: "7 9 * * *" })).toEqual({ least: 0, most: 0 });
});

test("a jitter of one's own holds for every slot, and 0 is none", () => {
  expect(lateness({ cron: "0 9 * * *", jitterMs: 0 })).toEqual({ least: 0, most: 0 });
  const seen = lateness({ cron: "7 9 * * *", jitterMs: 300_000 });
  expect([seen.least >= 0, seen.most > 280, seen.most <= 300]).toEqual([true, true, true]);
});

test("one-offs at a full hour are late by up to 90 seconds, and others are on time", () => {
  const seen = lateness({ runOnceAt: time("2026-12-01T09:00Z") });
  expect([seen.least >= 0, seen.most > 80, seen.most <= 90]).toEqual([true, true, true]);
  expect(lateness({ runOnceAt: time("2026-12-01T09:30Z") })).toEqual({ least: 0, most: 0 });
});

test("a new time arms a one-off that has run", () => {
  const ran = aTrigger({ runOnceAt: NOW - 1, ranAt: NOW - 1 });
  expect(armed(ran, { now: NOW, zones })).toEqual({ nextSlot: null, nextAt: null });
  const runOnceAt = time("2026-12-01T09:10Z");
  expect(armed({ ...ran, runOnceAt, ranAt: null }, { now: NOW, zones })).toEqual({
    nextSlot: runOnceAt,
    nextAt: runOnceAt,
  });
});
