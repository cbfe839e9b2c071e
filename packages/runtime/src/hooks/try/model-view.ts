// What comes of an outcome, in words: what happens next, and which texts the model would be shown. Pure.

import type { HookEvent, HookOutcome } from "@keelson/protocol";

export interface ModelView {
  /** One sentence each. */
  readonly effects: readonly string[];
  readonly texts: readonly { readonly as: string; readonly text: string }[];
}

export function modelView(event: HookEvent, outcome: HookOutcome): ModelView {
  const { verdict, reasons, context, input, output, stop, permission, fields } = outcome;
  const reason = reasons.join("\n");
  const blocked = verdict === "deny" ? BLOCKED[event] : undefined;
  const effects = [
    ...(verdict === undefined ? [] : [effectOf(event, verdict)]),
    ...(stop === undefined ? [] : [`The run ends${stop === "" ? "" : `: ${stop}`}`]),
    ...(input === undefined ? [] : [`The call runs with this input instead: ${JSON.stringify(input)}`]),
    ...(output === undefined ? [] : [`The tool is said to have answered: ${JSON.stringify(output)}`]),
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
  /** How the reason reaches the model; absent where it does not. */
  readonly as?: string;
  readonly prefix?: string;
  /** What hooks add goes with what they stopped. */
  readonly silent?: true;
}

const BLOCKED: Readonly<Partial<Record<HookEvent, Blocked>>> = {
  PreToolUse: { effect: "The call is refused", as: "result of the call, an error" },
  PostToolUse: { effect: "The model is told", as: "reminder" },
  PostToolUseFailure: { effect: "The model is told", as: "reminder" },
  PostToolBatch: { effect: "The run ends after this batch" },
  UserPromptSubmit: { effect: "The prompt is not sent to the model; its author reads why", silent: true },
  UserPromptExpansion: { effect: "The command is not expanded; its author reads why", silent: true },
  Stop: { effect: "The model goes on working", as: "new message", prefix: "Stop hook feedback:\n" },
  SubagentStop: { effect: "The subagent goes on working", as: "new message", prefix: "Stop hook feedback:\n" },
  PreCompact: { effect: "The conversation is not compacted" },
  PreModelSwitch: { effect: "The model stays as it is" },
  TeammateIdle: { effect: "The teammate goes on working", as: "new message" },
  TaskCreated: { effect: "The task is not created", as: "result of the call, an error" },
  TaskCompleted: { effect: "The task is not done yet", as: "result of the call, an error" },
  Elicitation: { effect: "The question is declined" },
  ElicitationResult: { effect: "The answer becomes a refusal" },
  ConfigChange: { effect: "The change does not count" },
  WorktreeCreate: { effect: "No worktree is made" },
};

function effectOf(event: HookEvent, verdict: NonNullable<HookOutcome["verdict"]>): string {
  switch (verdict) {
    case "deny":
      return BLOCKED[event]?.effect ?? "It is blocked";
    case "defer":
      return "The call waits until the session is resumed";
    case "ask":
      return "Somebody is asked first; with nobody there it is refused";
    case "allow":
      return "The call runs without a question, unless a rule denies it or asks";
  }
}
