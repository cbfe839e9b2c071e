// Permission questions as a caller answers them: `canUseTool`, its answers, and the updates an answer may carry.

import type { PermissionMode } from "@keelson/protocol";

export type { PermissionMode };

export type PermissionBehavior = "allow" | "deny" | "ask";

/** Where an update goes: a settings file, or this session only. */
export type PermissionUpdateDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

export type PermissionRuleValue = { toolName: string; ruleContent?: string };

export type PermissionUpdate =
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: PermissionRuleValue[];
      behavior: PermissionBehavior;
      destination: PermissionUpdateDestination;
    }
  | { type: "setMode"; mode: PermissionMode; destination: PermissionUpdateDestination }
  | {
      type: "addDirectories" | "removeDirectories";
      directories: string[];
      destination: PermissionUpdateDestination;
    };

export type PermissionDecisionClassification = "user_temporary" | "user_permanent" | "user_reject";

export type PermissionResult =
  | {
      behavior: "allow";
      /** What runs instead; the original when absent. */
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    }
  | {
      behavior: "deny";
      /** Goes to the model. */
      message: string;
      /** Ends the run, too. */
      interrupt?: boolean;
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    };

/**
 * Asked about every call that rules and mode left open. `null` means the answer goes to the program by another way;
 * nothing is sent.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    /** Aborts when the question is withdrawn. */
    signal: AbortSignal;
    /** Updates that would keep this question from coming again. */
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    mcpServer?: { name: string; source: string };
    decisionReason?: string;
    title?: string;
    displayName?: string;
    description?: string;
    defaultToNo?: boolean;
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    agentID?: string;
    requestId: string;
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
  },
) => Promise<PermissionResult | null>;
