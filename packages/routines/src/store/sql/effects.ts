// What is done for a run after its end: each effect has its own lease and token, like a run.

import type { RoutineDefinition } from "../../records/routine.ts";
import type { ClaimedEffect, EffectEnd, HeldEffect, WantedEffect } from "../run-store.ts";
import { one, type Queries } from "./database.ts";
import { columnsOf, EFFECTS, fromRow, RUNS } from "./rows.ts";

export async function claimEffect(
  queries: Queries,
  { kinds, leaseMs }: WantedEffect,
  claim: string,
  isRepeat: boolean,
): Promise<ClaimedEffect | undefined> {
  if (kinds.length === 0) return undefined;
  const columns = columnsOf(EFFECTS);
  const wanted = kinds.map((_, at) => `$${at + 3}`).join(", ");
  const row =
    (isRepeat
      ? await one(queries, `SELECT ${columns} FROM effects WHERE claim = $1 AND state = 'pending'`, [claim])
      : undefined) ??
    (await one(
      queries,
      `UPDATE effects SET claim = $1, tries = tries + 1, due_at = {now} + $2
       WHERE (run_id, key) = (SELECT run_id, key FROM effects WHERE state = 'pending' AND due_at <= {now}
                              AND kind IN (${wanted}) ORDER BY due_at LIMIT 1 {lock} {skip})
       RETURNING ${columns}`,
      [claim, leaseMs, ...kinds],
    ));
  if (row === undefined) return undefined;
  const effect = fromRow(EFFECTS, row);
  const found = await one(
    queries,
    `SELECT ${columnsOf(RUNS, "runs")}, routine_versions.definition FROM runs JOIN routine_versions
       ON routine_versions.routine_id = runs.routine_id AND routine_versions.version = runs.routine_version
     WHERE runs.id = $1`,
    [effect.runId],
  );
  if (found === undefined) throw new Error(`The run "${effect.runId}" of an effect does not exist`);
  const { runId, key } = effect;
  const routine = JSON.parse(String(found["definition"])) as RoutineDefinition;
  return { runId, key, claim, effect, run: fromRow(RUNS, found), routine };
}

export async function settleEffect(
  queries: Queries,
  { runId, key, claim }: HeldEffect,
  settled: EffectEnd,
): Promise<boolean> {
  const error = "error" in settled ? settled.error : null;
  const afterMs = settled.state === "pending" ? settled.afterMs : 0;
  const row = await one(
    queries,
    `UPDATE effects SET state = $4, error = $5, due_at = {now} + $6,
       settled_at = CASE WHEN $4 = 'pending' THEN NULL ELSE {now} END
     WHERE run_id = $1 AND key = $2 AND claim = $3 AND state = 'pending' RETURNING key`,
    [runId, key, claim, settled.state, error, afterMs],
  );
  if (row !== undefined) return true;
  // Settled by this very claim: only the answer was lost.
  const done = await one(
    queries,
    `SELECT key FROM effects WHERE run_id = $1 AND key = $2 AND claim = $3 AND state = $4`,
    [runId, key, claim, settled.state],
  );
  return done !== undefined;
}
