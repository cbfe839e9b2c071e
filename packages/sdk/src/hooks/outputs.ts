// Hook output. `hookSpecificOutput` names the event; fields that the event does not support are ignored.

import type { PermissionUpdate } from "../permissions/permissions.ts";

export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

export type PreToolUseHookSpecificOutput = {
  hookEventName: "PreToolUse";
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
  additionalContext?: string;
};

export type PostToolUseHookSpecificOutput = {
  hookEventName: "PostToolUse";
  additionalContext?: string;
  updatedToolOutput?: unknown;
  /** @deprecated `updatedToolOutput` works for all tools. */
  updatedMCPToolOutput?: unknown;
  classifierContext?: string;
};

export type PostToolUseFailureHookSpecificOutput = { hookEventName: "PostToolUseFailure"; additionalContext?: string };
export type PostToolBatchHookSpecificOutput = { hookEventName: "PostToolBatch"; additionalContext?: string };

export type PermissionRequestHookSpecificOutput = {
  hookEventName: "PermissionRequest";
  decision:
    | { behavior: "allow"; updatedInput?: Record<string, unknown>; updatedPermissions?: PermissionUpdate[] }
    | { behavior: "deny"; message?: string; interrupt?: boolean };
};

export type PermissionDeniedHookSpecificOutput = { hookEventName: "PermissionDenied"; retry?: boolean };

export type UserPromptSubmitHookSpecificOutput = {
  hookEventName: "UserPromptSubmit";
  additionalContext?: string;
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};

export type UserPromptExpansionHookSpecificOutput = {
  hookEventName: "UserPromptExpansion";
  additionalContext?: string;
  suppressOriginalPrompt?: boolean;
};

export type SessionStartHookSpecificOutput = {
  hookEventName: "SessionStart";
  additionalContext?: string;
  initialUserMessage?: string;
  sessionTitle?: string;
  watchPaths?: string[];
  reloadSkills?: boolean;
};

export type SetupHookSpecificOutput = { hookEventName: "Setup"; additionalContext?: string };
export type StopHookSpecificOutput = { hookEventName: "Stop"; additionalContext?: string };
export type SubagentStartHookSpecificOutput = { hookEventName: "SubagentStart"; additionalContext?: string };
export type SubagentStopHookSpecificOutput = { hookEventName: "SubagentStop"; additionalContext?: string };
export type NotificationHookSpecificOutput = { hookEventName: "Notification"; additionalContext?: string };

export type PreModelSwitchHookSpecificOutput = {
  hookEventName: "PreModelSwitch";
  permissionDecision?: Exclude<HookPermissionDecision, "defer">;
  permissionDecisionReason?: string;
};
export type PostModelSwitchHookSpecificOutput = { hookEventName: "PostModelSwitch"; additionalContext?: string };

type ElicitationAnswer = { action?: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };
export type ElicitationHookSpecificOutput = ElicitationAnswer & { hookEventName: "Elicitation" };
export type ElicitationResultHookSpecificOutput = ElicitationAnswer & { hookEventName: "ElicitationResult" };

export type CwdChangedHookSpecificOutput = { hookEventName: "CwdChanged"; watchPaths?: string[] };
export type FileChangedHookSpecificOutput = { hookEventName: "FileChanged"; watchPaths?: string[] };
export type WorktreeCreateHookSpecificOutput = { hookEventName: "WorktreeCreate"; worktreePath?: string };
export type MessageDisplayHookSpecificOutput = { hookEventName: "MessageDisplay"; displayContent?: string };

export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | SessionStartHookSpecificOutput
  | SetupHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | NotificationHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | MessageDisplayHookSpecificOutput;

/** The hook continues in the background; the run does not wait for it. */
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };

export type SyncHookJSONOutput = {
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: "approve" | "block";
  systemMessage?: string;
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?: HookSpecificOutput;
};

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
