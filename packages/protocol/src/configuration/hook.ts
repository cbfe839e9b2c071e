// Hooks: the events, the handlers, and the combined result of all handlers of an event.

import type { JsonObject } from "../json.ts";
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
  /** A permission rule; the handler runs only for tool calls that match it. */
  readonly if?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly statusMessage?: string;
  readonly once?: boolean;
}

export interface CommandHook extends AnyHandler {
  readonly type: "command";
  readonly command: string;
  /** Runs the command directly, without a shell. */
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

/** A function in a client, by the id it gave. */
export interface CallbackHook extends AnyHandler {
  readonly type: "callback";
  readonly callbackId: string;
  /** The id of that client in its session. */
  readonly client: string;
  readonly onFailure?: "continue" | "block";
}

export type HookHandler = CommandHook | HttpHook | McpToolHook | PromptHook | AgentHook | CallbackHook;

/** A handler with its event, matcher and source. */
export interface HookRegistration {
  readonly event: HookEvent;
  /** Absent: matches everything. */
  readonly matcher?: string;
  readonly handler: HookHandler;
  /** Equal handlers run once, except that `pluginHook`, `skill` and `agent` keep their own copies. */
  readonly source: RuleSource | "pluginHook" | "skill" | "agent" | "sdk";
  /** Of a skill or agent of an administrator, or of a plugin that managed settings enable. */
  readonly managed?: true;
  /** Absent for inline settings and clients. */
  readonly file?: string;
  /** For plugins and skills: their folder, and the data folder of a plugin. */
  readonly root?: string;
  readonly data?: string;
  /** The id of the plugin. */
  readonly plugin?: string;
  /** The plugin's options, as text. */
  readonly options?: Readonly<Record<string, string>>;
  /** Options whose values are in the secret store. */
  readonly secretOptions?: readonly string[];
}

export type HookVerdict = "deny" | "defer" | "ask" | "allow";

/** The combined result of all matching handlers of an event. */
export interface HookOutcome {
  /** Any kind of block is `deny`. */
  readonly verdict?: HookVerdict;
  /** The reasons for the strictest verdict. */
  readonly reasons: readonly string[];
  /** Text for the model. */
  readonly context: readonly string[];
  /** A rewritten tool input. */
  readonly input?: unknown;
  /** Replaces the output of a tool. */
  readonly output?: unknown;
  /** Set if a hook wants to end the run; may be empty. */
  readonly stop?: string;
  /** The answer to a PermissionRequest. */
  readonly permission?: HookPermission;
  /** Other fields of `hookSpecificOutput` that the event supports; the last handler wins. */
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

/** How a handler ended, before its output is parsed. */
export interface HookRun {
  readonly outcome: "success" | "error" | "cancelled";
  /** Absent without a process, and if the process was killed. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong besides the exit code, such as a timeout. One sentence for the user. */
  readonly problem?: string;
  /**
   * Why it has not decided, though nothing is wrong with it. A handler that may block then does. changed: its program is not what
   * it was. start, end: it could not start, or not finish, for lack of descriptors, processes, memory or disk space. unread: a
   * part of its answer was dropped, or it went on without some.
   */
  readonly prevented?: "changed" | "start" | "end" | "unread";
  readonly durationMs: number;
}

/** Whether this is how a shell reports that a signal ended its program. */
export const reportsSignal = (exitCode: number) => exitCode > 128 && exitCode < 160;
