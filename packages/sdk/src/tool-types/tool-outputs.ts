// The outputs of built-in tools: `tool_response` in PostToolUse hooks, `tool_use_result` in messages.

import type { Usage } from "@keelson/protocol";
import type { LspOperation, ReportFindingsInput } from "./tool-inputs.ts";

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

export type AgentOutput =
  | {
      status: "completed";
      prompt: string;
      agentId: string;
      agentType: string;
      content: { type: "text"; text: string }[];
      resolvedModel: string;
      totalDurationMs: number;
      totalTokens: number;
      totalToolUseCount: number;
      toolStats: {
        readCount: number;
        searchCount: number;
        bashCount: number;
        editFileCount: number;
        linesAdded: number;
        linesRemoved: number;
        otherToolCount: number;
      };
      usage: Usage;
      worktreePath?: string;
      worktreeBranch?: string;
    }
  | {
      isAsync: true;
      status: "async_launched";
      agentId: string;
      description: string;
      prompt: string;
      resolvedModel: string;
      outputFile: string;
      canReadOutputFile: boolean;
    }
  | { status: "teammate_spawned"; teammate_id: string; name: string; team_name: string };

export type BashOutput = {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  isImage: boolean;
  noOutputExpected: boolean;
  returnCodeInterpretation?: string;
  backgroundTaskId?: string;
  /** The output file of a background command. */
  backgroundOutputPath?: string;
  backgroundedByUser?: boolean;
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  /** The end of an output of which `stdout` is only the beginning. */
  persistedOutputEnd?: string;
  dangerouslyDisableSandbox?: boolean;
};

export type PowerShellOutput = BashOutput;

export type FileReadOutput =
  | {
      type: "text";
      file: {
        filePath: string;
        content: string;
        numLines: number;
        startLine: number;
        totalLines: number;
        /** Where the file goes on; absent if it ends here. */
        nextOffset?: number;
        /** More was asked for than is shown at once. */
        truncatedByTokenCap?: true;
      };
    }
  | {
      type: "image";
      file: {
        base64: string;
        type: string;
        originalSize: number;
        dimensions: {
          originalWidth: number;
          originalHeight: number;
          displayWidth: number;
          displayHeight: number;
        };
      };
    }
  | { type: "notebook"; file: { filePath: string; cells: NotebookCell[] } }
  | { type: "pdf"; file: { filePath: string; base64: string; originalSize: number } }
  | {
      type: "parts";
      file: { filePath: string; originalSize: number; count: number; outputDir: null };
      /** Absent if the pages are images. */
      totalPages?: number;
      pages: { page: number; text?: string; image?: { type: string; base64: string } }[];
    }
  | { type: "file_unchanged"; file: { filePath: string } };

type NotebookCell = {
  cellType: string;
  source: string;
  execution_count?: number;
  cell_id: string;
  language?: string;
  outputs?: { output_type: string; text?: string; image?: { image_data: string; media_type: string } }[];
};

export type FileWriteOutput = {
  type: "create" | "update";
  filePath: string;
  content: string;
  structuredPatch: Hunk[];
  originalFile: string | null;
};

export type FileEditOutput = {
  filePath: string;
  oldString: string;
  newString: string;
  originalFile: string | null;
  structuredPatch: Hunk[];
  userModified: boolean;
  replaceAll: boolean;
  /** Someone else had changed the file since the model read it. */
  changedSinceRead?: true;
};

export type NotebookEditOutput = {
  new_source: string;
  old_source?: string;
  cell_id: string;
  cell_type: string;
  language: string;
  edit_mode: "replace" | "insert" | "delete";
  error: "";
  notebook_path: string;
  original_file: string | null;
  updated_file: string | null;
};

export type GlobOutput = {
  filenames: string[];
  durationMs: number;
  numFiles: number;
  truncated: boolean;
  totalMatches: number;
  countIsComplete: boolean;
  timedOut?: boolean;
  /** Files and folders that could not be read. */
  unread?: { path: string; why: string }[];
};

export type GrepOutput = {
  mode: "content" | "files_with_matches" | "count";
  numFiles: number;
  filenames: string[];
  content?: string;
  numLines?: number;
  numMatches?: number;
  totalFiles?: number;
  totalLines?: number;
  appliedLimit?: number;
  appliedOffset?: number;
  timedOut?: boolean;
  /** There are more results than these. */
  incomplete?: boolean;
  /** Files and folders that could not be read. */
  unread?: { path: string; why: string }[];
};

export type SkillOutput = {
  success: true;
  commandName: string;
  allowedTools?: string[];
  model?: string;
  /** It ran in a subagent. */
  status?: "forked";
  agentId?: string;
  result?: string;
};

type Todo = { content: string; status: "pending" | "in_progress" | "completed"; activeForm: string };
export type TodoWriteOutput = { oldTodos: Todo[]; newTodos: Todo[] };

type TaskStatus = "pending" | "in_progress" | "completed";
export type TaskCreateOutput = { task: { id: string; subject: string } };
export type TaskGetOutput = {
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  } | null;
};
export type TaskListOutput = {
  tasks: { id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }[];
  /** How many there are, if these are not all. */
  totalTasks?: number;
};
export type TaskUpdateOutput = {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
};

export type SendMessageOutput = { success: boolean; message: string };
export type TeamCreateOutput = { team_name: string; team_file_path: string; lead_agent_id: string };
export type TeamDeleteOutput = { success: boolean; message: string; team_name?: string };

export type TaskOutputOutput = {
  retrieval_status: "success" | "timeout" | "not_ready";
  task: {
    task_id: string;
    task_type: string;
    status: string;
    description: string;
    output: string;
    exitCode: number | null;
    prompt?: string;
    result?: string;
    error?: string;
  };
};

export type WebFetchOutput = {
  bytes: number;
  code: number;
  codeText: string;
  result: string;
  durationMs: number;
  url: string;
};

export type WebSearchOutput = {
  query: string;
  results: (string | { tool_use_id: string; content: { title: string; url: string }[] })[];
  durationSeconds: number;
  searchCount?: number;
};

export type LspOutput = {
  operation: LspOperation;
  result: string;
  filePath: string;
  resultCount?: number;
  fileCount?: number;
};

export type MonitorOutput = { taskId: string; timeoutMs: number; persistent?: boolean };

export type TaskStopOutput = { message: string; task_id: string; task_type: string; command?: string };

export type AskUserQuestionOutput = {
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string; preview?: string }[];
    multiSelect: boolean;
  }[];
  answers: Record<string, string>;
  annotations?: Record<string, { preview?: string; notes?: string }>;
};

/** Times are milliseconds since 1970. */
export type CronCreateOutput = {
  id: string;
  humanSchedule: string;
  recurring: boolean;
  durable: boolean;
  nextFireAt?: number;
};
export type CronDeleteOutput = { id: string };
export type CronListOutput = {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring: boolean;
    durable: boolean;
    nextFireAt?: number;
    /** Keelson only: why it does not fire. */
    inactive?: string;
  }[];
  /** Keelson only: why jobs may be missing. */
  problem?: string;
};
export type ScheduleWakeupOutput = {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  taskId?: string;
};

export type EnterPlanModeOutput = { message: string };
export type EnterWorktreeOutput = { worktreePath: string; worktreeBranch?: string; message: string };
export type ExitWorktreeOutput = {
  action: "keep" | "remove";
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
};
export type ExitPlanModeOutput = {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  planWasEdited?: boolean;
};

/** The result of an MCP tool: text, or content blocks. */
type McpResource = { uri: string; name: string; mimeType?: string; description?: string; server: string };
export type ListMcpResourcesOutput = McpResource[];
export type ReadMcpResourceDirOutput = { resources: McpResource[] };
export type ReadMcpResourceOutput = {
  contents: { uri: string; mimeType?: string; text?: string; blobSavedTo?: string }[];
};
export type ToolSearchOutput = {
  matches: string[];
  query: string;
  total_deferred_tools: number;
  pending_mcp_servers?: string[];
};

/** The status and the answer of the routines server; the answer is JSON text. */
export type RemoteTriggerOutput = { status: number; json: string; summary?: string };

export type PushNotificationOutput = {
  message: string;
  pushSent?: boolean;
  localSent?: boolean;
  disabledReason?: string;
  sentAt?: string;
};

export type ReportFindingsOutput = ReportFindingsInput & { count: number };

export type ShareOnboardingOutput = {
  format: "zip" | "file";
  files: string[];
  leftOut: { file: string; reason: string }[];
  size: number;
  filePath?: string;
  url?: string;
};

export type McpOutput = string | unknown[];

export type ToolOutputSchemas =
  | AgentOutput
  | BashOutput
  | PowerShellOutput
  | FileReadOutput
  | FileWriteOutput
  | FileEditOutput
  | NotebookEditOutput
  | GlobOutput
  | GrepOutput
  | TodoWriteOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskUpdateOutput
  | SendMessageOutput
  | TeamCreateOutput
  | TeamDeleteOutput
  | SkillOutput
  | CronCreateOutput
  | CronDeleteOutput
  | CronListOutput
  | ScheduleWakeupOutput
  | RemoteTriggerOutput
  | PushNotificationOutput
  | ReportFindingsOutput
  | ShareOnboardingOutput
  | TaskOutputOutput
  | TaskStopOutput
  | LspOutput
  | MonitorOutput
  | WebFetchOutput
  | WebSearchOutput
  | AskUserQuestionOutput
  | EnterPlanModeOutput
  | ExitPlanModeOutput
  | EnterWorktreeOutput
  | ExitWorktreeOutput
  | ListMcpResourcesOutput
  | ReadMcpResourceOutput
  | ReadMcpResourceDirOutput
  | ToolSearchOutput
  | McpOutput;
