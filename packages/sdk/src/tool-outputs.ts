// What built-in tools give back, as PostToolUse hooks get it (`tool_response`) and messages carry it (`tool_use_result`).

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

export type BashOutput = {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  isImage?: boolean;
  noOutputExpected?: boolean;
  returnCodeInterpretation?: string;
  backgroundTaskId?: string;
  /** Where a background command writes. */
  backgroundOutputPath?: string;
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  dangerouslyDisableSandbox?: boolean;
};

export type FileReadOutput =
  | {
      type: "text";
      file: { filePath: string; content: string; numLines: number; startLine: number; totalLines: number };
    }
  | {
      type: "image";
      file: {
        base64: string;
        type: string;
        originalSize: number;
        dimensions?: {
          originalWidth?: number;
          originalHeight?: number;
          displayWidth?: number;
          displayHeight?: number;
        };
      };
    }
  | { type: "notebook"; file: { filePath: string; cells: unknown[] } }
  | { type: "pdf"; file: { filePath: string; base64: string; originalSize: number } }
  | {
      type: "parts";
      file: { filePath: string; originalSize: number; count: number; outputDir: string | null };
    }
  | { type: "file_unchanged"; file: { filePath: string } };

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
};

export type NotebookEditOutput = {
  new_source: string;
  old_source?: string;
  cell_id?: string;
  cell_type: string;
  language: string;
  edit_mode: string;
  error?: string;
  notebook_path: string;
  original_file: string | null;
  updated_file: string | null;
};

export type GlobOutput = {
  filenames: string[];
  durationMs: number;
  numFiles: number;
  truncated: boolean;
  totalMatches?: number;
  countIsComplete?: boolean;
  timedOut?: boolean;
};

export type GrepOutput = {
  mode?: "content" | "files_with_matches" | "count";
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
};

type Todo = { content: string; status: "pending" | "in_progress" | "completed"; activeForm: string };
export type TodoWriteOutput = { oldTodos: Todo[]; newTodos: Todo[] };

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

export type EnterPlanModeOutput = { message: string };
export type ExitPlanModeOutput = {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  planWasEdited?: boolean;
};

/** What a tool of an MCP server gave: its text, or its blocks. */
export type McpOutput = string | unknown[];

export type ToolOutputSchemas =
  | BashOutput
  | FileReadOutput
  | FileWriteOutput
  | FileEditOutput
  | NotebookEditOutput
  | GlobOutput
  | GrepOutput
  | TodoWriteOutput
  | TaskStopOutput
  | AskUserQuestionOutput
  | EnterPlanModeOutput
  | ExitPlanModeOutput
  | McpOutput;
