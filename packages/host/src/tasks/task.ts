// One row of the task table, and what its start and its end say.

export type TaskStatus = "running" | "completed" | "failed" | "killed";

export interface TaskUsage {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
  readonly lastTool?: string;
  /** What it does with it, in words for people. */
  readonly activity?: string | undefined;
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
  /** The name in the protocol: `local_bash`, `local_agent`, `monitor`, `wakeup`. */
  readonly type: string;
  readonly command?: string;
  readonly description: string;
  readonly toolUseId: string;
  readonly outputPath: string;
  /** The id of the subagent that started it. */
  readonly owner?: string;
  readonly agent?: TaskAgent;
  /** What a wake-up sends when it is due. */
  readonly prompt?: string;
  /** It waits and does nothing: clients do not show it as activity. */
  readonly ambient?: true;
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
  /** The model knows of its end by other means, so it gets no notice. */
  readonly endKnown?: true;
}

export type NewTask = Pick<
  Task,
  "id" | "type" | "command" | "description" | "toolUseId" | "outputPath" | "owner" | "agent" | "prompt" | "ambient"
> & { readonly inBackground?: boolean };

export interface TaskEnd extends Pick<Task, "summary" | "result" | "error" | "usage" | "note" | "endKnown"> {
  readonly status: Exclude<TaskStatus, "running">;
  readonly exitCode?: number | null;
}
