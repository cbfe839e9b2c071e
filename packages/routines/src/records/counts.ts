// What is going on, in numbers.

import type { DeliveryVerdict } from "./delivery.ts";
import type { RoutineRunState } from "./run.ts";

export interface StoreCounts {
  /** Runs that have not ended. */
  readonly active: readonly { readonly state: RoutineRunState; readonly runs: number }[];
  /** Those that a worker could begin now, and for how long the first of them could have been begun. */
  readonly due: { readonly runs: number; readonly oldestMs: number };
  /** Runs that were caused in the last 24 hours, and have ended. */
  readonly recent: readonly {
    readonly state: RoutineRunState;
    readonly cause: string;
    readonly runs: number;
    readonly costUsd: number;
    readonly turns: number;
  }[];
  /** From when a run was due to when it was begun: of the newest that were caused in the last hour, at most 1,000. */
  readonly startDelaysMs: readonly number[];
  /** Workers that were seen in the last two minutes. */
  readonly workers: { readonly alive: number; readonly slots: number };
  /** Notifications and comments that were not delivered yet. */
  readonly effects: { readonly pending: number; readonly oldestMs: number };
  readonly openQuestions: number;
  /** `disabled`: by the server, with a reason. */
  readonly routines: { readonly enabled: number; readonly paused: number; readonly disabled: number };
  /** Of the last 24 hours. */
  readonly deliveries: readonly { readonly verdict: DeliveryVerdict; readonly deliveries: number }[];
}
