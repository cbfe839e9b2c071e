// Rows for tests of the store.

import { runIdOf } from "@keelson/routines";
import type { NewRun } from "../../../packages/routines/src/records/run.ts";
import type { Trigger } from "../../../packages/routines/src/records/trigger.ts";
import { A_DEFINITION, aTrigger } from "../../../packages/routines/src/schedule/due-trigger.test-support.ts";
import type { DueTrigger, NewRoutine, TickDecision } from "../../../packages/routines/src/store/run-store.ts";

export function newRoutine(change: Partial<NewRoutine> = {}): NewRoutine {
  const id = `trig_${crypto.randomUUID()}`;
  return { ...A_DEFINITION, id, ownerId: null, enabled: true, questions: "ask", ...change };
}

/** A run of this routine, by a key. */
export function newRun(routineId: string, key: string = crypto.randomUUID(), change: Partial<NewRun> = {}): NewRun {
  return {
    id: runIdOf({ kind: "manual", routineId, key }),
    routineId,
    cause: "manual",
    state: "queued",
    ...change,
  };
}

/** Due at once, and then each hour. */
export function newTrigger(routineId: string, change: Partial<Trigger> = {}): Trigger {
  const id = `cron_${crypto.randomUUID()}`;
  return aTrigger({ id, routineId, cron: "0 * * * *", jitterMs: 0, nextSlot: 1, nextAt: 1, ...change });
}

/** The run of the time that a trigger is due for. */
export function slotRun({ trigger, routine }: Pick<DueTrigger, "trigger" | "routine">): NewRun {
  const slotAt = trigger.nextSlot!;
  const id = runIdOf({ kind: "schedule", triggerId: trigger.id, slotAt });
  return { id, routineId: routine.id, triggerId: trigger.id, cause: "schedule", slotAt, state: "queued" };
}

/** A run now, and the next in an hour. */
export function hourly(due: DueTrigger): TickDecision {
  const next = due.now + 60 * 60 * 1_000;
  return { runs: [slotRun(due)], nextSlot: next, nextAt: next };
}
