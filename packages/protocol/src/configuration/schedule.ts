// A scheduled job: a prompt that a session sends itself at the times of a cron expression.

export interface ScheduledJob {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly cron: string;
  readonly prompt: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** False: it fires once. */
  readonly recurring: boolean;
}
