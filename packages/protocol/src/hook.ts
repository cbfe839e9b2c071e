// Hook event names and what the matching hooks of one event said together.

export type HookEvent =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PermissionRequest"
  | "Stop"
  | "StopFailure"
  | "PreCompact"
  | "PostCompact"
  | "Notification";

export type HookVerdict = "deny" | "defer" | "ask" | "allow";

export interface HookOutcome {
  readonly verdict?: HookVerdict;
  readonly reasons: readonly string[];
  /** Text to put before the model. */
  readonly context: readonly string[];
  /** A rewritten tool input. */
  readonly input?: unknown;
  /** Set when a hook asked to end the run. */
  readonly stop?: string;
}

export const NOTHING_SAID: HookOutcome = { reasons: [], context: [] };
