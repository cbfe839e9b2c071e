// Where routines and their runs are kept, whichever database that is. What it promises, whatever dies and whatever is repeated:
//
// - One cause, one row: ids are made from causes, and a row that exists is not inserted again.
// - One end, one result, one set of effects: whoever writes for a run names its claim, a random token. A claim that was replaced,
//   answered, cancelled or released can change nothing any more.
// - No silence: what is due and does not run is a row with a reason.
//
// Times are milliseconds in UTC by the clock of the store: on PostgreSQL that of the database, whatever the callers' clocks say.
// Every operation may be repeated when its answer was lost; the backends do so themselves after a broken connection. Failures of the
// database are thrown as `StoreUnavailable`, once repeating has not helped.

import type { StoreCounts } from "../records/counts.ts";
import type { Delivery, NewDelivery } from "../records/delivery.ts";
import type {
  ClaimedRun,
  FinishedState,
  NewEffect,
  NewRun,
  RoutineRun,
  RoutineRunState,
  RunAttempt,
  RunEffect,
  RunEntry,
  RunOutcome,
  RunQuestion,
  StoredEntry,
} from "../records/run.ts";
import type { Routine, RoutineDefinition } from "../records/routine.ts";
import type {
  ApiToken,
  AuditRow,
  KeptAnswer,
  Passkey,
  RunEnvironment,
  SealedSecret,
  TeamCode,
  TeamDevice,
  TeamUser,
  WorkerRow,
  WorkerSign,
} from "../records/team.ts";
import type { Trigger } from "../records/trigger.ts";

/** A run and the claim under which it is held: every write of a worker names both. */
export interface RunClaim {
  readonly runId: string;
  readonly claim: string;
}

/** The answer to a write with a claim. `held: false`: nothing was changed; end the child at once. */
export type Fenced<Result = object> = ({ readonly held: true } & Result) | ClaimLost;

export interface ClaimLost {
  readonly held: false;
  /** Of the run now; `gone` if there is no such run. */
  readonly state: RoutineRunState | "gone";
  readonly reason: string | null;
}

/** What a worker may do. It is all that the HTTP backend has: machines that run agents hold no address of the database. */
export interface WorkerStore {
  /**
   * The run that is to be worked on next: first one whose worker was lost, then the one that has been due the longest. The attempt
   * before it, if it was lost, ends as `lease lost`; after 20 lost workers the run fails instead.
   */
  claim(wanted: WantedClaim): Promise<ClaimedRun | NothingToClaim>;
  /** Extends the lease to `leaseMs` from now, and appends. Call it every third of a lease. */
  beat(held: RunClaim, beat: RunBeat): Promise<Fenced<{ leaseMs: number }>>;
  /** Entries that are there already are left as they are. One that would leave a hole is refused with an error. */
  append(held: RunClaim, entries: readonly RunEntry[]): Promise<Fenced>;
  /**
   * Shows what goes on to those who watch the run, and keeps nothing. It may be lost, and reaches processes on another machine than this
   * one only over PostgreSQL and HTTP. Never waits for long, and is not repeated.
   */
  show(held: RunClaim, shown: readonly ShownNow[]): Promise<{ readonly watched: boolean }>;
  /** Opens questions: the run waits, and its claim ends. When all are answered, the run is queued again. */
  ask(held: RunClaim, questions: readonly NewQuestion[]): Promise<Fenced>;
  /** The end of the run: state, result and effects in one transaction, with one more effect called `ended`. */
  finish(held: RunClaim, end: RunEnd): Promise<Fenced>;
  /** Gives the run up, so that any worker may have it. */
  release(held: RunClaim, why: ReleaseReason): Promise<Fenced>;
  /** Whether the claim counts now: ask before a deed that cannot be taken back, such as handing out a credential. */
  holds(held: RunClaim): Promise<Fenced>;
  /** Secrets that the environment of the run names, unsealed; those that do not exist are missing. */
  secrets(held: RunClaim): Promise<Fenced<{ secrets: Readonly<Record<string, string>> }>>;
  environment(held: RunClaim): Promise<Fenced<{ environment: RunEnvironment | undefined }>>;
  /** What the run left behind, oldest first: `after` is a `seq`. At most 1,000 entries and 512 KB, but one at least. */
  claimedEntries(held: RunClaim, after: number): Promise<Fenced<{ entries: readonly StoredEntry[] }>>;
  /** Resolves when there may be work that a claim with this mark has not seen, after `waitMs`, or when aborted; perhaps for nothing. */
  wake(wanted: WantedWake, signal: AbortSignal): Promise<void>;
  /** Says that this worker lives, also when it has no run. */
  seen(worker: WorkerSign): Promise<void>;
  /** The next thing to do for a run that has ended. Claimed for `leaseMs`; then somebody else gets it. */
  claimEffect(wanted: WantedEffect): Promise<ClaimedEffect | undefined>;
  /** False: somebody else has it. */
  settleEffect(held: HeldEffect, settled: EffectEnd): Promise<boolean>;
  close(): Promise<void>;
}

export interface WantedClaim {
  readonly worker: string;
  readonly leaseMs: number;
  /** Only this run, if it is queued: for a worker that still has the child of a run that asked. */
  readonly only?: string;
  /** A random UUID. Default: a new one. Who asks again under the same token, for an answer was lost, gets the same run. */
  readonly token?: string;
}

export interface NothingToClaim {
  readonly run: undefined;
  /** For `wake`: what came after this claim wakes at once. */
  readonly mark: string;
  /** Until the next queued run is due; absent if none is queued. */
  readonly nextDueInMs?: number;
}

export interface WantedWake {
  readonly waitMs: number;
  readonly mark?: string;
}

export interface RunBeat {
  readonly leaseMs: number;
  readonly entries?: readonly RunEntry[];
  readonly costUsd?: number;
  readonly turns?: number;
  /** When the conversation was begun anew. */
  readonly sessionId?: string;
}

/** A message that stands for the ones with this key before it. */
export interface ShownNow {
  readonly key: string;
  /** It comes after this entry: with a later one, it is out of date. */
  readonly after: number;
  /** JSON, at most `MOST_SHOWN` bytes. */
  readonly line: string;
}

export const MOST_SHOWN = 5_400;

export interface NewQuestion {
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** How long a person has. */
  readonly expiresInMs: number;
}

export interface RunEnd {
  readonly state: FinishedState;
  readonly reason?: string | null;
  readonly outcome?: RunOutcome | null;
  readonly result?: string | null;
  readonly costUsd?: number;
  readonly turns?: number;
  /** Those that were not sent before. */
  readonly entries?: readonly RunEntry[];
  readonly effects?: readonly NewEffect[];
}

/**
 * `released`: the worker ends, and nothing counts. `crashed`: this attempt failed; the run is queued again `afterMs` from now, or
 * fails if the routine allows no more attempts.
 */
export type ReleaseReason =
  { readonly why: "released" } | { readonly why: "crashed"; readonly reason: string; readonly afterMs?: number };

export interface WantedEffect {
  readonly kinds: readonly string[];
  readonly leaseMs: number;
  readonly token?: string;
}

export interface HeldEffect {
  readonly runId: string;
  readonly key: string;
  readonly claim: string;
}

export interface ClaimedEffect extends HeldEffect {
  readonly effect: RunEffect;
  readonly run: RoutineRun;
  readonly routine: RoutineDefinition;
}

export type EffectEnd =
  | { readonly state: "done" }
  | { readonly state: "failed"; readonly error: string }
  /** Try again later. */
  | { readonly state: "pending"; readonly error: string; readonly afterMs: number };

/** What servers do: all that workers may, and what causes, answers, cancels and shows runs. SQLite and PostgreSQL. */
export interface RunStore extends WorkerStore {
  /**
   * Inserts runs, and what arrived if something did, in one transaction. A run whose id exists is not inserted again, and a delivery
   * whose trigger and key exist changes nothing. For a run that is `queued`, the overlap rule of its routine decides here, for all
   * causes: `skip` inserts it as `skipped`, `queue` holds it back, `cancel` cancels the others. The run is undefined if it has no routine
   * any more.
   */
  enqueue(wanted: Enqueue): Promise<Enqueued>;
  /**
   * For each trigger that is due (`nextAt`), asks `decide`, then inserts the runs and moves the trigger in one transaction. Any
   * number of servers may do so. `decide` is pure and may be asked again; with `undefined` the trigger stays as it is.
   */
  tick(decide: (due: DueTrigger) => TickDecision | undefined, limit?: number): Promise<Ticked>;
  /** False: it was answered before, has expired, or does not exist. Nothing is changed then. */
  answer(
    question: { readonly runId: string; readonly id: string },
    answer: Readonly<Record<string, unknown>>,
    by: string,
  ): Promise<boolean>;
  /** False: it had ended. Its claim ends, and its worker learns of it with the next beat. */
  cancel(runId: string, by: { readonly reason: string }): Promise<boolean>;
  /**
   * From now on the worker claims no run, whatever it asks for; what it has goes on to its end. Null: it may again. False: there is no
   * such worker.
   */
  drain(worker: string, by: string | null): Promise<boolean>;
  /** Takes a run from a worker that beats but shows no sign of life: a failed attempt. False: that claim is over. */
  expel(runId: string, fence: number, reason: string): Promise<boolean>;
  /** What has to be done from time to time: questions that expired, runs whose workers were lost too often, old rows. */
  sweep(keep: Retention): Promise<Swept>;

  /** For caps and rates: how many runs a trigger or a routine caused since then, without those that are `capped`. */
  countRuns(of: { readonly triggerId?: string; readonly routineId?: string; readonly since: number }): Promise<number>;
  run(id: string): Promise<RoutineRun | undefined>;
  /** Newest first. */
  runs(filter: RunFilter, page: PageWanted): Promise<RowPage<RoutineRun>>;
  /** Oldest first: those after a `seq`. */
  entries(runId: string, after: number, limit: number): Promise<readonly StoredEntry[]>;
  attempts(runId: string): Promise<readonly RunAttempt[]>;
  /** Of a run, or all that are open, oldest first. */
  questions(of: { readonly runId: string } | "open"): Promise<readonly RunQuestion[]>;
  effects(runId: string): Promise<readonly RunEffect[]>;
  /** Running, held by a living worker, and without entry or question for so long. */
  silentRuns(forMs: number): Promise<readonly RoutineRun[]>;
  /** Due times that passed so long ago and have no row: an alarm, for something is wrong with the schedulers. */
  overdue(byMs: number): Promise<readonly Trigger[]>;

  createRoutine(routine: NewRoutine): Promise<Routine>;
  routine(id: string): Promise<Routine | undefined>;
  /** The definition that a run had. */
  routineVersion(id: string, version: number): Promise<RoutineDefinition | undefined>;
  /** With `ifVersion`, only if it still has that version. Undefined: there is no such routine. */
  updateRoutine(id: string, change: RoutineChange, ifVersion?: number): Promise<Routine | "conflict" | undefined>;
  /** Its triggers go with it, what is queued is cancelled, and its runs stay. */
  removeRoutine(id: string): Promise<boolean>;
  routines(page: PageWanted): Promise<RowPage<Routine>>;

  /** Unique: one delivery for each trigger and key. */
  readonly deliveries: RowTable<Delivery>;
  readonly triggers: RowTable<Trigger>;
  readonly environments: RowTable<RunEnvironment>;
  readonly sealedSecrets: RowTable<SealedSecret>;
  readonly users: RowTable<TeamUser>;
  readonly passkeys: RowTable<Passkey>;
  readonly devices: RowTable<TeamDevice>;
  readonly codes: RowTable<TeamCode>;
  readonly tokens: RowTable<ApiToken>;
  readonly workers: RowTable<WorkerRow>;
  readonly audit: RowTable<AuditRow>;
  readonly answers: RowTable<KeptAnswer>;

  /** For whoever watches over the servers; it does not look at what is long over. */
  counts(): Promise<StoreCounts>;

  /** The clock of the store. */
  now(): Promise<number>;
  /** Called after something changed, here or in another process, for pages that show it. Some changes may be told as one, or not. */
  onChange(listener: (change: StoreChange) => void): () => void;
  /** Somebody watches this run: for a while, workers show what goes on in it. Say so again and again. */
  watch(runId: string): void;
}

/** `run`: that run, or something that belongs to it. `work`: anything, such as a run that was queued, or what another process did. */
export type StoreChange =
  | { readonly kind: "work" }
  | { readonly kind: "run"; readonly runId: string }
  /** Nothing has changed: it goes on like this. */
  | { readonly kind: "shown"; readonly runId: string; readonly shown: ShownNow };

export interface Enqueue {
  readonly run?: NewRun;
  readonly delivery?: NewDelivery;
  /** With so many runs of its trigger since then, the run is inserted as `capped`, and the delivery says so. */
  readonly cap?: { readonly most: number; readonly withinMs: number; readonly reason: string };
}

export interface Enqueued {
  /** The row that is there now, whoever inserted it. */
  readonly run: RoutineRun | undefined;
  readonly delivery: Delivery | undefined;
  /** False: this cause was known. */
  readonly isNew: boolean;
}

export interface DueTrigger {
  readonly trigger: Trigger;
  readonly routine: Routine;
  /** Its runs that are queued, running or waiting. */
  readonly active: readonly RoutineRun[];
  readonly now: number;
}

export interface TickDecision {
  readonly runs: readonly NewRun[];
  readonly nextSlot: number | null;
  readonly nextAt: number | null;
  readonly ranAt?: number;
  /** Disables the routine. */
  readonly disabledReason?: string;
}

export interface Ticked {
  /** Triggers that were moved. */
  readonly moved: number;
  /** The runs that were inserted. */
  readonly runs: readonly RoutineRun[];
  /** Until the next trigger is due, from when the answer was made; 0 if there are more now. Absent: none. */
  readonly nextInMs?: number;
}

export interface Retention {
  readonly logMs: number;
  readonly deliveriesMs: number;
  readonly auditMs: number;
}

export interface Swept {
  /** Questions that expired. */
  readonly expired: number;
  readonly removed: number;
}

export interface RunFilter {
  readonly routineId?: string;
  readonly states?: readonly RoutineRunState[];
  readonly sessionId?: string;
}

/** `cursor` is that of the page before. */
export interface PageWanted {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

export type NewRoutine = RoutineDefinition & Pick<Routine, "id" | "ownerId" | "enabled">;

export type RoutineChange = Partial<RoutineDefinition & Pick<Routine, "enabled" | "disabledReason">>;

/** Rows that only people and servers write: each call is one statement. */
export interface RowTable<Row extends { readonly id: string }> {
  get(id: string): Promise<Row | undefined>;
  /** Newest first, or by id where rows have no time. `where` compares fields of text, number or true and false for equality. */
  list(where?: Partial<Row>, page?: PageWanted): Promise<RowPage<Row>>;
  /** False: a row with this id, or with another value that is unique, exists. */
  insert(row: Row): Promise<boolean>;
  /**
   * Only if the row has the values of `where`: a counter that must grow, a version that must match. False: it has not, or another row
   * has a value that is unique.
   */
  update(id: string, change: Partial<Row>, where?: Partial<Row>): Promise<boolean>;
  /** The row that was removed, for exactly one of those who try: a code that works once. */
  remove(id: string, where?: Partial<Row>): Promise<Row | undefined>;
}

/** The cursor is none that a page had. */
export class InvalidCursor extends Error {
  override readonly name = "InvalidCursor";
}

/** The database cannot be reached, or refuses for a reason that passes. Nothing is known about the write. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}
