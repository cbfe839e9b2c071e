// The task tools' interface to tasks: commands, agents and monitors.

export interface TaskRow {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly command?: string;
  readonly description: string;
  /** The subagent that started it. */
  readonly owner?: string;
  readonly exitCode: number | null;
  /** What an agent was asked. */
  readonly agent?: { readonly prompt: string };
  /** The final text of an agent. */
  readonly result?: string;
  readonly error?: string;
}

export interface TaskTable {
  get(id: string): TaskRow | undefined;
  /** Stops a running task and waits for it to end; false if it was not running. */
  stop(id: string): Promise<boolean>;
  /** Resolves when the task ends, the timeout expires, or the signal aborts. */
  wait(id: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void>;
  /** The last part of the output so far. */
  output(id: string, maxBytes: number): { readonly text: string; readonly size: number };
}
