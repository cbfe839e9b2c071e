// One run of a routine, and what belongs to it. A run is one conversation, in one or more attempts.

import type { RoutineDefinition } from "./routine.ts";

/** `waiting`: a question is open, and no worker holds the run. The last three never ran, and `reason` says why. */
export type RoutineRunState = (typeof RUN_STATES)[number];

const RUN_STATES = [
  ...(["queued", "running", "waiting", "succeeded", "failed", "cancelled", "timed_out"] as const),
  ...(["skipped", "missed", "capped"] as const),
] as const;

export const isRunState = (text: string): text is RoutineRunState => RUN_STATES.some((each) => each === text);

/** States in which a worker ends a run. */
export type FinishedState = "succeeded" | "failed" | "timed_out" | "cancelled" | "skipped";

export type RunCauseKind = "schedule" | "manual" | "http" | "github" | "retry";

export interface RoutineRun {
  /** `run_…`, made from its cause: see `run-id.ts`. */
  readonly id: string;
  readonly routineId: string;
  readonly routineVersion: number;
  readonly triggerId: string | null;
  readonly cause: RunCauseKind;
  /** The time of the schedule, without jitter. */
  readonly slotAt: number | null;
  /** When it may start. */
  readonly dueAt: number;
  /** It also waits until the run before it has ended (overlap `queue`). */
  readonly isHeldBack: boolean;
  readonly state: RoutineRunState;
  readonly reason: string | null;
  /** How often it was claimed. */
  readonly attempt: number;
  /** Attempts that failed: the child crashed or was silent. Lost and drained workers do not count. */
  readonly failures: number;
  /** Workers lost while they held it. */
  readonly lost: number;
  /** Grows with each claim; for people. What protects a write is the claim token. */
  readonly fence: number;
  readonly leaseUntil: number | null;
  readonly worker: string | null;
  readonly sessionId: string;
  /** The last entry or question. */
  readonly signAt: number | null;
  /** Text of the caller, untrusted. */
  readonly payload: string | null;
  readonly origin: RunOrigin;
  /** The model's own report, apart from the state. */
  readonly outcome: RunOutcome | null;
  /** The last words of the run. */
  readonly result: string | null;
  readonly costUsd: number;
  readonly turns: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface RunOutcome {
  readonly done: boolean;
  readonly summary: string;
  readonly links: readonly string[];
}

/** What caused a run, if it was an event of a repository. People wrote most of it. */
export interface RunOrigin {
  /** `pull_request.opened` */
  readonly event?: string;
  /** `OWNER/NAME` */
  readonly repository?: string;
  readonly actor?: string;
  /** The code comes from another repository, or nobody can tell: no secrets, and nothing is pushed. */
  readonly fork?: boolean;
  readonly number?: number;
  readonly url?: string;
  /** In `repository`, also if the code comes from another one: `refs/pull/7/head`. */
  readonly ref?: string;
  readonly sha?: string;
}

/** What is inserted; the store adds the rest. */
export interface NewRun {
  /** From `runIdOf`: the same cause gives the same id, and is inserted once. */
  readonly id: string;
  readonly routineId: string;
  readonly triggerId?: string | null;
  readonly cause: RunCauseKind;
  readonly slotAt?: number | null;
  /** Default: now. */
  readonly dueAt?: number;
  /** `queued` is subject to the overlap rule of the routine; with the others it is a record that nothing ran. */
  readonly state: "queued" | "skipped" | "missed" | "capped";
  readonly reason?: string | null;
  readonly payload?: string | null;
  readonly origin?: RunOrigin;
  readonly createdBy?: string | null;
}

/** Why an attempt ended: in the final state of the run, or the run goes on. */
export type AttemptEnd = FinishedState | "lease lost" | "asked" | "released" | "crashed" | "silent";

export interface RunAttempt {
  readonly runId: string;
  /** From 1. */
  readonly n: number;
  readonly worker: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly why: AttemptEnd | null;
  readonly reason: string | null;
}

/** A line that a run left behind: of its transcript, so that another worker can resume it, or of its messages. */
export interface RunEntry {
  /** From 1, without holes, given by the worker. */
  readonly seq: number;
  readonly kind: "transcript" | "message";
  /** JSON, kept as it is. */
  readonly line: string;
}

export interface StoredEntry extends RunEntry {
  /** Of the claim that wrote it. */
  readonly fence: number;
  readonly at: number;
}

export interface RunQuestion {
  /** Chosen by the worker, within the run; a question that is asked again is the same one. */
  readonly id: string;
  readonly runId: string;
  /** The attempt that asked. */
  readonly attempt: number;
  /** The control request, as the child sent it. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly askedAt: number;
  /** Denied then. */
  readonly expiresAt: number;
  readonly answeredAt: number | null;
  /** Id of a user; null for a question that expired. */
  readonly answeredBy: string | null;
  /** The reply to the control request. Null once answered: it expired, and the answer is no. */
  readonly answer: Readonly<Record<string, unknown>> | null;
}

/** Something that is done for a run after it has ended, at least once, with its run and key as the name of the deed. */
export interface RunEffect {
  readonly runId: string;
  /** Within the run. Each terminal state adds one called `ended`. */
  readonly key: string;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly state: "pending" | "done" | "failed";
  readonly tries: number;
  readonly dueAt: number;
  readonly error: string | null;
  readonly settledAt: number | null;
}

export type NewEffect = Pick<RunEffect, "key" | "kind" | "body">;

/** What a worker gets with a claim. */
export interface ClaimedRun {
  /** Names this claim in every later write. It leaves the store only here. */
  readonly claim: string;
  /** How long the lease lasts, from before the claim was sent. */
  readonly leaseMs: number;
  readonly run: RoutineRun;
  /** As it was when the run was caused. */
  readonly routine: RoutineDefinition;
  /** How many entries it has; the next has one more. */
  readonly entries: number;
  /** All that were ever asked, the oldest first; all are answered. */
  readonly questions: readonly RunQuestion[];
}
