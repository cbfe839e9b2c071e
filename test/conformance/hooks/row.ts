// One row of the hooks table: what is registered, what the model says, what must be noticed. Data; `drive.ts` runs it.

import type { HookEvent, JsonObject } from "@keelson/protocol";
import type { ScriptedCall, Failure, ScriptedReply } from "@keelson/testkit";
import { PROMPT } from "../kinds.ts";

export interface Row {
  readonly name: string;
  /** What the row is about. */
  readonly event: HookEvent;
  readonly hooks: Hooks;
  /** The user's other settings; absent: `touch` is allowed. */
  readonly settings?: object;
  /** Files of the project, there from the start. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the model of the agent says, request by request; absent: one call and an end. */
  readonly says?: readonly (ScriptedReply | Failure)[];
  /** What the model says to everyone else who asks it: hooks, the classifier. */
  readonly aside?: readonly ScriptedReply[];
  /** How a person at the other end answers `can_use_tool`. Absent: no one is there. */
  readonly person?: JsonObject | "silent";
  /** How a server answers http hooks at `<server>`. Absent: there is none. */
  readonly server?: Answer;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of all that can be observed, what counts here. */
  readonly noticed: { readonly [K in keyof Observed]?: unknown };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Never answers. */
  readonly silent?: true;
}

/** What an outside observer can see. Ids and paths are replaced by `<session>`, `<project>` and the like. */
export interface Observed {
  /** What the agent's model read anew with each request: texts, and results as `result: …` or `error: …`. */
  readonly heard: readonly (readonly string[])[];
  /** What hooks were told, in the order they wrote it down, keys in the order they came. */
  readonly told: readonly JsonObject[];
  /** The same, without everything but the keys. */
  readonly keys: readonly string[];
  /** Requests to the model that were not the agent's: system, messages, tools, schema. */
  readonly asides: readonly unknown[];
  /** What http hooks sent, with those headers that are not every client's. */
  readonly posted: readonly unknown[];
  /** Files the session left in the project. */
  readonly files: Readonly<Record<string, string>>;
  /** What people are told on the stream: `level: text`, or `notification: key`. */
  readonly notices: readonly string[];
  /** Calls that were denied without anyone being asked, with the kind of reason. */
  readonly denied: readonly string[];
  /** Questions to the person. */
  readonly asked: readonly unknown[];
  /** Hooks at work, as the stream shows them. */
  readonly hookLines: readonly unknown[];
  readonly result: {
    readonly text: string;
    readonly ends: string;
    readonly stop: string | null;
    readonly denials: readonly string[];
    readonly deferred?: unknown;
  };
  readonly stderr: string;
  readonly code: number | null;
}

/** In the order they are written into the settings, one group each. */
export type Hooks = Readonly<Partial<Record<HookEvent, readonly Hook[]>>>;

/** A script of the project, which first writes down what it was told; or any other handler as settings have it. */
export type Hook = { readonly matcher?: string; readonly user?: true } & (
  | { readonly script: string; readonly called?: string; readonly [field: string]: unknown }
  | { readonly type: string; readonly [field: string]: unknown }
);

export const script = (body: string, fields: Readonly<Record<string, unknown>> = {}): Hook => ({
  ...fields,
  script: body,
});
/** Prints JSON, or anything else as it is. */
export const prints = (said: unknown, fields: Readonly<Record<string, unknown>> & { exit?: number } = {}): Hook => {
  const { exit = 0, ...rest } = fields;
  const text = typeof said === "string" ? said : JSON.stringify(said);
  return script(`cat <<'END'\n${text}\nEND\nexit ${exit}`, rest);
};
/** `hookSpecificOutput` of an event. */
export const says = (
  event: HookEvent,
  output: object,
  fields: Readonly<Record<string, unknown>> & { exit?: number } = {},
): Hook => prints({ hookSpecificOutput: { hookEventName: event, ...output } }, fields);
export const exits = (code: number, stderr: string, fields: Readonly<Record<string, unknown>> = {}): Hook =>
  script(`echo '${stderr}' >&2\nexit ${code}`, fields);
/** Only writes down what it was told. */
export const listens: Hook = script("exit 0");

/** How the driver names the n-th script of an event in the settings, and so in every text. */
export const nameOf = (event: HookEvent, at = 1) => `.claude/hooks/${event}-${at}`;

export { PROMPT };
export const bash = (command: string, more: object = {}): ScriptedCall => ({
  name: "Bash",
  input: { command, ...more },
});
export const TOUCH = bash("touch ran");
export const DONE: ScriptedReply = { text: "done" };
/** What the driver's model says where a row does not care. */
export const ONE_CALL: readonly ScriptedReply[] = [{ calls: [TOUCH] }, DONE];
/** What the model reads of a `touch` that went well. */
export const TOUCHED = "result: (Bash completed with no output)";
export const RAN = { ran: "" };

export const reminder = (...lines: readonly string[]) => `<system-reminder>\n${lines.join("\n")}\n</system-reminder>`;
/** What is said to a call is behind its result, and names it: here `TOUCH`, or what failed after it. */
export const withReminder = (result: string, ...lines: readonly string[]) => [
  result,
  reminder(`About your call Bash(touch ran${result.startsWith("error") ? " && exit 3" : ""}):`, ...lines),
];

/** The fields every event begins with once there was a prompt, and those only some have. */
export const base = (event: HookEvent, ...carries: readonly ("permission_mode" | "effort")[]): JsonObject => ({
  session_id: "<session>",
  transcript_path: "<transcript>",
  cwd: "<project>",
  prompt_id: "<uuid>",
  ...(carries.includes("permission_mode") ? { permission_mode: "default" } : {}),
  ...(carries.includes("effort") ? { effort: { level: "medium" } } : {}),
  hook_event_name: event,
});
/** The same before the first prompt. */
export const early = (event: HookEvent): JsonObject => {
  const { prompt_id: _, ...rest } = base(event);
  return rest;
};

/** Rows of one event that have something in common. */
export const rowsOf =
  (event: HookEvent, common: Partial<Row> = {}) =>
  (name: string, hook: Hook, noticed: Row["noticed"], more: Partial<Row> = {}): Row => ({
    name,
    event,
    hooks: { [event]: [hook] },
    noticed,
    ...common,
    ...more,
  });

/** A run that came to its ordinary end. */
export const answered = { text: "done", ends: "completed", stop: "end_turn", denials: [] };
/** What the model reads with the prompt, and that it answered. */
export const reads = (...texts: readonly unknown[]) => ({ heard: [[...texts, PROMPT]], result: answered });
