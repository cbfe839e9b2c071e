// Permission requests as a caller answers them: `canUseTool`, its results, and the updates a result may contain.

import type { PermissionMode } from "@keelson/protocol";

export type { PermissionMode };

export type PermissionBehavior = "allow" | "deny" | "ask";

/** Where an update is stored: a settings file, or only this session. */
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
      /** The input to run with; the original if absent. */
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    }
  | {
      behavior: "deny";
      /** Sent to the model. */
      message: string;
      /** Also ends the run. */
      interrupt?: boolean;
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    };

/**
 * Called for every call that rules and mode leave open. `null` means that the answer is sent to the program another
 * way.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    /** Aborts when the question is withdrawn. */
    signal: AbortSignal;
    /** Updates that would prevent this question next time. */
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
