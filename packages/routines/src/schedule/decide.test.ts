import { expect, test } from "bun:test";
import type { Routine } from "../records/routine.ts";
import { runIdOf } from "../records/run-id.ts";
import type { Trigger } from "../records/trigger.ts";
import type { TickDecision } from "../store/run-store.ts";
import { decideTick } from "./decide.ts";
import { aRoutine, aTrigger } from "./due-trigger.test-support.ts";
import { createZones } from "./trigger-slots.ts";

const zones = createZones();
const at = (text: string) => Date.parse(`2026-06-${text}Z`);

interface World {
  readonly trigger: Partial<Trigger>;
  readonly routine?: Partial<Routine>;
  readonly now: number;
}

function decide({ trigger, routine, now }: World): TickDecision {
  return decideTick({ trigger: aTrigger(trigger), routine: aRoutine(routine), active: [], now }, zones);
}

/** `06-01T09:30 queued`, then what comes next. */
function rows(decision: TickDecision): string[] {
  const time = (moment: number | null) => (moment === null ? "never" : new Date(moment).toISOString().slice(5, 16));
  return [...decision.runs.map(({ slotAt, state }) => `${time(slotAt!)} ${state}`), `next ${time(decision.nextSlot)}`];
}

const HALF_PAST: Partial<Trigger> = { cron: "30 * * * *", nextSlot: at("01T09:30") };

test("a time that has come is a run with an id made from its slot", () => {
  expect(decide({ trigger: HALF_PAST, now: at("01T09:30") })).toEqual({
    runs: [
      {
        id: runIdOf({ kind: "schedule", triggerId: "cron_1", slotAt: at("01T09:30") }),
        routineId: "trig_1",
        triggerId: "cron_1",
        cause: "schedule",
        slotAt: at("01T09:30"),
        dueAt: at("01T09:30"),
        state: "queued",
      },
    ],
    nextSlot: at("01T10:30"),
    nextAt: at("01T10:30"),
  });
});

test("a time that has not come is waited for, whatever the row says", () => {
  expect(decide({ trigger: { ...HALF_PAST, nextAt: at("01T09:00") }, now: at("01T09:30") - 1 })).toEqual({
    runs: [],
    nextSlot: at("01T09:30"),
    nextAt: at("01T09:30"),
  });
});

test("a slot that the schedule does not have any more is no due time", () => {
  expect(rows(decide({ trigger: { ...HALF_PAST, cron: "45 * * * *" }, now: at("01T09:50") }))).toEqual([
    "06-01T09:45 queued",
    "next 06-01T10:45",
  ]);
  const expired = { ...HALF_PAST, expiresAt: at("01T09:30") };
  expect(rows(decide({ trigger: expired, now: at("01T09:50") }))).toEqual(["next never"]);
  const moved = { runOnceAt: at("02T09:10"), nextSlot: at("01T09:10") };
  expect(decide({ trigger: moved, now: at("01T09:50") })).toEqual({
    runs: [],
    nextSlot: at("02T09:10"),
    nextAt: at("02T09:10"),
  });
});

test("with jitter, the row says both the slot and the start", () => {
  const trigger = { cron: "0 * * * *", nextSlot: at("01T09:00") };
  const decision = decide({ trigger, now: at("01T09:30") });
  const [run] = decision.runs;
  const late = run!.dueAt! - run!.slotAt!;
  expect([late > 0, late <= 30 * 60_000, run!.slotAt]).toEqual([true, true, at("01T09:00")]);
  expect(decision.nextAt! - decision.nextSlot!).toBe(late);
  expect(decide({ trigger, now: run!.dueAt! - 1 }).runs).toEqual([]);
  expect(decide({ trigger: { ...trigger, jitterMs: 0 }, now: at("01T09:00") }).runs[0]!.dueAt).toBe(at("01T09:00"));
});

test("`one` makes up for the newest missed time, and says what became of the others", () => {
  const decision = decide({ trigger: HALF_PAST, now: at("01T12:10") });
  expect(rows(decision)).toEqual([
    "06-01T09:30 missed",
    "06-01T10:30 missed",
    "06-01T11:30 queued",
    "next 06-01T12:30",
  ]);
  expect(decision.runs[0]!.reason).toBe(
    "The server did not run at this time; the routine catches up with the newest of its missed times only",
  );
});

test("`none` makes up for nothing, but a start is not missed for a late tick", () => {
  const routine = { catchUp: "none" } as const;
  expect(rows(decide({ trigger: HALF_PAST, routine, now: at("01T10:40") }))).toEqual([
    "06-01T09:30 missed",
    "06-01T10:30 missed",
    "next 06-01T11:30",
  ]);
  expect(rows(decide({ trigger: HALF_PAST, routine, now: at("01T10:31") }))).toEqual([
    "06-01T09:30 missed",
    "06-01T10:30 queued",
    "next 06-01T11:30",
  ]);
});

test("`all` makes up for 24 times", () => {
  const decision = decide({ trigger: HALF_PAST, routine: { catchUp: "all" }, now: at("02T13:00") });
  const states: string[] = decision.runs.map(({ state }) => state);
  expect(states).toEqual([...Array<string>(4).fill("missed"), ...Array<string>(24).fill("queued")]);
});

test("a long downtime is told in several decisions, and only its end is made up for", () => {
  for (const [catchUp, queued] of [
    ["all", 24],
    ["one", 1],
    ["none", 0],
  ] as const) {
    let trigger = aTrigger({ cron: "* * * * *", nextSlot: at("01T00:00") });
    const [slots, states]: [number[], string[]] = [[], []];
    const now = at("01T08:30") + 30_000;
    for (;;) {
      const decision = decideTick({ trigger, routine: aRoutine({ catchUp }), active: [], now }, zones);
      if (decision.runs.length === 0) break;
      expect(decision.runs.length).toBeLessThanOrEqual(200);
      slots.push(...decision.runs.map(({ slotAt }) => slotAt!));
      states.push(...decision.runs.map(({ state }) => state));
      trigger = { ...trigger, nextSlot: decision.nextSlot, nextAt: decision.nextAt };
    }
    expect(slots.length).toBe(511);
    expect(new Set(slots).size).toBe(slots.length);
    const expected = states.map((_, index) => (index >= states.length - queued ? "queued" : "missed"));
    // The newest is not late: it is half a minute old.
    expected[expected.length - 1] = "queued";
    expect({ catchUp, states }).toEqual({ catchUp, states: expected });
  }
});

test("a one-off runs once and disables its routine", () => {
  const trigger = { runOnceAt: at("01T09:10"), nextSlot: at("01T09:10") };
  const now = at("01T09:10") + 5;
  expect(decide({ trigger, now })).toEqual({
    runs: [expect.objectContaining({ slotAt: at("01T09:10"), dueAt: at("01T09:10"), state: "queued" })],
    nextSlot: null,
    nextAt: null,
    ranAt: now,
    disabledReason: "It was set to run once, at 2026-06-01T09:10:00Z",
  });
});

test("a one-off that was missed runs late, or never if the routine does not catch up", () => {
  const trigger = { runOnceAt: at("01T09:10"), nextSlot: at("01T09:10") };
  expect(rows(decide({ trigger, now: at("05T00:00") }))).toEqual(["06-01T09:10 queued", "next never"]);
  expect(rows(decide({ trigger, routine: { catchUp: "none" }, now: at("05T00:00") }))).toEqual([
    "06-01T09:10 missed",
    "next never",
  ]);
});

test("a schedule that expires has no time at or after that", () => {
  const trigger = { ...HALF_PAST, expiresAt: at("01T10:30") };
  expect(rows(decide({ trigger, now: at("01T12:00") }))).toEqual(["06-01T09:30 queued", "next never"]);
});

test("a routine that is paused has no due times", () => {
  expect(decide({ trigger: HALF_PAST, routine: { enabled: false }, now: at("01T12:00") })).toEqual({
    runs: [],
    nextSlot: null,
    nextAt: null,
  });
});

test("a schedule that cannot be read pauses its routine", () => {
  const paused = { runs: [], nextSlot: null, nextAt: null };
  expect(decide({ trigger: { ...HALF_PAST, cron: "0 9" }, now: at("01T12:00") })).toEqual({
    ...paused,
    disabledReason: 'The schedule "0 9" (UTC) is not valid; change it',
  });
  expect(decide({ trigger: { runOnceAt: 5, nextSlot: 5, zone: "Mars/Base" }, now: at("01T12:00") })).toEqual({
    ...paused,
    disabledReason: 'The time zone "Mars/Base" is not valid; change it',
  });
});

test("a schedule whose times cannot be computed pauses its routine, and keeps no other one waiting", () => {
  const decision = decide({ trigger: { ...HALF_PAST, nextSlot: 9e15 }, now: at("01T12:00") });
  expect(decision.disabledReason).toStartWith("The schedule cannot be computed: ");
});
