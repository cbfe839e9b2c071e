// How runs come to be: one row for each cause, whoever inserts it and how often.

import { sessionIdOf } from "../../records/run-id.ts";
import type { Delivery } from "../../records/delivery.ts";
import type { Routine } from "../../records/routine.ts";
import type { NewRun, RoutineRun } from "../../records/run.ts";
import type { Trigger } from "../../records/trigger.ts";
import type { DueTrigger, Enqueue, Enqueued, TickDecision } from "../run-store.ts";
import { one, type Queries, type SqlRow } from "./database.ts";
import { endRun } from "./ends.ts";
import { columnsOf, DELIVERIES, insertInto, fromRow, ROUTINES, RUNS, TRIGGERS, valuesOf } from "./rows.ts";

/** Runs of a routine that may be held back. */
export const MOST_HELD_BACK = 100;

const ACTIVE = "state IN ('queued', 'running', 'waiting')";

export async function enqueue(queries: Queries, { run, delivery, cap }: Enqueue): Promise<Enqueued> {
  // The routine is locked first: runs of one routine are caused one after another, so that each sees those before it.
  const routine = run && (await lockedRoutine(queries, run.routineId));
  if (delivery) {
    const id = crypto.randomUUID();
    const record = { id, ...delivery };
    const inserted = await one(
      queries,
      `${insertInto(DELIVERIES, record, { at: "{now}" })} RETURNING id`,
      valuesOf(DELIVERIES, record),
    );
    if (inserted === undefined) {
      const there = await deliveryOf(queries, delivery);
      return { run: there?.runId ? await runOf(queries, there.runId) : undefined, delivery: there, isNew: false };
    }
  }
  const caused = run && routine ? await cause(queries, routine, run, cap) : undefined;
  if (delivery && run && !routine)
    await queries.all(
      `UPDATE deliveries SET verdict = 'refused', reason = 'The routine was removed' WHERE trigger_id = $1 AND key = $2`,
      [delivery.triggerId, delivery.key],
    );
  if (caused && delivery) {
    const { id, state, reason } = caused.run;
    const verdict = caused.isNew && (state === "capped" || state === "skipped") ? state : delivery.verdict;
    await queries.all(
      `UPDATE deliveries SET run_id = $1, verdict = $2, reason = $3 WHERE trigger_id = $4 AND key = $5`,
      [id, verdict, verdict === delivery.verdict ? delivery.reason : reason, delivery.triggerId, delivery.key],
    );
  }
  return {
    run: caused?.run,
    delivery: delivery && (await deliveryOf(queries, delivery)),
    isNew: caused?.isNew ?? delivery !== undefined,
  };
}

async function deliveryOf(
  queries: Queries,
  { triggerId, key }: { readonly triggerId: string; readonly key: string },
): Promise<Delivery | undefined> {
  const row = await one(queries, `SELECT ${columnsOf(DELIVERIES)} FROM deliveries WHERE trigger_id = $1 AND key = $2`, [
    triggerId,
    key,
  ]);
  return row && fromRow(DELIVERIES, row);
}

async function runOf(queries: Queries, id: string): Promise<RoutineRun | undefined> {
  const row = await one(queries, `SELECT ${columnsOf(RUNS)} FROM runs WHERE id = $1`, [id]);
  return row && fromRow(RUNS, row);
}

async function lockedRoutine(queries: Queries, id: string, skip = ""): Promise<Routine | undefined> {
  const row = await one(queries, `SELECT ${columnsOf(ROUTINES)} FROM routines WHERE id = $1 {lock} ${skip}`, [id]);
  return row && routineOf(row);
}

export function routineOf(row: SqlRow): Routine {
  const { definition, ...rest } = fromRow(ROUTINES, row);
  return { ...definition, ...rest };
}

interface Caused {
  readonly run: RoutineRun;
  readonly isNew: boolean;
}

/** Inserts a run of a routine that is locked, as its overlap rule and the cap have it. */
async function cause(queries: Queries, routine: Routine, wanted: NewRun, cap?: Enqueue["cap"]): Promise<Caused> {
  const there = await runOf(queries, wanted.id);
  if (there) return { run: there, isNew: false };
  const { state, reason, isHeldBack, replaced } = await judged(queries, routine, wanted, cap);
  const active = state === "queued";
  const record = {
    id: wanted.id,
    routineId: wanted.routineId,
    routineVersion: routine.version,
    triggerId: wanted.triggerId ?? null,
    cause: wanted.cause,
    slotAt: wanted.slotAt ?? null,
    state,
    reason,
    isHeldBack,
    sessionId: sessionIdOf(wanted.id),
    payload: wanted.payload ?? null,
    origin: wanted.origin ?? {},
    createdBy: wanted.createdBy ?? null,
  };
  const values = valuesOf(RUNS, record);
  const dueAt = `coalesce(CAST($${values.length + 1} AS BIGINT), {now})`;
  const computed = {
    due_at: dueAt,
    due: active && !isHeldBack ? dueAt : "NULL",
    created_at: "{now}",
    ended_at: active ? "NULL" : "{now}",
  };
  const row = await one(queries, `${insertInto(RUNS, record, computed)} RETURNING ${columnsOf(RUNS)}`, [
    ...values,
    wanted.dueAt ?? null,
  ]);
  if (row === undefined) return { run: (await runOf(queries, wanted.id))!, isNew: false };
  for (const run of replaced)
    await endRun(queries, { run, state: "cancelled", reason: `Replaced by "${wanted.id}"`, why: "cancelled" });
  return { run: fromRow(RUNS, row), isNew: true };
}

interface Judged {
  readonly state: NewRun["state"];
  readonly reason: string | null;
  readonly isHeldBack: boolean;
  readonly replaced: readonly RoutineRun[];
}

async function judged(queries: Queries, routine: Routine, wanted: NewRun, cap: Enqueue["cap"]): Promise<Judged> {
  const as = (state: NewRun["state"], reason: string | null): Judged => ({
    state,
    reason,
    isHeldBack: false,
    replaced: [],
  });
  if (wanted.state !== "queued") return as(wanted.state, wanted.reason ?? null);
  if (cap) {
    const recent = await one(
      queries,
      `SELECT count(*) AS runs FROM runs WHERE trigger_id = $1 AND created_at > {now} - $2 AND state <> 'capped'`,
      [wanted.triggerId ?? null, cap.withinMs],
    );
    if (Number(recent?.["runs"]) >= cap.most) return as("capped", cap.reason);
  }
  const active = await activeRuns(queries, routine.id);
  const first = active[0];
  if (first === undefined) return as("queued", wanted.reason ?? null);
  switch (routine.overlap) {
    case "skip":
      return as("skipped", `Another run of the routine, "${first.id}", is ${first.state}`);
    case "cancel":
      return { ...as("queued", wanted.reason ?? null), replaced: active };
    case "queue":
      if (active.filter(({ isHeldBack }) => isHeldBack).length >= MOST_HELD_BACK)
        return as("capped", `${MOST_HELD_BACK} runs of the routine wait for the one before them`);
      return { ...as("queued", wanted.reason ?? null), isHeldBack: true };
  }
}

async function activeRuns(queries: Queries, routineId: string): Promise<readonly RoutineRun[]> {
  const rows = await queries.all(
    `SELECT ${columnsOf(RUNS)} FROM runs WHERE routine_id = $1 AND ${ACTIVE} ORDER BY created_at, id`,
    [routineId],
  );
  return rows.map((row) => fromRow(RUNS, row));
}

/** Triggers that are due, without a lock. */
export async function dueTriggers(queries: Queries, limit: number): Promise<readonly DueId[]> {
  const rows = await queries.all(
    `SELECT triggers.id, triggers.routine_id FROM triggers JOIN routines ON routines.id = triggers.routine_id
     WHERE triggers.next_at <= {now} AND routines.enabled = 1 ORDER BY triggers.next_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ id: String(row["id"]), routineId: String(row["routine_id"]) }));
}

interface DueId {
  readonly id: string;
  readonly routineId: string;
}

/** Undefined: another server has it, or it is not due any more. */
export async function tickOne(
  queries: Queries,
  { id, routineId }: DueId,
  decide: (due: DueTrigger) => TickDecision | undefined,
): Promise<readonly RoutineRun[] | undefined> {
  const routine = await lockedRoutine(queries, routineId, "{skip}");
  if (!routine?.enabled) return undefined;
  const row = await one(
    queries,
    `SELECT ${columnsOf(TRIGGERS)}, {now} AS now FROM triggers WHERE id = $1 AND next_at <= {now} {lock} {skip}`,
    [id],
  );
  if (row === undefined) return undefined;
  const trigger: Trigger = fromRow(TRIGGERS, row);
  const active = await activeRuns(queries, routineId);
  const decision = decide({ trigger, routine, active, now: Number(row["now"]) });
  if (decision === undefined) return undefined;
  const runs: RoutineRun[] = [];
  for (const wanted of decision.runs) {
    const { run, isNew } = await cause(queries, routine, wanted);
    if (isNew) runs.push(run);
  }
  const fired = decision.runs.some(({ state }) => state === "queued") ? "{now}" : "last_fired_at";
  await queries.all(
    `UPDATE triggers SET next_slot = $1, next_at = $2, ran_at = coalesce($3, ran_at), last_fired_at = ${fired} WHERE id = $4`,
    [decision.nextSlot, decision.nextAt, decision.ranAt ?? null, id],
  );
  if (decision.disabledReason !== undefined)
    await queries.all(`UPDATE routines SET enabled = 0, disabled_reason = $1, updated_at = {now} WHERE id = $2`, [
      decision.disabledReason,
      routineId,
    ]);
  return runs;
}

/** Until the next trigger is due; undefined if none is. */
export async function nextTriggerInMs(queries: Queries): Promise<number | undefined> {
  const row = await one(
    queries,
    `SELECT triggers.next_at - {now} AS ms FROM triggers JOIN routines ON routines.id = triggers.routine_id
     WHERE triggers.next_at IS NOT NULL AND routines.enabled = 1 ORDER BY triggers.next_at LIMIT 1`,
  );
  return row && Math.max(0, Number(row["ms"]));
}
