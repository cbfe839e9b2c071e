import { expect, test } from "bun:test";
import type { RoutineRun } from "../records/run.ts";
import type { Trigger } from "../records/trigger.ts";
import { StoreUnavailable } from "../store/run-store.ts";
import { aTrigger } from "./due-trigger.test-support.ts";
import { FakeClock } from "./fake-clock.test-support.ts";
import { startScheduler, type SchedulerOptions } from "./scheduler.ts";
import { createZones } from "./trigger-slots.ts";

interface World {
  /** Why ticks fail now. */
  failure: Error | undefined;
  /** What the next ticks answer. */
  readonly nextInMs: number[];
  overdue: readonly Trigger[];
  silent: readonly RoutineRun[];
  /** When ticks began. */
  readonly ticks: number[];
  readonly alarms: string[];
  readonly expelled: unknown[];
}

function begin(more: Partial<SchedulerOptions> = {}) {
  const clock = new FakeClock(0);
  const world: World = {
    failure: undefined,
    nextInMs: [],
    overdue: [],
    silent: [],
    ticks: [],
    alarms: [],
    expelled: [],
  };
  const scheduler = startScheduler({
    store: {
      async tick() {
        world.ticks.push(clock.now);
        if (world.failure) throw world.failure;
        const nextInMs = world.nextInMs.shift();
        return { moved: 0, runs: [], ...(nextInMs === undefined ? {} : { nextInMs }) };
      },
      overdue: async () => world.overdue,
      silentRuns: async () => world.silent,
      attempts: async (runId) => [
        { runId, n: 2, worker: "host-7", startedAt: 1_000, endedAt: null, why: null, reason: null },
      ],
      async expel(...args) {
        world.expelled.push(args);
        return true;
      },
      sweep: async () => ({ expired: 0, removed: 0 }),
    },
    zones: createZones(),
    keep: { logMs: 1, deliveriesMs: 1, auditMs: 1 },
    wait: clock.wait,
    alarm: (message) => world.alarms.push(message),
    ...more,
  });
  return { clock, world, scheduler };
}

test("it looks every second, and sooner when something is due before", async () => {
  const { clock, world, scheduler } = begin();
  await clock.advance(500);
  world.nextInMs.push(5_000, 300, 300);
  await clock.advance(3_700);
  expect(world.ticks).toEqual([0, 1_000, 2_000, 2_300, 2_600, 3_600]);
  await scheduler.stop();
});

test("it goes on at once while there is more to do", async () => {
  const { clock, world, scheduler } = begin();
  await clock.advance(500);
  world.nextInMs.push(0, 0);
  await clock.advance(1_500);
  expect(world.ticks).toEqual([0, 1_000, 1_000, 1_000]);
  await scheduler.stop();
});

test("wake() makes it look at once, also while it looks", async () => {
  const { clock, world, scheduler } = begin({ pollMs: 60_000 });
  scheduler.wake();
  await clock.advance(5_000);
  expect(world.ticks).toEqual([0, 0]);
  scheduler.wake();
  await clock.advance(6_000);
  expect(world.ticks).toEqual([0, 0, 5_000]);
  await scheduler.stop();
});

test("a database that is away is one alarm, and the end of it another", async () => {
  const { clock, world, scheduler } = begin();
  world.failure = new StoreUnavailable("The database cannot be reached");
  await clock.advance(20_000);
  expect(world.alarms).toEqual(["The scheduler failed and tries again: The database cannot be reached"]);
  expect(world.ticks).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000]);
  world.failure = undefined;
  await clock.advance(40_000);
  expect(world.alarms.slice(1)).toEqual(["The scheduler works again"]);
  await scheduler.stop();
});

test("a due time without a row is one alarm for each trigger and time", async () => {
  const { clock, world, scheduler } = begin();
  const stuck = aTrigger({ nextSlot: 5_000, nextAt: 6_000 });
  world.overdue = [stuck];
  await clock.advance(200_000);
  const alarm = (time: string) => `Trigger cron_1 of routine trig_1 has been due since ${time}, and no run exists`;
  expect(world.alarms).toEqual([alarm("1970-01-01T00:00:06.000Z")]);
  world.overdue = [{ ...stuck, nextSlot: 60_000, nextAt: 60_000 }];
  await clock.advance(300_000);
  expect(world.alarms.slice(1)).toEqual([alarm("1970-01-01T00:01:00.000Z")]);
  await scheduler.stop();
});

test("a run that never shows a sign of life is taken from its worker", async () => {
  const { clock, world, scheduler } = begin();
  const silent = { id: "run_1", attempt: 2, fence: 3, worker: "host-7", signAt: 1_000 } as RoutineRun;
  // The other has begun, and waits for a command.
  world.silent = [silent, { ...silent, id: "run_2", signAt: 9_000 }];
  await clock.advance(30_000);
  expect(world.expelled).toEqual([["run_1", 3, "No sign of life for 120 s"]]);
  expect(world.alarms).toEqual(["Run run_1 on host-7 has shown no sign of life for 120 s"]);
  await scheduler.stop();
});

test("once stopped, it does nothing more", async () => {
  const { clock, world, scheduler } = begin();
  await clock.advance(500);
  await scheduler.stop();
  await clock.advance(100_000);
  expect(world.ticks).toEqual([0]);
});
