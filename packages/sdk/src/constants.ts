// Names that callers compare with.

/** Splits a system prompt given in parts: the parts after it may change from session to session. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/** Former names of tools and their current names. Both work. */
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

/** Every name a built-in tool may have, in this version or in compatible ones. */
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
  "ShareOnboardingGuide",
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

// Beginnings of sentences that report plan limits. Keelson reports limits through `rate_limit_event` and the `error`
// field of a message, never through a sentence to match, so these lists are empty.
export const USAGE_LIMIT_ERROR_PREFIXES: readonly string[] = [];
export const USAGE_WARNING_PREFIXES: readonly string[] = [];
export const USAGE_TRANSITION_PREFIXES: readonly string[] = [];
export const ORG_POLICY_LIMIT_PREFIXES: readonly string[] = [];
