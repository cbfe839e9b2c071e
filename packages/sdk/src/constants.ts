// Names that callers compare with.

/** Splits a system prompt given in parts: what stands behind it may change from session to session. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Names that tools had before, and the ones they have now. Both are understood. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  Task: "Agent",
  KillShell: "TaskStop",
  KillBash: "TaskStop",
  ListPeers: "ListAgents",
  Brief: "SendUserMessage",
  ListMcpResources: "ListMcpResourcesTool",
  ReadMcpResource: "ReadMcpResourceTool",
  ReadMcpResourceDir: "ReadMcpResourceDirTool",
};

/** Every name a built-in tool may have, in this version or in those it is compatible with. */
export const BUILTIN_TOOL_NAMES: readonly string[] = [
  "Agent",
  "AskUserQuestion",
  "Bash",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "Glob",
  "Grep",
  "LSP",
  "ListAgents",
  "ListMcpResourcesTool",
  "Monitor",
  "NotebookEdit",
  "PowerShell",
  "PushNotification",
  "Read",
  "ReadMcpResourceDirTool",
  "ReadMcpResourceTool",
  "RemoteTrigger",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "SendUserMessage",
  "Skill",
  "StructuredOutput",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
];

// Beginnings of sentences by which a program tells of its plan's limits. Keelson tells them by `rate_limit_event` and by
// the `error` of a message, never by a sentence to be recognised: there is nothing to list.
export const USAGE_LIMIT_ERROR_PREFIXES: readonly string[] = [];
export const USAGE_WARNING_PREFIXES: readonly string[] = [];
export const USAGE_TRANSITION_PREFIXES: readonly string[] = [];
export const ORG_POLICY_LIMIT_PREFIXES: readonly string[] = [];
