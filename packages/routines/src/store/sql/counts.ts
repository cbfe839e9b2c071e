// What is going on, in numbers. Each statement has an index that leaves out what is long over.

import type { DeliveryVerdict } from "../../records/delivery.ts";
import type { StoreCounts } from "../../records/counts.ts";
import type { RoutineRunState } from "../../records/run.ts";
import { one, type Queries, type SqlRow } from "./database.ts";

const HOUR_MS = 60 * 60_000;
const ALIVE_MS = 2 * 60_000;

export async function countAll(queries: Queries): Promise<StoreCounts> {
  const [active, due, recent, delays, workers, effects, questions, routines, deliveries] = await Promise.all([
    queries.all(
      `SELECT state, count(*) AS runs FROM runs WHERE state IN ('queued', 'running', 'waiting') GROUP BY state`,
    ),
    one(
      queries,
      `SELECT count(*) AS runs, {now} - min(due) AS oldest FROM runs WHERE state = 'queued' AND due <= {now}`,
    ),
    queries.all(
      `SELECT state, cause, count(*) AS runs, sum(cost_usd) AS cost, sum(turns) AS turns FROM runs
       WHERE created_at >= {now} - $1 AND ended_at IS NOT NULL GROUP BY state, cause`,
      [24 * HOUR_MS],
    ),
    queries.all(
      `SELECT started_at - due_at AS ms FROM runs WHERE created_at >= {now} - $1 AND started_at IS NOT NULL
       ORDER BY created_at DESC LIMIT 1000`,
      [HOUR_MS],
    ),
    one(
      queries,
      `SELECT count(*) AS alive, coalesce(sum(slots), 0) AS slots FROM workers WHERE seen_at >= {now} - $1`,
      [ALIVE_MS],
    ),
    one(
      queries,
      `SELECT count(*) AS pending, {now} - min(due_at) AS oldest FROM effects WHERE state = 'pending' AND due_at <= {now}`,
    ),
    one(queries, `SELECT count(*) AS open FROM questions WHERE answered_at IS NULL`),
    queries.all(
      `SELECT enabled, CASE WHEN disabled_reason IS NULL THEN 0 ELSE 1 END AS has_reason, count(*) AS routines
       FROM routines GROUP BY enabled, CASE WHEN disabled_reason IS NULL THEN 0 ELSE 1 END`,
    ),
    queries.all(`SELECT verdict, count(*) AS deliveries FROM deliveries WHERE at >= {now} - $1 GROUP BY verdict`, [
      24 * HOUR_MS,
    ]),
  ]);
  const routinesWhere = (is: (row: SqlRow) => boolean) =>
    routines.filter(is).reduce((sum, row) => sum + Number(row["routines"]), 0);
  return {
    active: active.map((row) => ({ state: stateOf(row), runs: Number(row["runs"]) })),
    due: { runs: Number(due?.["runs"]), oldestMs: Math.max(0, Number(due?.["oldest"] ?? 0)) },
    recent: recent.map((row) => ({
      state: stateOf(row),
      cause: String(row["cause"]),
      runs: Number(row["runs"]),
      costUsd: Number(row["cost"]),
      turns: Number(row["turns"]),
    })),
    startDelaysMs: delays.map(({ ms }) => Math.max(0, Number(ms))),
    workers: { alive: Number(workers?.["alive"]), slots: Number(workers?.["slots"]) },
    effects: { pending: Number(effects?.["pending"]), oldestMs: Math.max(0, Number(effects?.["oldest"] ?? 0)) },
    openQuestions: Number(questions?.["open"]),
    routines: {
      enabled: routinesWhere((row) => Number(row["enabled"]) === 1),
      paused: routinesWhere((row) => Number(row["enabled"]) === 0 && Number(row["has_reason"]) === 0),
      disabled: routinesWhere((row) => Number(row["enabled"]) === 0 && Number(row["has_reason"]) === 1),
    },
    deliveries: deliveries.map((row) => ({
      verdict: String(row["verdict"]) as DeliveryVerdict,
      deliveries: Number(row["deliveries"]),
    })),
  };
}

const stateOf = (row: SqlRow) => String(row["state"]) as RoutineRunState;
