// What is specific to each hook event: its input, what a matcher is compared with, which handlers may run, and which
// outputs have an effect. One table for everything; nothing about how handlers run.

import { HOOK_EVENTS, type HookEvent, type HookHandler, type HookVerdict } from "@keelson/protocol";

type Mechanism = HookHandler["type"];

/** The type of a `hookSpecificOutput` field. */
export type FieldKind = "string" | "strings" | "boolean" | "object" | readonly string[];

export interface EventFacts {
  readonly summary: string;
  /** Its own input fields, in the order they are sent. */
  readonly input: readonly string[];
  /** The input field a matcher is compared with. Without one, matchers are ignored. */
  readonly matchedOn?: string;
  readonly mechanisms: readonly Mechanism[];
  /** Base fields that only some events have. */
  readonly carries: readonly ("permission_mode" | "effort")[];
  /** What exit code 2 does: `blocks` denies; `reported` only tells people. */
  readonly exit2: "blocks" | "reported";
  /** Values of the matched field for which hooks cannot block. */
  readonly unblockable?: readonly string[];
  /** The form of a block's text; `text.ts` has the forms, and test/conformance/hooks/forms/forms.ts shows them. */
  readonly blockForm: "tool error" | "reminder" | "feedback" | "plain";
  /** A block also ends the run. */
  readonly blockStops?: true;
  /** When a prompt hook says no, the model keeps working instead of stopping. */
  readonly blockGoesOn?: true;
  /** `decision: "block"`. */
  readonly decision: boolean;
  /** `permissionDecision`. */
  readonly verdicts: readonly HookVerdict[];
  /** `continue: false` ends the run. */
  readonly stops: boolean;
  /** `additionalContext`. */
  readonly context: boolean;
  /** Plain text on stdout goes to the model. */
  readonly plainText: boolean;
  readonly updatedInput: boolean;
  readonly updatedOutput: boolean;
  /** `hookSpecificOutput.decision`, which answers a permission request. */
  readonly permission: boolean;
  /** Other fields of `hookSpecificOutput`. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}

const BASIC: readonly Mechanism[] = ["command", "http", "mcp_tool", "callback"];
const ALL: readonly Mechanism[] = [...BASIC, "prompt", "agent"];
/** An HTTP hook cannot be answered before the session is set up. */
const EARLY: readonly Mechanism[] = ["command", "mcp_tool", "callback"];

const TOOL = ["tool_name", "tool_input", "tool_use_id"];
const BOTH = ["permission_mode", "effort"] as const;
const TASK = ["task_id", "task_subject", "task_description", "teammate_name", "team_name"];
const SWITCH = [
  "from_model",
  "to_model",
  "requested_model",
  "source",
  "context_tokens",
  "prompt_cache_warm",
  "cache_ttl",
  "estimated_cache_write_usd",
  "pricing",
];
const STOP_INPUT = ["last_assistant_message", "background_tasks", "session_crons"];
const ANSWER: EventFacts["fields"] = { action: ["accept", "decline", "cancel"], content: "object" };
const WATCH: EventFacts["fields"] = { watchPaths: "strings" };

export const EVENT_FACTS: Readonly<Record<HookEvent, EventFacts>> = {
  PreToolUse: facts("Before tool execution", [...TOOL, "mcp_server"], {
    matchedOn: "tool_name",
    mechanisms: ALL,
    carries: BOTH,
    exit2: "blocks",
    blockForm: "tool error",
    decision: true,
    verdicts: ["deny", "defer", "ask", "allow"],
    stops: true,
    context: true,
    updatedInput: true,
  }),
  PostToolUse: facts(
    "After a tool succeeded",
    ["tool_name", "tool_input", "tool_response", "tool_use_id", "mcp_server", "duration_ms"],
    {
      matchedOn: "tool_name",
      mechanisms: ALL,
      carries: BOTH,
      exit2: "blocks",
      blockForm: "reminder",
      decision: true,
      stops: true,
      context: true,
      updatedOutput: true,
      fields: { classifierContext: "string" },
    },
  ),
  PostToolUseFailure: facts("After a tool failed", [...TOOL, "mcp_server", "error", "is_interrupt", "duration_ms"], {
    matchedOn: "tool_name",
    mechanisms: ALL,
    carries: BOTH,
    exit2: "blocks",
    blockForm: "reminder",
    stops: true,
    context: true,
  }),
  PostToolBatch: facts("After all tool calls of one reply", ["tool_calls"], {
    mechanisms: ALL,
    carries: BOTH,
    exit2: "blocks",
    blockForm: "reminder",
    blockStops: true,
    decision: true,
    stops: true,
    context: true,
  }),
  Notification: facts("When a notification is shown", ["message", "title", "notification_type"], {
    matchedOn: "notification_type",
    context: true,
  }),
  UserPromptSubmit: facts("When a prompt is submitted", ["prompt", "source", "session_title"], {
    mechanisms: ALL,
    carries: ["permission_mode"],
    exit2: "blocks",
    decision: true,
    stops: true,
    context: true,
    plainText: true,
    fields: { sessionTitle: "string", suppressOriginalPrompt: "boolean" },
  }),
  UserPromptExpansion: facts(
    "When a typed command is expanded",
    ["expansion_type", "command_name", "command_args", "command_source", "prompt"],
    {
      matchedOn: "command_name",
      mechanisms: ALL,
      carries: ["permission_mode"],
      exit2: "blocks",
      decision: true,
      stops: true,
      context: true,
      plainText: true,
      fields: { sessionTitle: "string", suppressOriginalPrompt: "boolean" },
    },
  ),
  SessionStart: facts(
    "When a session starts, resumes, or is cleared or compacted",
    [
      "source",
      "model",
      "agent_type",
      "session_title",
      "seconds_since_last_response",
      "context_tokens",
      "prompt_cache_likely_expired",
      "estimated_cache_write_usd",
    ],
    {
      matchedOn: "source",
      mechanisms: EARLY,
      context: true,
      plainText: true,
      fields: { initialUserMessage: "string", sessionTitle: "string", ...WATCH, reloadSkills: "boolean" },
    },
  ),
  SessionEnd: facts("When a session ends", ["reason"], { matchedOn: "reason" }),
  Stop: facts("Before the agent stops", ["stop_hook_active", ...STOP_INPUT], {
    mechanisms: ALL,
    carries: BOTH,
    exit2: "blocks",
    blockGoesOn: true,
    decision: true,
    stops: true,
    context: true,
  }),
  StopFailure: facts("When an API error ended a turn", ["error", "error_details", "last_assistant_message"], {
    matchedOn: "error",
    carries: ["effort"],
  }),
  SubagentStart: facts("When a subagent starts", ["agent_id", "agent_type"], {
    matchedOn: "agent_type",
    context: true,
  }),
  SubagentStop: facts(
    "Before a subagent stops",
    ["stop_hook_active", "agent_id", "agent_transcript_path", "agent_type", ...STOP_INPUT],
    {
      matchedOn: "agent_type",
      mechanisms: ALL,
      carries: BOTH,
      exit2: "blocks",
      blockGoesOn: true,
      decision: true,
      stops: true,
      context: true,
    },
  ),
  PreCompact: facts("Before the conversation is compacted", ["trigger", "custom_instructions"], {
    matchedOn: "trigger",
    exit2: "blocks",
    decision: true,
    plainText: true,
  }),
  PostCompact: facts("After the conversation was compacted", ["trigger", "compact_summary"], { matchedOn: "trigger" }),
  // The reference does not document exit code 2 here. We do not switch models when a hook objects.
  PreModelSwitch: facts("Before the model changes", SWITCH, { exit2: "blocks", verdicts: ["deny", "ask", "allow"] }),
  PostModelSwitch: facts("After the model changed", SWITCH, { context: true }),
  PermissionRequest: facts(
    "When permission is about to be requested",
    ["tool_name", "tool_input", "permission_suggestions", "mcp_server"],
    {
      matchedOn: "tool_name",
      mechanisms: ALL,
      carries: ["permission_mode"],
      stops: true,
      permission: true,
    },
  ),
  PermissionDenied: facts("After auto mode denied a tool call", [...TOOL, "reason", "mcp_server"], {
    matchedOn: "tool_name",
    mechanisms: ALL,
    carries: ["permission_mode"],
    stops: true,
    fields: { retry: "boolean" },
  }),
  Setup: facts("On --init and --maintenance, before SessionStart", ["trigger"], {
    matchedOn: "trigger",
    mechanisms: EARLY,
    context: true,
  }),
  TeammateIdle: facts("Before a teammate goes idle", ["teammate_name", "team_name"], {
    mechanisms: ALL,
    exit2: "blocks",
    blockForm: "feedback",
    stops: true,
  }),
  TaskCreated: facts("When a task is created", TASK, {
    mechanisms: ALL,
    exit2: "blocks",
    blockForm: "feedback",
    decision: true,
  }),
  TaskCompleted: facts("When a task is marked as done", TASK, {
    mechanisms: ALL,
    exit2: "blocks",
    blockForm: "feedback",
    stops: true,
  }),
  Elicitation: facts(
    "When an MCP server asks a question",
    ["mcp_server_name", "message", "mode", "url", "elicitation_id", "requested_schema"],
    { matchedOn: "mcp_server_name", exit2: "blocks", fields: ANSWER },
  ),
  ElicitationResult: facts(
    "After an MCP server's question was answered",
    ["mcp_server_name", "action", "mode", "elicitation_id", "content"],
    { matchedOn: "mcp_server_name", exit2: "blocks", fields: ANSWER },
  ),
  ConfigChange: facts("When a settings or skill file changed", ["source", "file_path"], {
    matchedOn: "source",
    exit2: "blocks",
    unblockable: ["policy_settings"],
    decision: true,
  }),
  WorktreeCreate: facts("When a worktree is requested; replaces git", ["name"], {
    exit2: "blocks",
    fields: { worktreePath: "string" },
  }),
  WorktreeRemove: facts("When a worktree is removed", ["worktree_path"]),
  InstructionsLoaded: facts(
    "When an instruction file was loaded",
    ["file_path", "memory_type", "load_reason", "globs", "trigger_file_path", "parent_file_path"],
    { matchedOn: "load_reason" },
  ),
  CwdChanged: facts("When the working directory changed", ["old_cwd", "new_cwd"], { fields: WATCH }),
  FileChanged: facts("When a watched file changed", ["file_path", "event"], { matchedOn: "file_path", fields: WATCH }),
  DirectoryAdded: facts("When a directory was added to the session", ["directory", "source"], { matchedOn: "source" }),
  MessageDisplay: facts("When assistant text is shown", ["turn_id", "message_id", "index", "final", "delta"], {
    fields: { displayContent: "string" },
  }),
};

/** The events as a client's settings screen lists them. */
export function hookEventCatalog(): { name: HookEvent; summary: string; supportsMatcher: boolean }[] {
  return HOOK_EVENTS.map((name) => {
    const { summary, matchedOn } = EVENT_FACTS[name];
    return { name, summary, supportsMatcher: matchedOn !== undefined };
  });
}

/** Events about one tool call. Only these can have an `if`. */
export function isToolEvent(event: HookEvent): boolean {
  return EVENT_FACTS[event].matchedOn === "tool_name";
}

function facts(summary: string, input: readonly string[], own: Partial<EventFacts> = {}): EventFacts {
  return {
    summary,
    input,
    mechanisms: BASIC,
    carries: [],
    exit2: "reported",
    blockForm: "plain",
    decision: false,
    verdicts: [],
    stops: false,
    context: false,
    plainText: false,
    updatedInput: false,
    updatedOutput: false,
    permission: false,
    fields: {},
    ...own,
  };
}
