// What the schedule tools need from outside. The session implements it.

export interface NewJob {
  readonly cron: string;
  readonly prompt: string;
  readonly recurring: boolean;
  readonly durable: boolean;
}

export interface ListedJob extends NewJob {
  readonly id: string;
  readonly humanSchedule: string;
  /** Milliseconds since 1970; absent if it does not fire. */
  readonly nextFireAt?: number;
  /** Why it does not fire. */
  readonly inactive?: string;
}

export interface ScheduleKeeper {
  /** Throws ToolError if there can be no such job. */
  checkNew(cron: string): Promise<void>;
  /** Throws ToolError if it cannot be stored. */
  create(job: NewJob): Promise<ListedJob>;
  list(): Promise<{ readonly jobs: readonly ListedJob[]; readonly problem?: string }>;
  /** Throws ToolError if it cannot be removed. False if there is none. */
  delete(id: string): Promise<boolean>;
  /** Returns when; undefined if the session ends before that. */
  wake(delayMs: number, prompt: string): Promise<number | undefined>;
  /** No longer waits. */
  cancelWake(): Promise<void>;
}
