// Every event × every way a script can end × every form of JSON: what each answer is read as. One scripts' worth of
// answers for all events, and per event what comes of them, written down from the reference and from nothing else.

import type { HookEvent } from "@keelson/protocol";

/** What the scripts print and how they end. `EVENT` stands for the event's own name. */
export const FORMS = {
  silence: { exit: 0 },
  "plain text": { stdout: "all is well", exit: 0 },
  "exit 1": { stderr: "broken", exit: 1 },
  "exit 2": { stderr: "no", exit: 2 },
  "exit 2 and half of a JSON": { stdout: '{"decision":"appr', stderr: "no", exit: 2 },
  "half of a JSON": { stdout: '{"decision":"block","reas', exit: 0 },
  block: { stdout: { decision: "block", reason: "no" }, exit: 0 },
  "block, exit 1": { stdout: { decision: "block", reason: "no" }, exit: 1 },
  context: { stdout: { hookSpecificOutput: { hookEventName: "EVENT", additionalContext: "know this" } }, exit: 0 },
  "context of another event": {
    stdout: { hookSpecificOutput: { hookEventName: "Other", additionalContext: "x" } },
    exit: 0,
  },
  "permission deny": {
    stdout: {
      hookSpecificOutput: { hookEventName: "EVENT", permissionDecision: "deny", permissionDecisionReason: "no" },
    },
    exit: 0,
  },
  "continue false": { stdout: { continue: false, stopReason: "enough" }, exit: 0 },
  systemMessage: { stdout: { systemMessage: "hello" }, exit: 0 },
} as const satisfies Readonly<Record<string, { stdout?: string | object; stderr?: string; exit: number }>>;

export type Form = keyof typeof FORMS;

/** What an answer is read as. `continues`: nothing comes of it. A problem is something people are told. */
export interface Read {
  readonly verdict?: "deny";
  readonly reason?: string;
  readonly context?: string;
  readonly stop?: string;
  readonly said?: string;
  readonly worktree?: string;
  readonly problem?: true;
}

const GOES_ON: Read = {};
const PROBLEM: Read = { problem: true };

/** What is particular to an event. */
export interface Facts {
  readonly label: string;
  /** Own fields of the sample, in the order of the reference. */
  readonly keys: string;
  /** `mode`: permission_mode; `effort`; `early`: no prompt_id. */
  readonly has?: readonly ("mode" | "effort" | "early")[];
  /** How a block by exit code reads; NAME is the script. Absent: exit 2 blocks nothing. */
  readonly blocked?: string;
  /** How a `decision: "block"` reads. Absent: there is none. */
  readonly blockedBy?: string;
  /** How a `permissionDecision: "deny"` reads. */
  readonly denied?: string;
  readonly context?: string;
  readonly plain?: string;
  readonly stops?: true;
  /** A block also ends the run. */
  readonly blockStops?: true;
  /** What does not follow from the above. */
  readonly but?: Readonly<Partial<Record<Form, Read>>>;
}

export function expectedOf(facts: Facts, form: Form): Read {
  const { but, blocked, blockedBy, denied, context, plain, stops, blockStops } = facts;
  const special = but?.[form];
  if (special) return special;
  const deny = (reason: string | undefined): Read =>
    reason === undefined ? GOES_ON : { verdict: "deny", reason, ...(blockStops ? { stop: reason } : {}) };
  switch (form) {
    case "silence":
      return GOES_ON;
    case "plain text":
      return plain === undefined ? GOES_ON : { context: plain };
    case "exit 1":
    case "half of a JSON":
    case "context of another event":
      return PROBLEM;
    case "exit 2":
    case "exit 2 and half of a JSON":
      return blocked === undefined ? PROBLEM : deny(blocked);
    case "block":
    case "block, exit 1":
      return deny(blockedBy);
    case "context":
      return context === undefined ? GOES_ON : { context };
    case "permission deny":
      return deny(denied);
    case "continue false":
      return stops ? { stop: "enough" } : GOES_ON;
    case "systemMessage":
      return { said: "hello" };
  }
}

const call = (event: string) => ({ label: `${event}:Bash` });
const tool = (event: string) => `${event}:Bash hook additional context: know this`;
const reminder = (label: string) => ({
  blocked: `${label} hook blocking error from command: "NAME": [NAME]: no`,
  blockedBy: `${label} hook blocking error from command: "NAME": no`,
});
const plainly = { blocked: "[NAME]: no", blockedBy: "no" };
const known = (event: string) => `${event} hook additional context: know this`;
const TASK = "task_id task_subject task_description";
const SWITCH = "from_model to_model requested_model source context_tokens prompt_cache_warm";

export const EVENTS: Readonly<Record<HookEvent, Facts>> = {
  PreToolUse: {
    ...call("PreToolUse"),
    keys: "tool_name tool_input tool_use_id",
    has: ["mode", "effort"],
    blocked: "PreToolUse:Bash hook error: [NAME]: no",
    blockedBy: "no",
    denied: "no",
    context: tool("PreToolUse"),
    stops: true,
  },
  PostToolUse: {
    ...call("PostToolUse"),
    keys: "tool_name tool_input tool_response tool_use_id duration_ms",
    has: ["mode", "effort"],
    ...reminder("PostToolUse:Bash"),
    context: tool("PostToolUse"),
    stops: true,
  },
  PostToolUseFailure: {
    ...call("PostToolUseFailure"),
    keys: "tool_name tool_input tool_use_id error is_interrupt duration_ms",
    has: ["mode", "effort"],
    blocked: reminder("PostToolUseFailure:Bash").blocked,
    context: tool("PostToolUseFailure"),
    stops: true,
  },
  PostToolBatch: {
    label: "PostToolBatch",
    keys: "tool_calls",
    has: ["mode", "effort"],
    ...reminder("PostToolBatch"),
    blockStops: true,
    context: known("PostToolBatch"),
    stops: true,
  },
  PermissionRequest: {
    ...call("PermissionRequest"),
    keys: "tool_name tool_input permission_suggestions",
    has: ["mode"],
    stops: true,
  },
  PermissionDenied: {
    ...call("PermissionDenied"),
    keys: "tool_name tool_input tool_use_id reason",
    has: ["mode"],
    stops: true,
  },
  Notification: {
    label: "Notification:permission_prompt",
    keys: "message notification_type",
    context: known("Notification"),
  },
  UserPromptSubmit: {
    label: "UserPromptSubmit",
    keys: "prompt",
    has: ["mode"],
    ...plainly,
    context: known("UserPromptSubmit"),
    plain: "UserPromptSubmit hook success: all is well",
    stops: true,
  },
  UserPromptExpansion: {
    label: "UserPromptExpansion",
    keys: "expansion_type command_name command_args prompt",
    has: ["mode"],
    ...plainly,
    context: known("UserPromptExpansion"),
    plain: "UserPromptExpansion hook success: all is well",
    stops: true,
  },
  SessionStart: {
    label: "SessionStart:startup",
    keys: "source",
    has: ["early"],
    context: known("SessionStart"),
    plain: "SessionStart:startup hook success: all is well",
  },
  SessionEnd: { label: "SessionEnd:other", keys: "reason" },
  Setup: { label: "Setup:init", keys: "trigger", has: ["early"], context: known("Setup") },
  Stop: {
    label: "Stop",
    keys: "stop_hook_active last_assistant_message",
    has: ["mode", "effort"],
    ...plainly,
    context: known("Stop"),
    stops: true,
  },
  StopFailure: { label: "StopFailure:unknown", keys: "error error_details", has: ["effort"] },
  SubagentStart: {
    label: "SubagentStart:general-purpose",
    keys: "agent_id agent_type",
    context: known("SubagentStart"),
  },
  SubagentStop: {
    label: "SubagentStop",
    keys: "stop_hook_active agent_id agent_transcript_path agent_type last_assistant_message",
    has: ["mode", "effort"],
    ...plainly,
    context: known("SubagentStop"),
    stops: true,
  },
  PreCompact: { label: "PreCompact:manual", keys: "trigger custom_instructions", plain: "all is well", ...plainly },
  PostCompact: { label: "PostCompact:manual", keys: "trigger compact_summary" },
  PreModelSwitch: { label: "PreModelSwitch", keys: SWITCH, blocked: "[NAME]: no", denied: "no" },
  PostModelSwitch: { label: "PostModelSwitch", keys: SWITCH, context: known("PostModelSwitch") },
  TeammateIdle: {
    label: "TeammateIdle",
    keys: "teammate_name team_name",
    blocked: "TeammateIdle hook feedback:\n[NAME]: no",
    stops: true,
  },
  TaskCreated: {
    label: "TaskCreated",
    keys: TASK,
    blocked: "TaskCreated hook feedback:\n[NAME]: no",
    blockedBy: "TaskCreated hook feedback:\nno",
  },
  TaskCompleted: {
    label: "TaskCompleted",
    keys: TASK,
    blocked: "TaskCompleted hook feedback:\n[NAME]: no",
    stops: true,
  },
  Elicitation: { label: "Elicitation:server", keys: "mcp_server_name message mode", blocked: "[NAME]: no" },
  ElicitationResult: {
    label: "ElicitationResult:server",
    keys: "mcp_server_name action mode content",
    blocked: "[NAME]: no",
  },
  ConfigChange: { label: "ConfigChange:project_settings", keys: "source file_path", ...plainly },
  // Its output is a path, so everything else than one is a failure, and every failure means: no worktree.
  WorktreeCreate: {
    label: "WorktreeCreate",
    keys: "name",
    blocked: "[NAME]: no",
    but: {
      silence: { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree" },
      "plain text": { worktree: "all is well" },
      "exit 1": { verdict: "deny", reason: "[NAME]: broken" },
      "half of a JSON": { verdict: "deny", reason: "[NAME]: printed JSON that could not be read" },
      block: { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree" },
      "block, exit 1": { verdict: "deny", reason: "[NAME]: exited with code 1" },
      context: { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree" },
      "context of another event": {
        verdict: "deny",
        reason: "[NAME]: did not name a folder for the worktree",
        problem: true,
      },
      "permission deny": { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree" },
      "continue false": { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree" },
      systemMessage: { verdict: "deny", reason: "[NAME]: did not name a folder for the worktree", said: "hello" },
    },
  },
  WorktreeRemove: { label: "WorktreeRemove", keys: "worktree_path" },
  InstructionsLoaded: { label: "InstructionsLoaded:session_start", keys: "file_path memory_type load_reason" },
  CwdChanged: { label: "CwdChanged", keys: "old_cwd new_cwd" },
  FileChanged: { label: "FileChanged:example.txt", keys: "file_path event" },
  DirectoryAdded: { label: "DirectoryAdded:add_dir", keys: "directory source" },
  MessageDisplay: { label: "MessageDisplay", keys: "turn_id message_id index final delta" },
};

/** Outputs only one or two events listen to: what a script says for the event, and what it is read as. */
export const OUTPUTS: Readonly<Partial<Record<HookEvent, readonly (readonly [output: object, reply: object])[]>>> = {
  PreToolUse: [
    [{ permissionDecision: "allow" }, { verdict: "allow" }],
    [
      { permissionDecision: "ask", permissionDecisionReason: "sure?" },
      { verdict: "ask", reason: "sure?" },
    ],
    [{ permissionDecision: "defer" }, { verdict: "defer" }],
    [{ updatedInput: { command: "ls" } }, { input: { command: "ls" } }],
  ],
  PostToolUse: [
    [{ updatedToolOutput: { stdout: "x" } }, { output: { stdout: "x" } }],
    [{ classifierContext: "seen before" }, { fields: { classifierContext: "seen before" } }],
  ],
  PermissionRequest: [
    [{ decision: { behavior: "allow" } }, { permission: { behavior: "allow" } }],
    [
      { decision: { behavior: "deny", message: "no", interrupt: true } },
      { permission: { behavior: "deny", message: "no", interrupt: true } },
    ],
  ],
  PermissionDenied: [[{ retry: true }, { fields: { retry: true } }]],
  UserPromptSubmit: [
    [{ sessionTitle: "Mending" }, { fields: { sessionTitle: "Mending" } }],
    [{ suppressOriginalPrompt: true }, { fields: { suppressOriginalPrompt: true } }],
  ],
  UserPromptExpansion: [[{ suppressOriginalPrompt: true }, { fields: { suppressOriginalPrompt: true } }]],
  MessageDisplay: [[{ displayContent: "x" }, { fields: { displayContent: "x" } }]],
  SessionStart: [
    [
      { initialUserMessage: "begin", sessionTitle: "t", watchPaths: ["/a"], reloadSkills: true },
      { fields: { initialUserMessage: "begin", sessionTitle: "t", watchPaths: ["/a"], reloadSkills: true } },
    ],
  ],
  PreModelSwitch: [
    [{ permissionDecision: "ask" }, { verdict: "ask" }],
    [{ permissionDecision: "allow" }, { verdict: "allow" }],
  ],
  Elicitation: [
    [{ action: "accept", content: { a: 1 } }, { fields: { action: "accept", content: { a: 1 } } }],
    [{ action: "decline" }, { fields: { action: "decline" } }],
  ],
  ElicitationResult: [[{ action: "cancel" }, { fields: { action: "cancel" } }]],
  WorktreeCreate: [[{ worktreePath: "/w" }, { fields: { worktreePath: "/w" } }]],
  CwdChanged: [[{ watchPaths: ["/a", "/b"] }, { fields: { watchPaths: ["/a", "/b"] } }]],
  FileChanged: [[{ watchPaths: ["/a"] }, { fields: { watchPaths: ["/a"] } }]],
};
