// The store on a database: which statements belong together, what is repeated, and who is told.

import {
  MOST_SHOWN,
  type ClaimedEffect,
  type DueTrigger,
  type EffectEnd,
  type Enqueue,
  type Enqueued,
  type Fenced,
  type HeldEffect,
  type NewQuestion,
  type NewRoutine,
  type NothingToClaim,
  type PageWanted,
  type ReleaseReason,
  type Retention,
  type RoutineChange,
  type RowPage,
  type RunBeat,
  type RunClaim,
  type RunEnd,
  type RunFilter,
  type RunStore,
  type ShownNow,
  type StoreChange,
  type Swept,
  type TickDecision,
  type Ticked,
  type WantedClaim,
  type WantedEffect,
  type WantedWake,
} from "../run-store.ts";
import type { StoreCounts } from "../../records/counts.ts";
import type { Routine, RoutineDefinition } from "../../records/routine.ts";
import type {
  ClaimedRun,
  RoutineRun,
  RunAttempt,
  RunEffect,
  RunEntry,
  RunQuestion,
  StoredEntry,
} from "../../records/run.ts";
import type { RunEnvironment, WorkerSign } from "../../records/team.ts";
import type { Trigger } from "../../records/trigger.ts";
import { answer, expire, runsWithExpired } from "./answers.ts";
import { dueTriggers, enqueue, nextTriggerInMs, tickOne } from "./causes.ts";
import { appendEntries, ask, beat, claimLost, claimRun, failAttempt, finish, release } from "./claims.ts";
import { countAll } from "./counts.ts";
import { one, type Database, type Queries, type SqlValue } from "./database.ts";
import { claimEffect, settleEffect } from "./effects.ts";
import { endRun, lockedRun, lockRoutine } from "./ends.ts";
import * as rows from "./rows.ts";
import { columnsOf, fromRow, type TableShape } from "./rows.ts";
import { createRoutine, readRoutine, removeRoutine, updateRoutine } from "./routines.ts";
import { removeOld } from "./sweep.ts";
import { readRows, SqlTable } from "./table.ts";

/** Opens what was sealed with the key of the server. */
export type Unseal = (sealed: string) => Promise<string>;

/** Somebody who was not told looks so often. */
const LOOK_MS = 5_000;
const OTHERS_MS = 50;
const PIECE_ENTRIES = 1_000;
const PIECE_BYTES = 512 * 1024;

export class SqlRunStore implements RunStore {
  readonly #database: Database;
  readonly #unseal: Unseal;

  /** Names this store and how often it heard of work. */
  readonly #name = crypto.randomUUID();
  #heard = 0;
  #stopListening: (() => void) | undefined;
  readonly #waiting = new Set<() => void>();
  /** Runs that somebody watches, until then. */
  readonly #watched = new Map<string, number>();

  readonly deliveries;
  readonly triggers;
  readonly environments;
  readonly sealedSecrets;
  readonly users;
  readonly passkeys;
  readonly devices;
  readonly codes;
  readonly tokens;
  readonly workers;
  readonly audit;
  readonly answers;

  constructor(database: Database, unseal: Unseal = noKey) {
    this.#database = database;
    this.#unseal = unseal;
    this.deliveries = new SqlTable(database, rows.DELIVERIES);
    this.triggers = new SqlTable(database, rows.TRIGGERS);
    this.environments = new SqlTable(database, rows.ENVIRONMENTS);
    this.sealedSecrets = new SqlTable(database, rows.SEALED_SECRETS);
    this.users = new SqlTable(database, rows.USERS);
    this.passkeys = new SqlTable(database, rows.PASSKEYS);
    this.devices = new SqlTable(database, rows.DEVICES);
    this.codes = new SqlTable(database, rows.CODES);
    this.tokens = new SqlTable(database, rows.TOKENS);
    this.workers = new SqlTable(database, rows.WORKERS);
    this.audit = new SqlTable(database, rows.AUDIT);
    this.answers = new SqlTable(database, rows.KEPT_ANSWERS);
  }

  // What workers do.

  async claim(wanted: WantedClaim): Promise<ClaimedRun | NothingToClaim> {
    const mark = this.#mark();
    // Of two requests under one token, the second may arrive first.
    const isShared = wanted.token !== undefined;
    const claim = wanted.token ?? crypto.randomUUID();
    const claimed = await this.#database.transaction((queries, isRepeat) =>
      claimRun(queries, wanted, claim, isRepeat || isShared),
    );
    if (claimed.run === undefined) return { ...claimed, mark };
    this.#told(claimed.run.id);
    return claimed;
  }

  beat(held: RunClaim, wanted: RunBeat): Promise<Fenced<{ leaseMs: number }>> {
    const hasEntries = wanted.entries !== undefined && wanted.entries.length > 0;
    return this.#fenced(held, hasEntries, (queries) => beat(queries, held, wanted));
  }

  append(held: RunClaim, entries: readonly RunEntry[]): Promise<Fenced> {
    return this.#fenced(held, true, (queries) => appendEntries(queries, held, entries));
  }

  async show(claim: RunClaim, shown: readonly ShownNow[]): Promise<{ readonly watched: boolean }> {
    // Whoever watches says so through these.
    this.#mark();
    if ((this.#watched.get(claim.runId) ?? 0) < performance.now()) {
      this.#watched.delete(claim.runId);
      return { watched: false };
    }
    if (!(await this.holds(claim)).held) return { watched: false };
    for (const each of shown)
      if (Buffer.byteLength(each.line) <= MOST_SHOWN) this.#database.signal(`${SHOWN}${claim.runId}:${packed(each)}`);
    return { watched: true };
  }

  ask(held: RunClaim, questions: readonly NewQuestion[]): Promise<Fenced> {
    return this.#fenced(held, true, (queries) => ask(queries, held, questions));
  }

  async finish(held: RunClaim, end: RunEnd): Promise<Fenced> {
    const finished = await this.#fenced(held, true, (queries) => finish(queries, held, end));
    // The next run of the routine, and the effects of this one.
    if (finished.held) this.#database.changed("work");
    return finished;
  }

  async release(held: RunClaim, why: ReleaseReason): Promise<Fenced> {
    const released = await this.#fenced(held, true, (queries) => release(queries, held, why));
    if (released.held) this.#database.changed("work");
    return released;
  }

  holds({ runId, claim }: RunClaim): Promise<Fenced> {
    return this.#database.single((queries) => held(queries, { runId, claim }));
  }

  async secrets(claim: RunClaim): Promise<Fenced<{ secrets: Readonly<Record<string, string>> }>> {
    const found = await this.environment(claim);
    if (!found.held) return found;
    const secrets: Record<string, string> = {};
    for (const name of found.environment?.secrets ?? []) {
      const row = await this.sealedSecrets.get(name);
      if (row) secrets[name] = await this.#unseal(row.sealed);
    }
    // It may have been lost meanwhile.
    const still = await this.holds(claim);
    return still.held ? { held: true, secrets } : still;
  }

  environment(claim: RunClaim): Promise<Fenced<{ environment: RunEnvironment | undefined }>> {
    return this.#database.single(async (queries) => {
      const still = await held(queries, claim);
      if (!still.held) return still;
      const row = await one(
        queries,
        `SELECT definition FROM routine_versions JOIN runs
           ON runs.routine_id = routine_versions.routine_id AND runs.routine_version = routine_versions.version
         WHERE runs.id = $1`,
        [claim.runId],
      );
      const { environmentId } = JSON.parse(String(row?.["definition"])) as RoutineDefinition;
      if (environmentId === null) return { held: true, environment: undefined };
      const found = await this.#find(queries, rows.ENVIRONMENTS, "id = $1", [environmentId]);
      return { held: true, environment: found[0] };
    });
  }

  claimedEntries(claim: RunClaim, after: number): Promise<Fenced<{ entries: readonly StoredEntry[] }>> {
    return this.#database.single(async (queries) => {
      const still = await held(queries, claim);
      return still.held
        ? { held: true, entries: await this.#piece(queries, claim.runId, after, PIECE_ENTRIES) }
        : still;
    });
  }

  async wake({ waitMs, mark = this.#mark() }: WantedWake, signal: AbortSignal): Promise<void> {
    if (signal.aborted || mark !== this.#mark()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    const timer = setTimeout(wake, Math.min(waitMs, LOOK_MS));
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    clearTimeout(timer);
    signal.removeEventListener("abort", wake);
  }

  seen({ id, version, slots, draining }: WorkerSign): Promise<void> {
    return this.#database.single(async (queries) => {
      await queries.all(
        `INSERT INTO workers (id, version, slots, draining, started_at, seen_at) VALUES ($1, $2, $3, $4, {now}, {now})
         ON CONFLICT (id) DO UPDATE SET version = $2, slots = $3, draining = $4, seen_at = {now}`,
        [id, version, slots, draining ? 1 : 0],
      );
    });
  }

  claimEffect(wanted: WantedEffect): Promise<ClaimedEffect | undefined> {
    const isShared = wanted.token !== undefined;
    const claim = wanted.token ?? crypto.randomUUID();
    return this.#database.transaction((queries, isRepeat) => claimEffect(queries, wanted, claim, isRepeat || isShared));
  }

  settleEffect(effect: HeldEffect, settled: EffectEnd): Promise<boolean> {
    return this.#database.single((queries) => settleEffect(queries, effect, settled));
  }

  // What servers do.

  async enqueue(wanted: Enqueue): Promise<Enqueued> {
    const enqueued = await this.#database.transaction((queries) => enqueue(queries, wanted));
    if (enqueued.run && enqueued.isNew) this.#queued(enqueued.run);
    return enqueued;
  }

  async tick(decide: (due: DueTrigger) => TickDecision | undefined, limit = 100): Promise<Ticked> {
    const due = await this.#database.single((queries) => dueTriggers(queries, limit));
    const runs: RoutineRun[] = [];
    const failed: unknown[] = [];
    let moved = 0;
    for (const trigger of due) {
      try {
        const caused = await this.#database.transaction((queries) => tickOne(queries, trigger, decide));
        if (caused === undefined) continue;
        moved++;
        runs.push(...caused);
        for (const run of caused) this.#queued(run);
      } catch (error) {
        // One trigger must not keep the others from theirs.
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed[0];
    const nextInMs = await this.#database.single(nextTriggerInMs);
    if (nextInMs === undefined) return { moved, runs };
    // Others have what is due now, or it stays as it is: asking at once would not help.
    const isForOthers = moved === 0 && due.length > 0;
    return { moved, runs, nextInMs: isForOthers ? Math.max(nextInMs, OTHERS_MS) : nextInMs };
  }

  async answer(
    question: { readonly runId: string; readonly id: string },
    reply: Readonly<Record<string, unknown>>,
    by: string,
  ): Promise<boolean> {
    const text = JSON.stringify(reply);
    const counted = await this.#database.transaction((queries, isRepeat) =>
      answer(queries, question, { text, by }, isRepeat),
    );
    if (counted) this.#changed(question.runId);
    return counted;
  }

  async cancel(runId: string, { reason }: { readonly reason: string }): Promise<boolean> {
    const ended = await this.#database.transaction(async (queries, isRepeat) => {
      await lockRoutine(queries, runId);
      const run = await lockedRun(queries, runId);
      if (run === undefined) return false;
      if (isRepeat && run.state === "cancelled" && run.reason === reason) return true;
      return endRun(queries, { run, state: "cancelled", reason, why: "cancelled" });
    });
    if (ended) this.#changed(runId);
    return ended;
  }

  async drain(worker: string, by: string | null): Promise<boolean> {
    const isThere = await this.workers.update(worker, { drainBy: by });
    // Others have what it leaves, or it looks again itself.
    if (isThere) this.#database.changed("work");
    return isThere;
  }

  async expel(runId: string, fence: number, reason: string): Promise<boolean> {
    const expelled = await this.#database.transaction(async (queries, isRepeat) => {
      await lockRoutine(queries, runId);
      const run = await lockedRun(queries, runId);
      if (run?.state === "running" && run.fence === fence) {
        await failAttempt(queries, run, { why: "silent", reason, afterMs: 0 });
        return true;
      }
      if (!isRepeat) return false;
      const ours = await one(queries, `SELECT n FROM attempts WHERE run_id = $1 AND n = $2 AND why = 'silent'`, [
        runId,
        fence,
      ]);
      return ours !== undefined;
    });
    if (expelled) this.#changed(runId);
    return expelled;
  }

  async sweep(keep: Retention): Promise<Swept> {
    let expired = 0;
    for (const runId of await this.#database.single(runsWithExpired)) {
      expired += await this.#database.transaction((queries) => expire(queries, runId));
      this.#changed(runId);
    }
    const removed = await this.#database.transaction((queries) => removeOld(queries, keep));
    return { expired, removed };
  }

  // What pages show.

  countRuns({
    triggerId,
    routineId,
    since,
  }: {
    triggerId?: string;
    routineId?: string;
    since: number;
  }): Promise<number> {
    const [column, id] = triggerId === undefined ? ["routine_id", routineId ?? ""] : ["trigger_id", triggerId];
    return this.#database.single(async (queries) => {
      const row = await one(
        queries,
        `SELECT count(*) AS runs FROM runs WHERE ${column} = $1 AND created_at >= $2 AND state <> 'capped'`,
        [id, since],
      );
      return Number(row?.["runs"]);
    });
  }

  async run(id: string): Promise<RoutineRun | undefined> {
    return (await this.#all(rows.RUNS, "id = $1", [id]))[0];
  }

  runs({ routineId, states, sessionId }: RunFilter, page: PageWanted): Promise<RowPage<RoutineRun>> {
    const values: SqlValue[] = [];
    const place = (value: string) => `$${values.push(value)}`;
    const parts = ["1 = 1"];
    if (routineId !== undefined) parts.push(`routine_id = ${place(routineId)}`);
    if (sessionId !== undefined) parts.push(`session_id = ${place(sessionId)}`);
    if (states !== undefined) parts.push(`state IN (${["''", ...states.map(place)].join(", ")})`);
    // Said in the words of the index of those, they are found among many that have ended.
    if (states?.every((state) => ACTIVE_STATES.has(state))) parts.push("state IN ('queued', 'running', 'waiting')");
    return this.#database.single((queries) =>
      readRows(queries, rows.RUNS, { text: parts.join(" AND "), values }, page),
    );
  }

  entries(runId: string, after: number, limit: number): Promise<readonly StoredEntry[]> {
    return this.#database.single((queries) => this.#piece(queries, runId, after, limit));
  }

  attempts(runId: string): Promise<readonly RunAttempt[]> {
    return this.#all(rows.ATTEMPTS, "run_id = $1 ORDER BY n", [runId]);
  }

  questions(of: { readonly runId: string } | "open"): Promise<readonly RunQuestion[]> {
    return of === "open"
      ? this.#all(
          rows.QUESTIONS,
          `answered_at IS NULL AND (SELECT state FROM runs WHERE runs.id = run_id) = 'waiting' ORDER BY asked_at, id LIMIT 1000`,
          [],
        )
      : this.#all(rows.QUESTIONS, "run_id = $1 ORDER BY asked_at, id", [of.runId]);
  }

  effects(runId: string): Promise<readonly RunEffect[]> {
    return this.#all(rows.EFFECTS, "run_id = $1 ORDER BY key", [runId]);
  }

  silentRuns(forMs: number): Promise<readonly RoutineRun[]> {
    return this.#all(rows.RUNS, `state = 'running' AND lease_until >= {now} AND sign_at < {now} - $1 LIMIT 1000`, [
      forMs,
    ]);
  }

  overdue(byMs: number): Promise<readonly Trigger[]> {
    return this.#all(
      rows.TRIGGERS,
      `next_at < {now} - $1 AND (SELECT enabled FROM routines WHERE routines.id = routine_id) = 1
       ORDER BY next_at LIMIT 1000`,
      [byMs],
    );
  }

  counts(): Promise<StoreCounts> {
    return this.#database.single((queries) => countAll(queries));
  }

  createRoutine(routine: NewRoutine): Promise<Routine> {
    return this.#database.transaction((queries) => createRoutine(queries, routine));
  }

  routine(id: string): Promise<Routine | undefined> {
    return this.#database.single((queries) => readRoutine(queries, id));
  }

  routineVersion(id: string, version: number): Promise<RoutineDefinition | undefined> {
    return this.#database.single(async (queries) => {
      const row = await one(queries, `SELECT definition FROM routine_versions WHERE routine_id = $1 AND version = $2`, [
        id,
        version,
      ]);
      return row && (JSON.parse(String(row["definition"])) as RoutineDefinition);
    });
  }

  updateRoutine(id: string, change: RoutineChange, ifVersion?: number): Promise<Routine | "conflict" | undefined> {
    return this.#database.transaction((queries, isRepeat) => updateRoutine(queries, id, change, ifVersion, isRepeat));
  }

  removeRoutine(id: string): Promise<boolean> {
    return this.#database.transaction((queries, isRepeat) => removeRoutine(queries, id, isRepeat));
  }

  async routines(page: PageWanted): Promise<RowPage<Routine>> {
    const found = await this.#database.single((queries) =>
      readRows(queries, rows.ROUTINES, { text: "1 = 1", values: [] }, page),
    );
    return { rows: found.rows.map(({ definition, ...rest }) => ({ ...definition, ...rest })), next: found.next };
  }

  now(): Promise<number> {
    return this.#database.single(async (queries) => Number((await one(queries, "SELECT {now} AS now"))?.["now"]));
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    return this.#database.onChange((change) => {
      const read = changeOf(change);
      if (read !== undefined) listener(read);
    });
  }

  watch(runId: string): void {
    this.#mark();
    this.#database.signal(`${WATCHED}${runId}`);
  }

  close(): Promise<void> {
    this.#stopListening?.();
    for (const wake of this.#waiting) wake();
    return this.#database.close();
  }

  async #fenced<Result extends Fenced>(
    { runId }: RunClaim,
    isSeveral: boolean,
    work: (queries: Queries) => Promise<Result>,
  ): Promise<Result> {
    const result = await (isSeveral ? this.#database.transaction(work) : this.#database.single(work));
    if (result.held && isSeveral) this.#told(runId);
    return result;
  }

  #mark(): string {
    this.#stopListening ??= this.#database.onChange((change) => {
      if (change.startsWith(WATCHED)) this.#watch(change.slice(WATCHED.length));
      if (change !== "work") return;
      this.#heard++;
      for (const wake of this.#waiting) wake();
    });
    return `${this.#name}.${this.#heard}`;
  }

  #watch(runId: string): void {
    const now = performance.now();
    for (const [id, until] of this.#watched) if (until < now) this.#watched.delete(id);
    this.#watched.set(runId, now + WATCHED_MS);
  }

  #queued(run: RoutineRun): void {
    this.#told(run.id);
    if (run.state === "queued") this.#database.changed("work");
  }

  /** What a person or a server changed: there may be work now. */
  #changed(runId: string): void {
    this.#told(runId);
    this.#database.changed("work");
  }

  #told(runId: string): void {
    this.#database.changed(runId);
  }

  #all<Row>(shape: TableShape<Row>, where: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#database.single((queries) => this.#find(queries, shape, where, values));
  }

  async #find<Row>(
    queries: Queries,
    shape: TableShape<Row>,
    where: string,
    values: readonly SqlValue[],
  ): Promise<readonly Row[]> {
    const found = await queries.all(`SELECT ${columnsOf(shape)} FROM ${shape.table} WHERE ${where}`, values);
    return found.map((row) => fromRow(shape, row));
  }

  /** As many as fit, but one at least. */
  async #piece(queries: Queries, runId: string, after: number, limit: number): Promise<readonly StoredEntry[]> {
    const columns = columnsOf(rows.ENTRIES);
    const found = await queries.all(
      `SELECT ${columns} FROM (
         SELECT ${columns}, sum(length(line)) OVER (ORDER BY seq) AS size, row_number() OVER (ORDER BY seq) AS place
         FROM (SELECT ${columns} FROM entries WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS next) AS sized
       WHERE size <= $4 OR place = 1 ORDER BY seq`,
      [runId, after, Math.max(1, Math.min(limit, PIECE_ENTRIES)), PIECE_BYTES],
    );
    return found.map((row) => fromRow(rows.ENTRIES, row));
  }
}

/** How changes are named that are none. Ids of runs have no colon. */
const SHOWN = "shown:";
const WATCHED = "watched:";
const WATCHED_MS = 15_000;

/** Without a space: several changes are told in one line. */
const packed = ({ key, after, line }: ShownNow) => Buffer.from(`${after} ${key} ${line}`).toString("base64url");

function changeOf(change: string): StoreChange | undefined {
  if (change === "work") return { kind: "work" };
  if (change.startsWith(WATCHED)) return undefined;
  if (!change.startsWith(SHOWN)) return { kind: "run", runId: change };
  const [runId = "", content = ""] = change.slice(SHOWN.length).split(":");
  const [, after, key, line] = /^(\d+) (\S{1,200}) (.*)$/s.exec(Buffer.from(content, "base64url").toString()) ?? [];
  if (key === undefined || line === undefined) return undefined;
  return { kind: "shown", runId, shown: { key, after: Number(after), line } };
}

const ACTIVE_STATES: ReadonlySet<RoutineRun["state"]> = new Set(["queued", "running", "waiting"]);

/** A claim that counts now, by the clock of the store. */
async function held(queries: Queries, { runId, claim }: RunClaim): Promise<Fenced> {
  const row = await one(
    queries,
    `SELECT id FROM runs WHERE id = $1 AND claim = $2 AND state = 'running' AND lease_until > {now}`,
    [runId, claim],
  );
  return row === undefined ? claimLost(queries, runId) : { held: true };
}

const noKey: Unseal = async () => {
  throw new Error("This store has no key for secrets");
};
