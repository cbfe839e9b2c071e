// Sample input for every hook event, with realistic fields that the caller can override.

import { isObject, type HookEvent, type JsonObject } from "@keelson/protocol";

export interface SampleRequest {
  readonly event: HookEvent;
  readonly tool?: string;
  /** For tool events, the tool's input. For other events, or if it contains `tool_input`, fields of the event. */
  readonly given?: JsonObject;
  readonly cwd: string;
}

export type Sample = { readonly ok: true; readonly own: JsonObject } | { readonly ok: false; readonly message: string };

/** The fields specific to the event, without the common ones. */
export function sampleEvent({ event, tool, given = {}, cwd }: SampleRequest): Sample {
  const name = tool ?? (typeof given["tool_name"] === "string" ? given["tool_name"] : "Bash");
  const own = FIELDS[event](name, cwd);
  const isAboutTool = "tool_name" in own;
  if (tool !== undefined && !isAboutTool) return { ok: false, message: `${event} is not about a tool; remove --tool` };
  const whole = !isAboutTool || "tool_input" in given || "tool_name" in given;
  const chosen: JsonObject = whole ? given : { tool_input: given };
  const empty = Object.keys(given).length === 0;
  return { ok: true, own: { ...own, ...(empty ? {} : chosen), ...(isAboutTool ? { tool_name: name } : {}) } };
}

const CALL = "toolu_sample";

const inputOf = (tool: string, cwd: string): JsonObject => {
  const file_path = `${cwd}/example.txt`;
  switch (tool) {
    case "Bash":
      return { command: "echo hello", description: "Print hello" };
    case "Edit":
      return { file_path, old_string: "before", new_string: "after" };
    case "Write":
      return { file_path, content: "hello\n" };
    case "Read":
      return { file_path };
    case "Glob":
      return { pattern: "**/*.ts" };
    case "Grep":
      return { pattern: "hello" };
    case "WebFetch":
      return { url: "https://example.com/", prompt: "What is it about?" };
    default:
      return {};
  }
};

const responseOf = (tool: string, cwd: string): JsonObject => {
  const filePath = `${cwd}/example.txt`;
  if (tool === "Bash") return { stdout: "hello", stderr: "", interrupted: false, isImage: false };
  if (tool === "Write")
    return { type: "create", filePath, content: "hello\n", structuredPatch: [], originalFile: null };
  if (tool === "Edit") return { filePath, oldString: "before", newString: "after", replaceAll: false };
  return {};
};

const about = (tool: string, cwd: string) => ({ tool_name: tool, tool_input: inputOf(tool, cwd) });
const task = { task_id: "1", task_subject: "Write the tests", task_description: "Write the tests" };
const switched = {
  from_model: "sonnet",
  to_model: "opus",
  requested_model: "opus",
  source: "user",
  context_tokens: 1000,
  prompt_cache_warm: false,
};

const FIELDS: Readonly<Record<HookEvent, (tool: string, cwd: string) => JsonObject>> = {
  PreToolUse: (tool, cwd) => ({ ...about(tool, cwd), tool_use_id: CALL }),
  PostToolUse: (tool, cwd) => ({
    ...about(tool, cwd),
    tool_response: responseOf(tool, cwd),
    tool_use_id: CALL,
    duration_ms: 12,
  }),
  PostToolUseFailure: (tool, cwd) => ({
    ...about(tool, cwd),
    tool_use_id: CALL,
    error: "Exit code 1",
    is_interrupt: false,
    duration_ms: 12,
  }),
  PostToolBatch: (tool, cwd) => ({
    tool_calls: [{ ...about(tool, cwd), tool_use_id: CALL, tool_response: "hello" }],
  }),
  PermissionRequest: (tool, cwd) => ({ ...about(tool, cwd), permission_suggestions: [] }),
  PermissionDenied: (tool, cwd) => ({ ...about(tool, cwd), tool_use_id: CALL, reason: "The classifier refused it" }),
  Notification: () => ({ message: "A question is waiting", notification_type: "permission_prompt" }),
  UserPromptSubmit: () => ({ prompt: "Say hello" }),
  UserPromptExpansion: () => ({
    expansion_type: "slash_command",
    command_name: "hello",
    command_args: "",
    prompt: "/hello",
  }),
  SessionStart: () => ({ source: "startup" }),
  SessionEnd: () => ({ reason: "other" }),
  Setup: () => ({ trigger: "init" }),
  Stop: () => ({ stop_hook_active: false, last_assistant_message: "Done" }),
  StopFailure: () => ({ error: "unknown", error_details: "HTTP 400" }),
  SubagentStart: () => ({ agent_id: "agent_sample", agent_type: "general-purpose" }),
  SubagentStop: (_, cwd) => ({
    stop_hook_active: false,
    agent_id: "agent_sample",
    agent_type: "general-purpose",
    agent_transcript_path: `${cwd}/agent.jsonl`,
    last_assistant_message: "Done",
  }),
  PreCompact: () => ({ trigger: "manual", custom_instructions: null }),
  PostCompact: () => ({ trigger: "manual", compact_summary: "Nothing has happened yet" }),
  PreModelSwitch: () => switched,
  PostModelSwitch: () => switched,
  TeammateIdle: () => ({ teammate_name: "reviewer", team_name: "team" }),
  TaskCreated: () => task,
  TaskCompleted: () => task,
  Elicitation: () => ({ mcp_server_name: "server", message: "Which one?", mode: "form" }),
  ElicitationResult: () => ({ mcp_server_name: "server", action: "accept", mode: "form", content: {} }),
  ConfigChange: (_, cwd) => ({ source: "project_settings", file_path: `${cwd}/.claude/settings.json` }),
  WorktreeCreate: () => ({ name: "sample" }),
  WorktreeRemove: (_, cwd) => ({ worktree_path: `${cwd}/.claude/worktrees/sample` }),
  InstructionsLoaded: (_, cwd) => ({
    file_path: `${cwd}/CLAUDE.md`,
    memory_type: "Project",
    load_reason: "session_start",
  }),
  CwdChanged: (_, cwd) => ({ old_cwd: cwd, new_cwd: `${cwd}/src` }),
  FileChanged: (_, cwd) => ({ file_path: `${cwd}/example.txt`, event: "change" }),
  DirectoryAdded: (_, cwd) => ({ directory: `${cwd}/../other`, source: "add_dir" }),
  MessageDisplay: () => ({ turn_id: "turn_sample", message_id: "msg_sample", index: 0, final: true, delta: "Hello" }),
};

/** Replaces the folder `from` with `to` in every path inside the value. */
export function rebasePaths<T>(value: T, from: string, to: string): T {
  const path = new RegExp(`${from.replaceAll(/[^\w/]/g, "\\$&")}(?![\\w.-])`, "g");
  const move = (part: unknown): unknown => {
    if (typeof part === "string") return part.replaceAll(path, () => to);
    if (Array.isArray(part)) return part.map(move);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, move(item)]));
  };
  return move(value) as T;
}
