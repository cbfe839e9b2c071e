// How a run ends, whoever ends it: always here, so that no end is without its attempt, its effects and its successor.

import type { AttemptEnd, NewEffect, RoutineRun, RoutineRunState } from "../../records/run.ts";
import { one, type Queries } from "./database.ts";
import { columnsOf, fromRow, RUNS } from "./rows.ts";

/** Failed runs in a row after which a routine is disabled. */
export const MOST_FAILURES = 10;

/** For so long a routine whose repositories are out of reach goes on trying. */
const LONGEST_SKIPPED_MS = 72 * 3_600_000;

export interface EndedRun {
  readonly run: Pick<RoutineRun, "id" | "routineId" | "attempt">;
  readonly state: RoutineRunState;
  readonly reason: string | null;
  /** Of its attempt, if it has one that goes on. */
  readonly why: AttemptEnd;
  readonly effects?: readonly NewEffect[];
}

/**
 * Locks the routine of a run, and must come before any row of a run is locked: whatever takes both takes them in this order.
 * A routine that was removed has nothing left to lock.
 */
export async function lockRoutine(queries: Queries, runId: string): Promise<void> {
  await queries.all(`SELECT id FROM routines WHERE id = (SELECT routine_id FROM runs WHERE id = $1) {lock}`, [runId]);
}

export async function lockedRun(queries: Queries, runId: string): Promise<RoutineRun | undefined> {
  const row = await one(queries, `SELECT ${columnsOf(RUNS)} FROM runs WHERE id = $1 {lock}`, [runId]);
  return row && fromRow(RUNS, row);
}

/** Ends a run unless it has ended. The caller has locked its routine. */
export async function endRun(queries: Queries, ended: EndedRun): Promise<boolean> {
  const { run, state, reason } = ended;
  const row = await one(
    queries,
    `UPDATE runs SET state = $1, reason = $2, claim = NULL, lease_until = NULL, is_held_back = 0, ended_at = {now}
     WHERE id = $3 AND state IN ('queued', 'running', 'waiting') RETURNING id`,
    [state, reason, run.id],
  );
  if (row === undefined) return false;
  // It may have been waiting.
  await queries.all(`UPDATE questions SET answered_at = {now} WHERE run_id = $1 AND answered_at IS NULL`, [run.id]);
  await afterEnd(queries, ended);
  return true;
}

/** All that belongs to the end of a run besides its own row. */
export async function afterEnd(queries: Queries, { run, state, reason, why, effects = [] }: EndedRun): Promise<void> {
  const all = [...effects, { key: "ended", kind: "ended", body: {} }];
  // In this order, but without waiting for each: PostgreSQL answers all of them in one round trip.
  await Promise.all([
    closeAttempt(queries, run.id, { why, reason }),
    ...all.map(({ key, kind, body }) =>
      queries.all(
        `INSERT INTO effects (run_id, key, kind, body, state, tries, due_at)
         VALUES ($1, $2, $3, $4, 'pending', 0, {now}) ON CONFLICT DO NOTHING`,
        [run.id, key, kind, JSON.stringify(body)],
      ),
    ),
    countFailure(queries, run.routineId, state),
    startNext(queries, run.routineId),
  ]);
}

async function countFailure(queries: Queries, routineId: string, state: RoutineRunState): Promise<void> {
  if (state === "succeeded")
    await queries.all(`UPDATE routines SET failures_in_row = 0 WHERE id = $1 AND failures_in_row > 0`, [routineId]);
  if (state === "failed" || state === "timed_out")
    await queries.all(
      `UPDATE routines SET failures_in_row = failures_in_row + 1,
         disabled_reason = CASE WHEN enabled = 1 AND failures_in_row >= $1 THEN $2 ELSE disabled_reason END,
         enabled = CASE WHEN failures_in_row >= $1 THEN 0 ELSE enabled END
       WHERE id = $3`,
      [MOST_FAILURES - 1, `${MOST_FAILURES} runs in a row failed`, routineId],
    );
  // A worker began and could not go on. Since another run ended otherwise, or somebody changed the routine.
  if (state === "skipped")
    await queries.all(
      `UPDATE routines SET enabled = 0, disabled_reason = $1
       WHERE id = $2 AND enabled = 1 AND {now} - $3 >=
         (SELECT min(ended_at) FROM runs WHERE routine_id = $2 AND state = 'skipped' AND started_at IS NOT NULL
            AND ended_at > routines.updated_at AND ended_at >
              coalesce((SELECT max(ended_at) FROM runs WHERE routine_id = $2 AND started_at IS NOT NULL
                          AND state IN ('succeeded', 'failed', 'timed_out')), 0))`,
      ["Its runs could not begin for 72 hours; see the reason of the last one", routineId, LONGEST_SKIPPED_MS],
    );
}

/** Ends the attempt that goes on. False: none does. */
export async function closeAttempt(
  queries: Queries,
  runId: string,
  { why, reason = null }: { readonly why: AttemptEnd; readonly reason?: string | null },
): Promise<boolean> {
  const row = await one(
    queries,
    `UPDATE attempts SET ended_at = {now}, why = $1, reason = $2 WHERE run_id = $3 AND ended_at IS NULL RETURNING n`,
    [why, reason, runId],
  );
  return row !== undefined;
}

/** The run that was held back the longest may start when no other of the routine is active. */
async function startNext(queries: Queries, routineId: string): Promise<void> {
  await queries.all(
    `UPDATE runs SET due = due_at, is_held_back = 0
     WHERE id = (SELECT id FROM runs WHERE routine_id = $1 AND state IN ('queued', 'running', 'waiting')
                 AND is_held_back = 1 ORDER BY created_at, id LIMIT 1)
       AND NOT EXISTS (SELECT 1 FROM runs WHERE routine_id = $1 AND state IN ('queued', 'running', 'waiting')
                       AND is_held_back = 0)`,
    [routineId],
  );
}
