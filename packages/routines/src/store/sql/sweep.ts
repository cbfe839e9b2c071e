// What is removed in the course of time, a piece at a time, so that nobody waits for it.

import type { Retention } from "../run-store.ts";
import type { Queries } from "./database.ts";

const PIECE = 200;
const ANSWERS_MS = 24 * 60 * 60 * 1_000;
const WORKERS_MS = 7 * ANSWERS_MS;

/** How many rows were removed; as many as fit into one piece of each kind. */
export async function removeOld(queries: Queries, keep: Retention): Promise<number> {
  const removed: number[] = [];
  const old = await queries.all(
    `SELECT id FROM runs WHERE (entries > 0 OR payload IS NOT NULL) AND ended_at < {now} - $1 ORDER BY ended_at LIMIT 50`,
    [keep.logMs],
  );
  for (const { id } of old) {
    const gone = await queries.all(`DELETE FROM entries WHERE run_id = $1 RETURNING seq`, [String(id)]);
    await queries.all(`UPDATE runs SET entries = 0, payload = NULL WHERE id = $1`, [String(id)]);
    removed.push(gone.length);
  }
  for (const [table, time, ms] of [
    ["deliveries", "at", keep.deliveriesMs],
    ["audit", "at", keep.auditMs],
    ["answers", "at", ANSWERS_MS],
    ["workers", "seen_at", WORKERS_MS],
    ["codes", "expires_at", 0],
    ["devices", "expires_at", 0],
  ] as const) {
    const gone = await queries.all(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${time} < {now} - $1 ORDER BY ${time} LIMIT ${PIECE})
       RETURNING id`,
      [ms],
    );
    removed.push(gone.length);
  }
  return removed.reduce((sum, each) => sum + each, 0);
}
