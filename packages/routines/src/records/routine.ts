// A routine: what to run, and within which limits. What starts it are its triggers.

/** What a person writes. Each version is kept, and a run uses the version that was current when it was caused. */
export interface RoutineDefinition {
  readonly name: string;
  readonly prompt: string;
  /** Null: the server's default. */
  readonly model: string | null;
  readonly permissionMode: string;
  readonly allowedTools: readonly string[];
  readonly sources: readonly RoutineSource[];
  readonly environmentId: string | null;
  readonly overlap: OverlapRule;
  readonly catchUp: CatchUpRule;
  readonly timeoutS: number;
  readonly maxAttempts: number;
  readonly maxTurns: number | null;
  readonly budgetUsd: number | null;
  readonly onCrash: "resume" | "restart" | "fail";
  /** What becomes of a question of a run: it is denied, or the run waits for a person. */
  readonly questions: "deny" | "ask";
  readonly notify: readonly NotifyTarget[];
  /**
   * Fields that are kept and returned unchanged. Workers read `push_branches`, `protected_branches` and `comment` of them; the API
   * checks only that the first two are lists of texts.
   */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What happens to a new run while another of the routine is queued, running or waiting. */
export type OverlapRule = "skip" | "queue" | "cancel";

/** How many of the due times of a downtime are made up for; `all` is at most 24. */
export type CatchUpRule = "one" | "none" | "all";

export interface RoutineSource {
  readonly url: string;
  readonly ref?: string;
}

export interface NotifyTarget {
  readonly kind: "command" | "webhook" | "ntfy";
  readonly target: string;
  /** Default: `failed`. */
  readonly on?: "failed" | "ended";
}

export interface Routine extends RoutineDefinition {
  /** `trig_…`, as clients of the API call it. */
  readonly id: string;
  /** Id of a user; null if the server's own configuration made it. */
  readonly ownerId: string | null;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  /** Failed and timed out runs since the last that succeeded. */
  readonly failuresInRow: number;
  /** Grows by one with each change to what a person writes. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
