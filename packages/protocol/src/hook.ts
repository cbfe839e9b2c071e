// Hooks: the events, how a handler is written down, and what the matching handlers of one event said together.

import type { JsonObject } from "./json.ts";
import type { PermissionUpdate, RuleSource } from "./permission.ts";

export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

interface AnyHandler {
  /** One permission rule; the handler runs for tool calls it matches. */
  readonly if?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly statusMessage?: string;
  readonly once?: boolean;
}

export interface CommandHook extends AnyHandler {
  readonly type: "command";
  readonly command: string;
  /** Exec form: no shell reads any of it. */
  readonly args?: readonly string[];
  readonly shell?: "bash" | "powershell";
  readonly async?: boolean;
  readonly asyncRewake?: boolean;
  readonly onFailure?: "continue" | "block";
}

export interface HttpHook extends AnyHandler {
  readonly type: "http";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly onFailure?: "continue" | "block";
}

export interface McpToolHook extends AnyHandler {
  readonly type: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input?: JsonObject;
}

export interface PromptHook extends AnyHandler {
  readonly type: "prompt";
  readonly prompt: string;
  readonly model?: string;
  readonly continueOnBlock?: boolean;
}

export interface AgentHook extends AnyHandler {
  readonly type: "agent";
  readonly prompt: string;
  readonly model?: string;
}

/** A function of a client, known here by a number it gave. */
export interface CallbackHook extends AnyHandler {
  readonly type: "callback";
  readonly callbackId: string;
  readonly onFailure?: "continue" | "block";
}

export type HookHandler = CommandHook | HttpHook | McpToolHook | PromptHook | AgentHook | CallbackHook;

/** One handler with the event and the matcher it waits for, and where it was written. */
export interface HookRegistration {
  readonly event: HookEvent;
  /** Absent: everything. */
  readonly matcher?: string;
  readonly handler: HookHandler;
  /** `pluginHook`, `skill` and `agent` keep their copies apart; all others are the same handler wherever they stand. */
  readonly source: RuleSource | "pluginHook" | "skill" | "agent" | "sdk";
  /** The file it stands in; absent for inline settings and clients. */
  readonly file?: string;
  /** Of plugins and skills: their folder, and the plugin's place for data. */
  readonly root?: string;
  readonly data?: string;
}

export type HookVerdict = "deny" | "defer" | "ask" | "allow";

/** What the matching handlers of one event said together. Texts are ready to be put before the model. */
export interface HookOutcome {
  /** A block of any kind is `deny`. */
  readonly verdict?: HookVerdict;
  /** Why, of those who gave the strictest verdict. */
  readonly reasons: readonly string[];
  /** Text to put before the model. */
  readonly context: readonly string[];
  /** A rewritten tool input. */
  readonly input?: unknown;
  /** What a tool is said to have answered instead. */
  readonly output?: unknown;
  /** Set when a hook asked to end the run; may be empty. */
  readonly stop?: string;
  /** An answer to PermissionRequest. */
  readonly permission?: HookPermission;
  /** Every other field of `hookSpecificOutput` that the event honours, by its name; of several, the last one's. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export type HookPermission =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: JsonObject;
      readonly updatedPermissions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

export const NOTHING_SAID: HookOutcome = { reasons: [], context: [] };

/** How one handler ended, before anybody reads what it said. */
export interface HookRun {
  readonly outcome: "success" | "error" | "cancelled";
  /** Absent where there is no process, and where it did not end by itself. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong besides an exit code: not started, timed out, refused, too long. One sentence, for people. */
  readonly problem?: string;
  readonly durationMs: number;
}
