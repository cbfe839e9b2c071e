// A year with a fake clock: several schedulers that come and go on one store, and routines of every kind. Then the rows are compared
// with the due times that `matchEveryMinute` finds.

import type { RoutineRun } from "../../records/run.ts";
import type { CatchUpRule, OverlapRule } from "../../records/routine.ts";
import type { Trigger } from "../../records/trigger.ts";
import type { DueTrigger, TickDecision } from "../../store/run-store.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { aRoutine, aTrigger } from "../due-trigger.test-support.ts";
import { FakeClock } from "../fake-clock.test-support.ts";
import { armed } from "../preview.ts";
import { startScheduler, type Scheduler, type SchedulerOptions } from "../scheduler.ts";
import { createZones } from "../trigger-slots.ts";
import { matchEveryMinute } from "./matcher.test-support.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Year {
  /** A file in memory, or what interleaves more: each step of a tick apart. */
  readonly store: "sqlite" | "fake";
  readonly from: number;
  readonly to: number;
  readonly routines: number;
  readonly zones: readonly string[];
  readonly schedulers: number;
  readonly seed: number;
}

export interface YearReport {
  readonly dueTimes: number;
  readonly states: Readonly<Record<string, number>>;
  /** Due times without a row, rows without a due time, second rows, rows with a wrong word. The first of them. */
  readonly wrong: readonly string[];
  readonly alarms: readonly string[];
}

interface SimulatedRow extends Pick<RoutineRun, "slotAt" | "dueAt" | "state" | "reason"> {
  readonly insertedAt: number;
}

interface SimulatedSchedule {
  readonly id: string;
  readonly zone: string;
  readonly cron: string;
  readonly catchUp: CatchUpRule;
  readonly overlap: OverlapRule;
}

type TickStore = SchedulerOptions["store"];

interface YearStore {
  readonly store: TickStore;
  add(schedule: SimulatedSchedule): Promise<void>;
  rowsOf(id: string): Promise<readonly SimulatedRow[]>;
  close(): Promise<void>;
}

export async function simulateYear(year: Year): Promise<YearReport> {
  const roll = dice(year.seed);
  const zones = createZones();
  const clock = new FakeClock(year.from);
  const kept = year.store === "fake" ? new FakeTickStore(clock, roll) : await openInMemory(clock);
  const { store } = kept;
  const schedules = Array.from({ length: year.routines }, (_, at): SimulatedSchedule => {
    const zone = year.zones[at % year.zones.length]!;
    const catchUp = (["one", "none", "all"] as const)[roll(3)]!;
    const overlap = (["skip", "queue", "cancel"] as const)[roll(3)]!;
    return { id: `cron_${at}`, zone, cron: anyCron(roll), catchUp, overlap };
  });
  for (const schedule of schedules) await kept.add(schedule);
  const alarms: string[] = [];
  const up: { scheduler: Scheduler; until: number }[] = [];
  const start = () => ({
    scheduler: startScheduler({
      store,
      zones,
      keep: { logMs: DAY, deliveriesMs: DAY, auditMs: DAY },
      wait: clock.wait,
      alarm: (message) => alarms.push(message),
      pollMs: 6 * HOUR,
      lookMs: DAY,
    }),
    until: clock.now + (1 + roll(20)) * 6 * HOUR + roll(HOUR),
  });

  // Schedulers end at any time, and others begin later; sometimes there is none for days.
  let down: number[] = Array.from({ length: year.schedulers }, () => year.from);
  while (clock.now < year.to) {
    for (const begin of down.filter((begin) => begin <= clock.now)) {
      down = down.toSpliced(down.indexOf(begin), 1);
      up.push(start());
    }
    await clock.advance(Math.min(year.to, ...up.map(({ until }) => until), ...down));
    for (const each of up.filter(({ until }) => until <= clock.now)) {
      up.splice(up.indexOf(each), 1);
      const stopping = each.scheduler.stop();
      await clock.settle();
      await stopping;
      down.push(clock.now + (roll(2) === 0 ? roll(6 * DAY) : roll(6 * HOUR)));
    }
  }
  // Once more, so that what is due has its row.
  const last = start();
  await clock.settle();
  const stopping = last.scheduler.stop();
  for (const { scheduler } of up) await Promise.all([scheduler.stop(), clock.settle()]);
  await stopping;
  const report = await compare(year, schedules, kept);
  await kept.close();
  return { ...report, alarms };
}

async function compare(
  year: Year,
  schedules: readonly SimulatedSchedule[],
  kept: YearStore,
): Promise<Omit<YearReport, "alarms">> {
  const wrong: string[] = [];
  const states: Record<string, number> = {};
  let dueTimes = 0;
  for (const zone of year.zones) {
    const here = schedules.filter((schedule) => schedule.zone === zone);
    const expected = matchEveryMinute(here, zone, { from: year.from + MINUTE, to: year.to });
    for (const { id, cron, catchUp } of here) {
      const rows = await kept.rowsOf(id);
      const seen = new Map<number, SimulatedRow>();
      for (const row of rows) {
        if (seen.has(row.slotAt!)) wrong.push(`${id} ${cron} ${zone}: two rows for ${shown(row.slotAt!)}`);
        seen.set(row.slotAt!, row);
        states[row.state] = (states[row.state] ?? 0) + 1;
        const problem = rowProblem(row, catchUp);
        if (problem) wrong.push(`${id} ${cron} ${zone}: the row for ${shown(row.slotAt!)} ${problem}`);
      }
      for (const due of expected.get(id)!) {
        dueTimes++;
        // One that has jitter may start after the end.
        if (!seen.delete(due) && due <= year.to - HOUR) wrong.push(`${id} ${cron} ${zone}: no row for ${shown(due)}`);
      }
      for (const slot of seen.keys()) wrong.push(`${id} ${cron} ${zone}: ${shown(slot)} is no due time`);
    }
  }
  return { dueTimes, states, wrong: wrong.slice(0, 20) };
}

/** On time, or late with a word about it. */
function rowProblem(
  { state, reason, slotAt, dueAt, insertedAt }: SimulatedRow,
  catchUp: CatchUpRule,
): string | undefined {
  if (dueAt < slotAt! || dueAt > slotAt! + HOUR / 2) return `starts at ${shown(dueAt)}`;
  if (insertedAt < dueAt) return `was inserted before its start`;
  const isLate = insertedAt > dueAt + 2 * MINUTE;
  if (state === "missed" && !isLate) return "is missed, though a scheduler was there";
  if (state === "queued" && isLate && catchUp === "none") return "runs late, though its routine does not catch up";
  if (state !== "queued" && !reason) return "has no reason";
  return undefined;
}

const shown = (moment: number) => new Date(moment).toISOString();

/** Nobody works here: runs stay queued until the next one replaces them, so most rows are about the overlap. */
async function openInMemory(clock: FakeClock): Promise<YearStore> {
  const store = await openSqliteStore({ file: ":memory:", now: () => clock.now });
  return {
    store,
    async add({ id, cron, zone, catchUp, overlap }) {
      await store.createRoutine({ ...aRoutine({ id: `trig of ${id}`, catchUp, overlap }) });
      await store.triggers.insert(anArmedTrigger({ id, routineId: `trig of ${id}`, cron, zone, createdAt: clock.now }));
    },
    async rowsOf(id) {
      const rows: RoutineRun[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await store.runs({ routineId: `trig of ${id}` }, { cursor, limit: 1_000 });
        rows.push(...page.rows);
        cursor = page.next;
      }
      return rows.map(({ createdAt, ...row }) => ({ ...row, insertedAt: createdAt }));
    },
    close: () => store.close(),
  };
}

function anArmedTrigger(fields: Partial<Trigger> & Pick<Trigger, "createdAt">): Trigger {
  const trigger = aTrigger(fields);
  return { ...trigger, ...armed(trigger, { now: fields.createdAt, zones: createZones() }) };
}

/** What the databases do with a tick: read, decide, and write if nobody else has moved the trigger. */
class FakeTickStore implements YearStore, TickStore {
  readonly store = this;
  readonly #clock: FakeClock;
  readonly #roll: Roll;
  readonly #catchUp = new Map<string, CatchUpRule>();
  readonly #triggers = new Map<string, Trigger>();
  readonly #rows = new Map<string, Map<string, SimulatedRow>>();

  constructor(clock: FakeClock, roll: Roll) {
    this.#clock = clock;
    this.#roll = roll;
  }

  async add({ id, cron, zone, catchUp }: SimulatedSchedule) {
    this.#catchUp.set(id, catchUp);
    this.#triggers.set(id, anArmedTrigger({ id, cron, zone, createdAt: this.#clock.now }));
    this.#rows.set(id, new Map());
  }

  async rowsOf(id: string) {
    return [...this.#rows.get(id)!.values()];
  }

  async close() {}

  async tick(decide: (due: DueTrigger) => TickDecision | undefined, limit = Infinity) {
    const { now } = this.#clock;
    const due = [...this.#triggers.values()].filter(({ nextAt }) => nextAt !== null && nextAt <= now).slice(0, limit);
    let moved = 0;
    for (const trigger of due) {
      // Another scheduler may be first.
      for (let turns = this.#roll(4); turns > 0; turns--) await undefined;
      const catchUp = this.#catchUp.get(trigger.id)!;
      const decision = decide({ trigger, routine: aRoutine({ catchUp }), active: [], now });
      if (decision === undefined || this.#triggers.get(trigger.id) !== trigger) continue;
      const rows = this.#rows.get(trigger.id)!;
      for (const run of decision.runs) {
        if (rows.has(run.id)) throw new Error(`${run.id} was inserted before its trigger was moved`);
        rows.set(run.id, {
          slotAt: run.slotAt!,
          dueAt: run.dueAt!,
          state: run.state,
          reason: run.reason ?? null,
          insertedAt: now,
        });
      }
      this.#triggers.set(trigger.id, { ...trigger, nextSlot: decision.nextSlot, nextAt: decision.nextAt });
      moved++;
    }
    const next = Math.min(...[...this.#triggers.values()].map(({ nextAt }) => nextAt ?? Infinity));
    return { moved, runs: [], ...(next === Infinity ? {} : { nextInMs: Math.max(0, next - now) }) };
  }

  async overdue(byMs: number) {
    return [...this.#triggers.values()].filter(({ nextAt }) => nextAt !== null && nextAt <= this.#clock.now - byMs);
  }

  async silentRuns() {
    return [];
  }

  async attempts() {
    return [];
  }

  async expel() {
    return false;
  }

  async sweep() {
    return { expired: 0, removed: 0 };
  }
}

type Roll = (sides: number) => number;

/** The same sequence in every run. */
function dice(seed: number): Roll {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * sides);
  };
}

/** Most are daily or rarer, some hourly, a few more often; around the hours at which clocks change, too. */
function anyCron(roll: Roll): string {
  const pick = <Value>(...values: readonly Value[]) => values[roll(values.length)]!;
  const minute = pick("0", "0", "0", "15", "30", "45", String(roll(60)), "0,30", "*/20");
  const hour = pick("*", "0", "1", "2", "2", "3", String(roll(24)), "9-17", "*/2", "1-3", "2,14", "22-23");
  const day = pick("*", "*", "*", "*", String(1 + roll(31)), "1,15", "*/7", "29-31");
  const month = pick("*", "*", "*", "*", String(1 + roll(12)), "3-10", "*/3");
  const weekday = pick("*", "*", "1-5", "0", "7", String(roll(8)), "0,6", "*/2");
  return [minute, hour, day, month, weekday].join(" ");
}
