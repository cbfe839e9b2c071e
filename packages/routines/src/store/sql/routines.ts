// Routines: what a person writes is kept in every version that a run may have.

import type { Routine, RoutineDefinition } from "../../records/routine.ts";
import type { NewRoutine, RoutineChange } from "../run-store.ts";
import { one, type Queries } from "./database.ts";
import { routineOf } from "./causes.ts";
import { endRun } from "./ends.ts";
import { columnsOf, insertInto, fromRow, ROUTINES, RUNS, valuesOf } from "./rows.ts";

export async function createRoutine(queries: Queries, wanted: NewRoutine): Promise<Routine> {
  const { id, ownerId, enabled, ...definition } = wanted;
  const record = { id, ownerId, enabled, failuresInRow: 0, version: 1, definition };
  await queries.all(
    insertInto(ROUTINES, record, { created_at: "{now}", updated_at: "{now}" }),
    valuesOf(ROUTINES, record),
  );
  await keepVersion(queries, id, 1, definition);
  const routine = await readRoutine(queries, id);
  if (routine === undefined) throw new Error(`The routine "${id}" was removed while it was made`);
  return routine;
}

export async function readRoutine(queries: Queries, id: string, lock = ""): Promise<Routine | undefined> {
  const row = await one(queries, `SELECT ${columnsOf(ROUTINES)} FROM routines WHERE id = $1 ${lock}`, [id]);
  return row && routineOf(row);
}

export async function updateRoutine(
  queries: Queries,
  id: string,
  change: RoutineChange,
  ifVersion: number | undefined,
  isRepeat: boolean,
): Promise<Routine | "conflict" | undefined> {
  const routine = await readRoutine(queries, id, "{lock}");
  if (routine === undefined) return undefined;
  const { enabled = routine.enabled, disabledReason, ...written } = change;
  const before = definitionOf(routine);
  const definition = { ...before, ...written };
  const isSame = Bun.deepEquals(definition, before);
  if (ifVersion !== undefined && routine.version !== ifVersion)
    return isRepeat && isSame && routine.version === ifVersion + 1 ? routine : "conflict";
  const version = isSame ? routine.version : routine.version + 1;
  // Who enables it again means that it works now.
  const isEnabledAgain = enabled && !routine.enabled;
  const reason = enabled ? null : disabledReason === undefined ? routine.disabledReason : disabledReason;
  const changed = {
    enabled,
    disabledReason: reason,
    failuresInRow: isEnabledAgain ? 0 : routine.failuresInRow,
    version,
    definition,
  };
  await queries.all(
    `UPDATE routines SET enabled = $1, disabled_reason = $2, failures_in_row = $3, version = $4, definition = $5,
       updated_at = {now} WHERE id = $6`,
    [...valuesOf(ROUTINES, changed), id],
  );
  await keepVersion(queries, id, version, definition);
  return readRoutine(queries, id);
}

export async function removeRoutine(queries: Queries, id: string, isRepeat: boolean): Promise<boolean> {
  const routine = await readRoutine(queries, id, "{lock}");
  if (routine === undefined) return isRepeat;
  const queued = await queries.all(
    `SELECT ${columnsOf(RUNS)} FROM runs WHERE routine_id = $1 AND state = 'queued' {lock}`,
    [id],
  );
  for (const row of queued)
    await endRun(queries, {
      run: fromRow(RUNS, row),
      state: "cancelled",
      reason: "The routine was removed",
      why: "cancelled",
    });
  await queries.all(`DELETE FROM triggers WHERE routine_id = $1`, [id]);
  await queries.all(`DELETE FROM routines WHERE id = $1`, [id]);
  return true;
}

async function keepVersion(
  queries: Queries,
  id: string,
  version: number,
  definition: RoutineDefinition,
): Promise<void> {
  await queries.all(
    `INSERT INTO routine_versions (routine_id, version, definition, at) VALUES ($1, $2, $3, {now})
     ON CONFLICT DO NOTHING`,
    [id, version, JSON.stringify(definition)],
  );
}

function definitionOf(routine: Routine): RoutineDefinition {
  const { id, ownerId, enabled, disabledReason, failuresInRow, version, createdAt, updatedAt, ...definition } = routine;
  return definition;
}
