// A goal of the session: a condition in plain words that the model works towards until another model says that it holds.

/** Replaced, never changed. */
export interface Goal {
  readonly condition: string;
  readonly startedMs: number;
  /** How often it was found not to hold, and why it was last. */
  readonly checks: number;
  readonly reason?: string;
}

/** As in the reference. */
export const LONGEST_CONDITION = 4_000;
