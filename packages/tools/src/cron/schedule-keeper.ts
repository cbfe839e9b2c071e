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

export interface NewWakeup {
  readonly delayMs: number;
  readonly prompt: string;
  /** One line for the user. */
  readonly reason: string;
  /** The call that asked for it. */
  readonly toolUseId: string;
}

export interface WaitingWakeup {
  /** The id of its task. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ScheduleKeeper {
  /** Throws ToolError if there can be no such job. */
  checkNew(cron: string): Promise<void>;
  /** `owner`: the subagent that makes it. Throws ToolError if it cannot be stored. */
  create(job: NewJob, owner?: string): Promise<ListedJob>;
  list(): Promise<{ readonly jobs: readonly ListedJob[]; readonly problem?: string }>;
  /** Throws ToolError if it cannot be removed. False if there is none. */
  delete(id: string): Promise<boolean>;
  /** Undefined if the session ends before that. */
  wake(wakeup: NewWakeup): Promise<WaitingWakeup | undefined>;
  /** No longer waits. */
  cancelWake(): Promise<void>;
}
