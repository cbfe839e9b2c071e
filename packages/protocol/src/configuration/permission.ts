// Permission types shared by settings files, the wire and the gate.

export const PERMISSION_MODES = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type RuleBehavior = "allow" | "ask" | "deny";

/** Where a rule came from. `command`: a skill or command that was invoked, until the next prompt. */
export type RuleSource =
  | "policySettings"
  | "flagSettings"
  | "cliArg"
  | "localSettings"
  | "projectSettings"
  | "userSettings"
  | "session"
  | "command";

export type RuleValue = {
  readonly toolName: string;
  readonly ruleContent?: string;
};

export type UpdateDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

export type PermissionUpdate =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly RuleValue[];
      readonly behavior: RuleBehavior;
      readonly destination: UpdateDestination;
    }
  | { readonly type: "setMode"; readonly mode: PermissionMode; readonly destination: UpdateDestination }
  | {
      readonly type: "addDirectories" | "removeDirectories";
      readonly directories: readonly string[];
      readonly destination: UpdateDestination;
    };

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** The stricter of two modes: in each, everything needs at least as much leave as in the next. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  const order: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"];
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}

export function isPermissionMode(value: unknown): value is PermissionMode {
  return PERMISSION_MODES.includes(value as PermissionMode);
}
