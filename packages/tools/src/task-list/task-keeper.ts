// The task list as its tools see it. The caller keeps the list, fires hooks and knows whose session this is.

export const STATUSES = ["pending", "in_progress", "completed"] as const;
type Status = (typeof STATUSES)[number];

export interface TaskCreateInput {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TaskCreateOutput {
  readonly task: { readonly id: string; readonly subject: string };
}

export interface TaskGetOutput {
  readonly task: {
    readonly id: string;
    readonly subject: string;
    readonly description: string;
    readonly status: Status;
    readonly blocks: readonly string[];
    readonly blockedBy: readonly string[];
  } | null;
}

export interface TaskListOutput {
  readonly tasks: readonly {
    readonly id: string;
    readonly subject: string;
    readonly status: Status;
    readonly owner?: string;
    /** Only those that are not done. */
    readonly blockedBy: readonly string[];
  }[];
  /** How many there are, if these are not all. */
  readonly totalTasks?: number;
}

export interface TaskUpdateInput {
  readonly taskId: string;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
  readonly status?: Status | "deleted";
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
  readonly owner?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TaskUpdateOutput {
  readonly success: boolean;
  readonly taskId: string;
  readonly updatedFields: readonly string[];
  readonly error?: string;
  readonly statusChange?: { readonly from: string; readonly to: string };
}

export interface TaskKeeper {
  /** Throws ToolError if a hook refuses the task. */
  create(task: TaskCreateInput): Promise<TaskCreateOutput>;
  get(id: string): Promise<TaskGetOutput>;
  /** At most as many as a model can read. */
  list(): Promise<TaskListOutput>;
  update(change: TaskUpdateInput): Promise<TaskUpdateOutput>;
}
