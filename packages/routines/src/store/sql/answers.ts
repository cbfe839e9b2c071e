// Questions of runs that wait: who answers first is heard, and who never does is a no.

import { one, type Queries } from "./database.ts";
import { queueAnswered } from "./claims.ts";
import { lockedRun } from "./ends.ts";

/** True: this answer is the one that counts. */
export async function answer(
  queries: Queries,
  { runId, id }: { readonly runId: string; readonly id: string },
  { text, by }: { readonly text: string; readonly by: string },
  isRepeat: boolean,
): Promise<boolean> {
  // Two answers to two questions at once: the second must see the first, or nobody queues the run.
  const run = await lockedRun(queries, runId);
  const row =
    run?.state === "waiting"
      ? await one(
          queries,
          `UPDATE questions SET answered_at = {now}, answered_by = $3, answer = $4
           WHERE run_id = $1 AND id = $2 AND answered_at IS NULL AND expires_at > {now} RETURNING id`,
          [runId, id, by, text],
        )
      : undefined;
  if (row !== undefined) {
    await queueAnswered(queries, runId);
    return true;
  }
  if (!isRepeat) return false;
  const ours = await one(
    queries,
    `SELECT id FROM questions WHERE run_id = $1 AND id = $2 AND answered_by = $3 AND answer = $4`,
    [runId, id, by, text],
  );
  return ours !== undefined;
}

/** Runs with questions that expired. */
export async function runsWithExpired(queries: Queries): Promise<readonly string[]> {
  const rows = await queries.all(
    `SELECT DISTINCT questions.run_id FROM questions JOIN runs ON runs.id = questions.run_id
     WHERE answered_at IS NULL AND expires_at <= {now} AND runs.state = 'waiting' LIMIT 100`,
  );
  return rows.map((row) => String(row["run_id"]));
}

/** How many expired. */
export async function expire(queries: Queries, runId: string): Promise<number> {
  const run = await lockedRun(queries, runId);
  if (run?.state !== "waiting") return 0;
  const rows = await queries.all(
    `UPDATE questions SET answered_at = {now} WHERE run_id = $1 AND answered_at IS NULL AND expires_at <= {now} RETURNING id`,
    [runId],
  );
  await queueAnswered(queries, runId);
  return rows.length;
}
