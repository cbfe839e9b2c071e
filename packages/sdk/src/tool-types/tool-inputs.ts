// The inputs of built-in tools, for code that reads tool calls in hooks, permission requests and messages.

export type AgentInput = {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: string;
  effort?: string;
  run_in_background?: boolean;
  isolation?: "worktree" | "remote";
  name?: string;
  team_name?: string;
  mode?: string;
};

export type AskUserQuestionInput = {
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string; preview?: string }[];
    multiSelect: boolean;
  }[];
  /** The client fills this in: the chosen label, by the text of the question. */
  answers?: Record<string, string>;
  /** The client may fill this in, too. */
  annotations?: Record<string, { preview?: string; notes?: string }>;
  metadata?: Record<string, unknown>;
};

export type BashInput = {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
};

export type PowerShellInput = BashInput;

/** Exactly one of `command` and `ws`. */
export type MonitorInput = {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: { url: string; protocols?: string[] };
};
export type TaskOutputInput = { task_id: string; block?: boolean; timeout?: number };
export type TaskStopInput = { task_id?: string; shell_id?: string };

export type FileReadInput = { file_path: string; offset?: number; limit?: number; pages?: string };
export type FileWriteInput = { file_path: string; content: string };
export type FileEditInput = { file_path: string; old_string: string; new_string: string; replace_all?: boolean };

export type LspOperation =
  | "goToDefinition"
  | "findReferences"
  | "hover"
  | "documentSymbol"
  | "workspaceSymbol"
  | "goToImplementation"
  | "prepareCallHierarchy"
  | "incomingCalls"
  | "outgoingCalls";

/** `line` and `character` count from 1. */
export type LspInput = { operation: LspOperation; filePath: string; line: number; character: number };

export type NotebookEditInput = {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: "code" | "markdown";
  edit_mode?: "replace" | "insert" | "delete";
};

export type GlobInput = { pattern: string; path?: string };

export type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  output_mode?: "content" | "files_with_matches" | "count";
  "-i"?: boolean;
  "-n"?: boolean;
  "-o"?: boolean;
  "-B"?: number;
  "-A"?: number;
  "-C"?: number;
  context?: number;
  head_limit?: number;
  offset?: number;
  multiline?: boolean;
};

export type WebFetchInput = { url: string; prompt: string; offset?: number };
export type WebSearchInput = { query: string; allowed_domains?: string[]; blocked_domains?: string[] };

export type TodoWriteInput = {
  todos: { content: string; status: "pending" | "in_progress" | "completed"; activeForm: string }[];
};

export type TaskCreateInput = {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: { [key: string]: unknown };
};
export type TaskGetInput = { taskId: string };
export type TaskListInput = Record<string, never>;
export type TaskUpdateInput = {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: "pending" | "in_progress" | "completed" | "deleted";
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: { [key: string]: unknown };
};

export type SendMessageInput = { to: string; message: string | { [key: string]: unknown }; summary?: string };
export type TeamCreateInput = { team_name: string; description?: string; agent_type?: string };
export type TeamDeleteInput = Record<string, never>;

export type SkillInput = { skill: string; args?: string };

export type CronCreateInput = { cron: string; prompt: string; recurring?: boolean; durable?: boolean };
export type CronDeleteInput = { id: string };
export type CronListInput = Record<string, never>;
export type ScheduleWakeupInput = {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
};

/** `body` has the fields of the routines API. */
export type RemoteTriggerInput = {
  action: "list" | "get" | "create" | "update" | "run" | "create_webhook_trigger" | "list_runs" | "get_run_log";
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: { [key: string]: unknown };
};

export type PushNotificationInput = { message: string; status: "proactive" };
export type ReportFindingsInput = {
  level?: "low" | "medium" | "high" | "xhigh" | "max";
  findings: {
    file: string;
    line?: number;
    summary: string;
    short_summary?: string;
    failure_scenario: string;
    category?: string;
    verdict?: "CONFIRMED" | "PLAUSIBLE";
    outcome?: "fixed" | "skipped" | "no_change_needed";
  }[];
};
export type ShareOnboardingInput = { path?: string; format?: "zip" | "file"; output?: string; upload?: boolean };

export type EnterPlanModeInput = Record<string, never>;
/** Clients and models of different versions add other fields. */
export type ExitPlanModeInput = { plan?: string; planFilePath?: string; [key: string]: unknown };
export type EnterWorktreeInput = { name?: string; path?: string };
export type ExitWorktreeInput = { action: "keep" | "remove"; discard_changes?: boolean };
export type ListMcpResourcesInput = { server?: string };
export type ReadMcpResourceInput = { server: string; uri: string };
export type ReadMcpResourceDirInput = { server: string; uri: string };
export type ToolSearchInput = { query: string; max_results?: number };
export type McpInput = { [key: string]: unknown };

export type ToolInputSchemas =
  | AgentInput
  | AskUserQuestionInput
  | BashInput
  | PowerShellInput
  | MonitorInput
  | TaskOutputInput
  | TaskStopInput
  | FileReadInput
  | FileWriteInput
  | FileEditInput
  | LspInput
  | NotebookEditInput
  | GlobInput
  | GrepInput
  | WebFetchInput
  | WebSearchInput
  | TodoWriteInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskUpdateInput
  | SendMessageInput
  | TeamCreateInput
  | TeamDeleteInput
  | SkillInput
  | CronCreateInput
  | CronDeleteInput
  | CronListInput
  | ScheduleWakeupInput
  | RemoteTriggerInput
  | PushNotificationInput
  | ReportFindingsInput
  | ShareOnboardingInput
  | EnterPlanModeInput
  | ExitPlanModeInput
  | EnterWorktreeInput
  | ExitWorktreeInput
  | ListMcpResourcesInput
  | ReadMcpResourceInput
  | ReadMcpResourceDirInput
  | ToolSearchInput
  | McpInput;
