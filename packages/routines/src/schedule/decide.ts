// What becomes of the due times of a trigger: each of them is a row, whether it runs or not. Pure, so that any number of schedulers may
// decide about the same trigger: the store takes one of the decisions, and all are the same.

import type { NewRun } from "../records/run.ts";
import { runIdOf } from "../records/run-id.ts";
import type { CatchUpRule } from "../records/routine.ts";
import type { DueTrigger, TickDecision } from "../store/run-store.ts";
import { slotsOf, type Start, type TriggerSlots, type Zones } from "./trigger-slots.ts";

/** Later than this, a start has been missed: no scheduler was there. */
const LATE_MS = 2 * 60_000;
/** What `all` makes up for. */
const MOST_CAUGHT_UP = 24;
/** In one transaction; the others follow in the next. */
const MOST_ROWS = 200;

export function decideTick(due: DueTrigger, zones: Zones): TickDecision {
  try {
    return decide(due, zones);
  } catch (error) {
    // It would be due for ever, and keep others waiting.
    return paused(`The schedule cannot be computed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function decide(due: DueTrigger, zones: Zones): TickDecision {
  const { trigger, routine, now } = due;
  const first = trigger.nextSlot;
  if (first === null || !routine.enabled) return { runs: [], nextSlot: null, nextAt: null };
  const slots = slotsOf(trigger, zones);
  if (slots === undefined) {
    const what = trigger.cron === null ? `time zone "${trigger.zone}"` : `schedule "${trigger.cron}" (${trigger.zone})`;
    return paused(`The ${what} is not valid; change it`);
  }
  const { passed, newer, next } = passedStarts(slots, first, now);
  const runs = passed.map((start, at) => rowOf(start, passed.length - 1 - at + newer, due));
  const rest: TickDecision = { runs, nextSlot: next?.slotAt ?? null, nextAt: next?.startAt ?? null };
  if (trigger.cron !== null || passed.length === 0) return rest;
  return { ...rest, ranAt: now, disabledReason: `It was set to run once, at ${shown(first)}` };
}

const paused = (disabledReason: string): TickDecision => ({ runs: [], nextSlot: null, nextAt: null, disabledReason });

interface PassedStarts {
  /** The oldest of those that have passed. */
  readonly passed: readonly Start[];
  /** How many more have passed, as far as it matters. */
  readonly newer: number;
  /** The one after `passed`. */
  readonly next: Start | undefined;
}

function passedStarts(slots: TriggerSlots, first: number, now: number): PassedStarts {
  const starts: Start[] = [];
  // Usually `first` itself; another one if the schedule was changed meanwhile, also by a new version of the time zones.
  let start = slots.after(first - 1);
  while (start !== undefined && start.startAt <= now && starts.length < MOST_ROWS + MOST_CAUGHT_UP) {
    starts.push(start);
    start = slots.after(start.slotAt);
  }
  const passed = starts.slice(0, MOST_ROWS);
  return { passed, newer: starts.length - passed.length, next: starts[MOST_ROWS] ?? start };
}

/** `newer`: how many due times have passed since this one. */
function rowOf({ slotAt, startAt }: Start, newer: number, { trigger, routine, now }: DueTrigger): NewRun {
  const base = {
    id: runIdOf({ kind: "schedule", triggerId: trigger.id, slotAt }),
    routineId: routine.id,
    triggerId: trigger.id,
    cause: "schedule",
    slotAt,
    dueAt: startAt,
  } as const;
  const isLate = newer > 0 || now - startAt > LATE_MS;
  if (!isLate || newer < CAUGHT_UP[routine.catchUp]) return { ...base, state: "queued" };
  return { ...base, state: "missed", reason: MISSED[routine.catchUp] };
}

const CAUGHT_UP: Readonly<Record<CatchUpRule, number>> = { none: 0, one: 1, all: MOST_CAUGHT_UP };

const MISSED: Readonly<Record<CatchUpRule, string>> = {
  none: "The server did not run at this time, and the routine does not catch up",
  one: "The server did not run at this time; the routine catches up with the newest of its missed times only",
  all: `The server did not run at this time; the routine catches up with its ${MOST_CAUGHT_UP} newest missed times only`,
};

const shown = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");
