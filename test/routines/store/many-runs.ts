// Ten thousand runs that are due, faster than one by one.

import { Database as Sqlite } from "bun:sqlite";
import { SQL } from "bun";
import type { RunStore } from "@keelson/routines";
import { socketOf } from "./cluster.ts";
import { newRoutine, newRun } from "./rows.ts";

const DUE = 10_000;

const NUMBERS = `(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${DUE})
  SELECT n FROM counted) AS numbers`;

/** Copies of one routine and its run, each run with a time of its own, some of them held by workers that are lost. */
const COPIES = [
  `INSERT INTO routine_versions (routine_id, version, definition, at)
   SELECT routine_id || n, version, definition, at FROM routine_versions, ${NUMBERS}`,
  `INSERT INTO routines (id, owner_id, enabled, failures_in_row, version, created_at, updated_at, definition)
   SELECT id || n, owner_id, enabled, failures_in_row, version, created_at, updated_at, definition FROM routines, ${NUMBERS}`,
  `INSERT INTO runs (id, routine_id, routine_version, cause, due_at, due, is_held_back, state, session_id, origin,
                     created_at, lease_until)
   SELECT id || n, routine_id || n, routine_version, cause, due_at, due - n, 0,
     CASE WHEN n % 500 = 0 THEN 'running' ELSE 'queued' END, session_id, origin, created_at, due - n
   FROM runs, ${NUMBERS}`,
];

/** The store is closed then. */
async function withOneRun(store: RunStore): Promise<void> {
  const { id } = await store.createRoutine(newRoutine());
  await store.enqueue({ run: newRun(id) });
  await store.close();
}

/** In the file of this store. */
export async function manyInSqlite(store: RunStore, file: string): Promise<void> {
  await withOneRun(store);
  using sqlite = new Sqlite(file);
  for (const copy of COPIES) sqlite.run(copy);
}

/** In the database of this store; without statistics, as before the server first looks at the table. */
export async function manyInPostgres(store: RunStore, url: string, hasStatistics: boolean): Promise<void> {
  await withOneRun(store);
  await using sql = new SQL({ ...socketOf(url), max: 1 });
  if (!hasStatistics) await sql.unsafe("ALTER TABLE runs SET (autovacuum_enabled = false)");
  for (const copy of COPIES) await sql.unsafe(copy);
  if (hasStatistics) await sql.unsafe("ANALYZE");
}
