// Describes a hook outcome: what happens next, and which texts the model would see. Pure.

import type { HookEvent, HookOutcome } from "@keelson/protocol";

export interface ModelView {
  /** One sentence each. */
  readonly effects: readonly string[];
  readonly texts: readonly { readonly as: string; readonly text: string }[];
}

/** The event may be of another version: a trace has what was fired. */
export function modelView(event: string, outcome: HookOutcome): ModelView {
  const { verdict, reasons, context, input, output, stop, permission, fields } = outcome;
  const reason = reasons.join("\n");
  const blocked = verdict === "deny" ? whenBlocked(event) : undefined;
  const effects = [
    ...(verdict === undefined ? [] : [effectOf(event, verdict)]),
    ...(stop === undefined ? [] : [`The run ends${stop === "" ? "" : `: ${stop}`}`]),
    ...(input === undefined ? [] : [`The call runs with this input instead: ${JSON.stringify(input)}`]),
    ...(output === undefined ? [] : [`The tool's output is replaced: ${JSON.stringify(output)}`]),
    ...(permission === undefined ? [] : [`The permission question is answered: ${JSON.stringify(permission)}`]),
    ...Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ];
  const texts = [
    ...(blocked?.as === undefined ? [] : [{ as: blocked.as, text: `${blocked.prefix ?? ""}${reason}` }]),
    ...(blocked?.silent ? [] : context.map((text) => ({ as: "reminder", text }))),
  ];
  return { effects: effects.length > 0 ? effects : ["Nothing changes"], texts };
}

interface Blocked {
  readonly effect: string;
  /** How the reason reaches the model; absent if it does not. */
  readonly as?: string;
  readonly prefix?: string;
  /** Context from hooks is dropped along with what they blocked. */
  readonly silent?: true;
}

const BLOCKED: Readonly<Partial<Record<HookEvent, Blocked>>> = {
  PreToolUse: { effect: "The call is refused", as: "tool result (error)" },
  PostToolUse: { effect: "The model sees the reason", as: "reminder" },
  PostToolUseFailure: { effect: "The model sees the reason", as: "reminder" },
  PostToolBatch: { effect: "The run ends after this batch" },
  UserPromptSubmit: { effect: "The prompt is not sent to the model; the user sees the reason", silent: true },
  UserPromptExpansion: { effect: "The command is not expanded; the user sees the reason", silent: true },
  Stop: { effect: "The model keeps working", as: "new message", prefix: "Stop hook feedback:\n" },
  SubagentStop: { effect: "The subagent keeps working", as: "new message", prefix: "Stop hook feedback:\n" },
  PreCompact: { effect: "The conversation is not compacted" },
  PreModelSwitch: { effect: "The model is not switched" },
  TeammateIdle: { effect: "The teammate keeps working", as: "new message" },
  TaskCreated: { effect: "The task is not created", as: "tool result (error)" },
  TaskCompleted: { effect: "The task is not completed", as: "tool result (error)" },
  Elicitation: { effect: "The question is declined" },
  ElicitationResult: { effect: "The answer is replaced by a decline" },
  ConfigChange: { effect: "The change is not applied" },
  WorktreeCreate: { effect: "No worktree is created" },
};

function whenBlocked(event: string): Blocked | undefined {
  return Object.hasOwn(BLOCKED, event) ? BLOCKED[event as HookEvent] : undefined;
}

function effectOf(event: string, verdict: NonNullable<HookOutcome["verdict"]>): string {
  switch (verdict) {
    case "deny":
      return whenBlocked(event)?.effect ?? "The event is blocked";
    case "defer":
      return "The call waits until the session is resumed";
    case "ask":
      return "The call needs approval; it is refused if no one can approve it";
    case "allow":
      return "The call runs without asking, unless a deny or ask rule matches";
  }
}
