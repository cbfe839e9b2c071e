// One row of the task table, and what its start and its end say.

export type TaskStatus = "running" | "completed" | "failed" | "killed";

export interface TaskUsage {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
  readonly lastTool?: string;
}

/** What a subagent was asked. */
export interface TaskAgent {
  readonly type: string;
  readonly prompt: string;
  readonly depth: number;
  readonly parentTaskId?: string;
}

export interface Task {
  readonly id: string;
  /** The name in the protocol: `local_bash`, `local_agent` … */
  readonly type: string;
  readonly command?: string;
  readonly description: string;
  readonly toolUseId: string;
  readonly outputPath: string;
  /** The id of the subagent that started it. */
  readonly owner?: string;
  readonly agent?: TaskAgent;
  /** False while a tool call waits for it. */
  readonly inBackground: boolean;
  readonly progress?: TaskUsage;
  readonly status: TaskStatus;
  readonly exitCode: number | null;
  readonly startMs: number;
  readonly endMs: number | null;
  /** How it ended, in one line. */
  readonly summary?: string;
  /** The final text of an agent. */
  readonly result?: string;
  readonly error?: string;
  readonly usage?: TaskUsage;
  /** What the model should know beside the result. */
  readonly note?: string;
}

export type NewTask = Pick<
  Task,
  "id" | "type" | "command" | "description" | "toolUseId" | "outputPath" | "owner" | "agent"
> & { readonly inBackground?: boolean };

export interface TaskEnd extends Pick<Task, "summary" | "result" | "error" | "usage" | "note"> {
  readonly status: Exclude<TaskStatus, "running">;
  readonly exitCode?: number | null;
}
