// What a worker does with a run that it holds. Each write names the claim, and changes nothing if that is not the run's own any more.

import type { RoutineDefinition } from "../../records/routine.ts";
import type { ClaimedRun, RoutineRun, RunEntry } from "../../records/run.ts";
import type {
  ClaimLost,
  Fenced,
  NewQuestion,
  NothingToClaim,
  ReleaseReason,
  RunBeat,
  RunClaim,
  RunEnd,
  WantedClaim,
} from "../run-store.ts";
import { one, type Queries, type SqlRow } from "./database.ts";
import { afterEnd, closeAttempt, endRun, lockRoutine } from "./ends.ts";
import { columnsOf, QUESTIONS, fromRow, RUNS } from "./rows.ts";

/** Workers that a run may lose. */
export const MOST_LOST = 20;

/**
 * Two selects, each over its own partial index: one select for both would sort all that is due. Whoever asks twice under one token
 * asked again because an answer was lost.
 */
export const CLAIM = `
  UPDATE runs SET lost = lost + CASE WHEN state = 'running' THEN 1 ELSE 0 END,
    state = 'running', attempt = attempt + 1, fence = fence + 1, claim = $1, worker = $2, lease_until = {now} + $3,
    started_at = coalesce(started_at, {now}), sign_at = {now}
  WHERE id = coalesce(
    (SELECT id FROM runs WHERE state = 'running' AND lease_until < {now} ORDER BY lease_until LIMIT 1 {lock} {skip}),
    (SELECT id FROM runs WHERE state = 'queued' AND due <= {now} ORDER BY due LIMIT 1 {lock} {skip}))
  RETURNING`;

const CLAIM_ONE = `
  UPDATE runs SET state = 'running', attempt = attempt + 1, fence = fence + 1, claim = $1, worker = $2,
    lease_until = {now} + $3, started_at = coalesce(started_at, {now}), sign_at = {now}
  WHERE id = $4 AND state = 'queued' AND due <= {now}
  RETURNING`;

const CLAIMED = `${columnsOf(RUNS)}, entries, lease_until - {now} AS lease_ms`;

/** `claim` is a random token that the caller made. */
export async function claimRun(
  queries: Queries,
  { worker, leaseMs, only }: WantedClaim,
  claim: string,
  isRepeat: boolean,
): Promise<ClaimedRun | Unclaimed> {
  const known = await one(queries, `SELECT drain_by FROM workers WHERE id = $1`, [worker]);
  const isDrained = known?.["drain_by"] != null;
  if (isRepeat) {
    const known = await one(queries, `SELECT ${CLAIMED} FROM runs WHERE claim = $1`, [claim]);
    if (known?.["state"] === "running") return claimedRun(queries, known, claim);
    // The claim has come to its end while this request was on its way.
    if (known !== undefined) return nothingToClaim(queries);
  }
  // Nor does it learn what is due: it is not for this worker.
  if (isDrained) return { run: undefined };
  for (;;) {
    const row =
      only === undefined
        ? await one(queries, `${CLAIM} ${CLAIMED}`, [claim, worker, leaseMs])
        : await one(queries, `${CLAIM_ONE} ${CLAIMED}`, [claim, worker, leaseMs, only]);
    if (row === undefined) return nothingToClaim(queries);
    const run = fromRow(RUNS, row);
    const wasLost = run.lost > 0 && (await closeAttempt(queries, run.id, { why: "lease lost" }));
    if (wasLost && run.lost > MOST_LOST) {
      const reason = `${run.lost} workers were lost while they had this run`;
      await endRun(queries, { run, state: "failed", reason, why: "failed" });
      continue;
    }
    return claimedRun(queries, row, claim);
  }
}

async function claimedRun(queries: Queries, row: SqlRow, claim: string): Promise<ClaimedRun> {
  const run = fromRow(RUNS, row);
  // Together: PostgreSQL answers all of them in one round trip.
  const [definition, questions] = await Promise.all([
    definitionOf(queries, run),
    run.attempt === 1
      ? []
      : queries.all(`SELECT ${columnsOf(QUESTIONS)} FROM questions WHERE run_id = $1 ORDER BY asked_at, id`, [run.id]),
    // It is there if the claim is repeated.
    queries.all(
      `INSERT INTO attempts (run_id, n, claim, worker, started_at) VALUES ($1, $2, $3, $4, {now})
       ON CONFLICT DO NOTHING`,
      [run.id, run.attempt, claim, run.worker],
    ),
  ]);
  return {
    claim,
    leaseMs: Number(row["lease_ms"]),
    run,
    routine: definition,
    entries: Number(row["entries"]),
    questions: questions.map((question) => fromRow(QUESTIONS, question)),
  };
}

/** As it was when the run was caused. */
async function definitionOf(
  queries: Queries,
  { routineId, routineVersion }: Pick<RoutineRun, "routineId" | "routineVersion">,
): Promise<RoutineDefinition> {
  const row = await one(queries, `SELECT definition FROM routine_versions WHERE routine_id = $1 AND version = $2`, [
    routineId,
    routineVersion,
  ]);
  return JSON.parse(String(row?.["definition"])) as RoutineDefinition;
}

/** Without the mark. */
type Unclaimed = Omit<NothingToClaim, "mark">;

async function nothingToClaim(queries: Queries): Promise<Unclaimed> {
  const next = await one(
    queries,
    `SELECT due - {now} AS ms FROM runs WHERE state = 'queued' AND due IS NOT NULL ORDER BY due LIMIT 1`,
  );
  return next === undefined ? { run: undefined } : { run: undefined, nextDueInMs: Math.max(0, Number(next["ms"])) };
}

export async function beat(
  queries: Queries,
  { runId, claim }: RunClaim,
  { leaseMs, entries = [], costUsd, turns, sessionId }: RunBeat,
): Promise<Fenced<{ leaseMs: number }>> {
  const row = await one(
    queries,
    `UPDATE runs SET lease_until = {now} + $3, cost_usd = coalesce($4, cost_usd), turns = coalesce($5, turns),
       session_id = coalesce($6, session_id)
     WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING fence, entries`,
    [runId, claim, leaseMs, costUsd ?? null, turns ?? null, sessionId ?? null],
  );
  if (row === undefined) return claimLost(queries, runId);
  await addEntries(queries, runId, row, entries);
  return { held: true, leaseMs };
}

export async function appendEntries(
  queries: Queries,
  { runId, claim }: RunClaim,
  entries: readonly RunEntry[],
): Promise<Fenced> {
  const row = await one(
    queries,
    `UPDATE runs SET sign_at = {now} WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING fence, entries`,
    [runId, claim],
  );
  if (row === undefined) return claimLost(queries, runId);
  await addEntries(queries, runId, row, entries);
  return { held: true };
}

/** Statements of few sizes, so that each is prepared once. */
const BATCHES = [64, 8, 1] as const;

/** The row of the run is locked by the write that proved the claim. */
async function addEntries(
  queries: Queries,
  runId: string,
  { fence, entries: there }: SqlRow,
  entries: readonly RunEntry[],
): Promise<void> {
  const known = Number(there);
  const fresh = entries.filter(({ seq }) => seq > known);
  for (const [at, { seq }] of fresh.entries())
    if (seq !== known + 1 + at)
      throw new RangeError(`Entry ${seq} of "${runId}" would leave a hole after ${known + at}`);
  if (fresh.length === 0) return;
  for (let from = 0; from < fresh.length;) {
    const size = BATCHES.find((each) => each <= fresh.length - from)!;
    const batch = fresh.slice(from, from + size);
    const places = batch.map((_, at) => `($1, $${3 * at + 3}, $2, $${3 * at + 4}, $${3 * at + 5}, {now})`);
    await queries.all(
      `INSERT INTO entries (run_id, seq, fence, kind, line, at) VALUES ${places.join(", ")} ON CONFLICT DO NOTHING`,
      [runId, Number(fence), ...batch.flatMap(({ seq, kind, line }) => [seq, kind, line])],
    );
    from += size;
  }
  await queries.all(`UPDATE runs SET entries = $1, sign_at = {now} WHERE id = $2`, [known + fresh.length, runId]);
}

export async function ask(queries: Queries, held: RunClaim, questions: readonly NewQuestion[]): Promise<Fenced> {
  const { runId, claim } = held;
  const row = await one(
    queries,
    `UPDATE runs SET state = 'waiting', claim = NULL, lease_until = NULL, sign_at = {now}
     WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING attempt`,
    [runId, claim],
  );
  if (row === undefined) return givenUp(queries, held, "asked");
  for (const { id, request, expiresInMs } of questions)
    await queries.all(
      `INSERT INTO questions (run_id, id, attempt, request, asked_at, expires_at)
       VALUES ($1, $2, $3, $4, {now}, {now} + $5) ON CONFLICT DO NOTHING`,
      [runId, id, Number(row["attempt"]), JSON.stringify(request), expiresInMs],
    );
  await closeAttempt(queries, runId, { why: "asked" });
  await queueAnswered(queries, runId);
  return { held: true };
}

/** A run that waits is queued again when none of its questions is open. */
export async function queueAnswered(queries: Queries, runId: string): Promise<boolean> {
  const row = await one(
    queries,
    `UPDATE runs SET state = 'queued', due = due_at, sign_at = {now} WHERE id = $1 AND state = 'waiting'
       AND NOT EXISTS (SELECT 1 FROM questions WHERE run_id = $1 AND answered_at IS NULL) RETURNING id`,
    [runId],
  );
  return row !== undefined;
}

export async function finish(queries: Queries, held: RunClaim, end: RunEnd): Promise<Fenced> {
  const { runId, claim } = held;
  const { state, reason = null, outcome = null, result = null, costUsd, turns, entries = [], effects = [] } = end;
  await lockRoutine(queries, runId);
  const row = await one(
    queries,
    `UPDATE runs SET state = $3, reason = $4, outcome = $5, result = $6, cost_usd = coalesce($7, cost_usd),
       turns = coalesce($8, turns), lease_until = NULL, sign_at = {now}, ended_at = {now}
     WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING routine_id, attempt, fence, entries`,
    [
      runId,
      claim,
      state,
      reason,
      outcome === null ? null : JSON.stringify(outcome),
      result,
      costUsd ?? null,
      turns ?? null,
    ],
  );
  if (row === undefined) {
    // The claim stays with a finished run: if it is ours in the state that we wanted, only the answer was lost.
    const done = await one(queries, `SELECT id FROM runs WHERE id = $1 AND claim = $2 AND state = $3`, [
      runId,
      claim,
      state,
    ]);
    return done === undefined ? claimLost(queries, runId) : { held: true };
  }
  await addEntries(queries, runId, row, entries);
  const run = { id: runId, routineId: String(row["routine_id"]), attempt: Number(row["attempt"]) };
  await afterEnd(queries, { run, state, reason, why: state, effects });
  return { held: true };
}

export async function release(queries: Queries, held: RunClaim, why: ReleaseReason): Promise<Fenced> {
  const { runId, claim } = held;
  if (why.why === "crashed") {
    await lockRoutine(queries, runId);
    const run = await one(
      queries,
      `SELECT ${columnsOf(RUNS)} FROM runs WHERE id = $1 AND claim = $2 AND state = 'running' {lock}`,
      [runId, claim],
    );
    if (run === undefined) return givenUp(queries, held, "crashed");
    await failAttempt(queries, fromRow(RUNS, run), { ...why, afterMs: why.afterMs ?? 0 });
    return { held: true };
  }
  const row = await one(
    queries,
    `UPDATE runs SET state = 'queued', due = due_at, claim = NULL, lease_until = NULL
     WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING id`,
    [runId, claim],
  );
  if (row === undefined) return givenUp(queries, held, "released");
  await closeAttempt(queries, runId, { why: "released" });
  return { held: true };
}

/** Of a run that the caller has locked, with its routine. */
export async function failAttempt(
  queries: Queries,
  run: RoutineRun,
  { why, reason, afterMs }: { readonly why: "crashed" | "silent"; readonly reason: string; readonly afterMs: number },
): Promise<void> {
  const { maxAttempts } = await definitionOf(queries, run);
  const failures = run.failures + 1;
  await queries.all(`UPDATE runs SET failures = $1 WHERE id = $2`, [failures, run.id]);
  if (failures >= maxAttempts) {
    await endRun(queries, { run, state: "failed", reason, why });
    return;
  }
  await queries.all(
    `UPDATE runs SET state = 'queued', due = {now} + $1, claim = NULL, lease_until = NULL WHERE id = $2`,
    [afterMs, run.id],
  );
  await closeAttempt(queries, run.id, { why, reason });
}

/** A claim that has ended by this very deed: its answer was lost. */
async function givenUp(queries: Queries, { runId, claim }: RunClaim, why: string): Promise<Fenced> {
  const ended = await one(queries, `SELECT n FROM attempts WHERE run_id = $1 AND claim = $2 AND why = $3`, [
    runId,
    claim,
    why,
  ]);
  return ended === undefined ? claimLost(queries, runId) : { held: true };
}

export async function claimLost(queries: Queries, runId: string): Promise<ClaimLost> {
  const row = await one(queries, `SELECT state, reason FROM runs WHERE id = $1`, [runId]);
  if (row === undefined) return { held: false, state: "gone", reason: null };
  const reason = row["reason"];
  return {
    held: false,
    state: String(row["state"]) as RoutineRun["state"],
    reason: typeof reason === "string" ? reason : null,
  };
}
