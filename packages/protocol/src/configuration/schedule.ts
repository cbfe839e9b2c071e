// What a session sends itself: prompts at the times of a cron expression, and a wake-up after a pause.

import type { PermissionMode } from "./permission.ts";

export interface ScheduledJob {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly cron: string;
  readonly prompt: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** False: it fires once. */
  readonly recurring: boolean;
  /** The mode it was made in: its runs have at most this one. `default` if absent. */
  readonly permissionMode?: PermissionMode;
}

export interface ScheduledWakeup {
  /** Of its task. */
  readonly id: string;
  readonly at: number;
  readonly prompt: string;
  /** One line for the user. */
  readonly reason: string;
  /** The call that asked for it. */
  readonly toolUseId: string;
  /** As that of a job. */
  readonly permissionMode?: PermissionMode;
}
