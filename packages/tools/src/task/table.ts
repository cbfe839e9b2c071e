// What the task tools need of whoever runs background work.

export interface TaskRow {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly command?: string;
  readonly description: string;
  readonly exitCode: number | null;
}

export interface TaskTable {
  get(id: string): TaskRow | undefined;
  /** Ends a running task and waits until it has; false when it was not running. */
  stop(id: string): Promise<boolean>;
  /** Resolves when the task has ended, the time is over or the signal fires. */
  wait(id: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void>;
  /** The end of what the task has written so far. */
  output(id: string, maxBytes: number): { readonly text: string; readonly size: number };
}
