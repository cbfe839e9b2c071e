// One row of the protocol table: how a client starts the program, what it says, what must be noticed. All of it but `see`
// is data, so that the same row can be played by any client, in any runtime.

import type { JsonObject } from "@keelson/protocol";
import type { Failure, ScriptedReply } from "@keelson/testkit";

export interface Scenario extends Run {
  readonly name: string;
  /** Where it cannot be played elsewhere: lines no SDK writes, objects no pipe has. */
  readonly only?: "pipe" | "sdk";
  /** Files of the project, there from the start. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The user's settings. */
  readonly settings?: object;
  /** What the model says, request by request, over all runs. `hold` names a gate that a step opens. */
  readonly says?: readonly Said[];
  /** Further programs started in the same place. `<uuid of assistant 1>` is what the first said of itself. */
  readonly then?: readonly Run[];
  readonly cases: readonly Case[];
}

export interface Run {
  readonly options?: Start;
  readonly env?: Readonly<Record<string, string>>;
  readonly answers?: Answers;
  readonly steps: readonly Step[];
}

export type Said = (Omit<ScriptedReply, "hold"> & { readonly hold?: string }) | Failure;

export interface Case {
  readonly name: string;
  readonly only?: "pipe" | "sdk";
  /** Of all that can be noticed, what counts here. */
  readonly see: (seen: Seen) => unknown;
  readonly is: unknown;
  /** The request whose answer this is about: an SDK shows answers in its own way. */
  readonly about?: Request;
}

export type Request = { readonly subtype: string } & Readonly<Record<string, unknown>>;

/** How to start, in the words of an SDK's options. */
export interface Start {
  readonly agents?: object;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly additionalDirectories?: readonly string[];
  readonly continue?: boolean;
  readonly enableFileCheckpointing?: boolean;
  readonly fallbackModel?: string;
  readonly forkSession?: boolean;
  readonly includeHookEvents?: boolean;
  readonly includePartialMessages?: boolean;
  readonly maxBudgetUsd?: number;
  readonly maxTurns?: number;
  readonly model?: string;
  readonly outputFormat?: { readonly type: "json_schema"; readonly schema: object };
  readonly permissionMode?: string;
  readonly persistSession?: boolean;
  readonly resume?: string;
  readonly resumeSessionAt?: string;
  readonly sessionId?: string;
  readonly settings?: object;
  readonly systemPrompt?: string | readonly string[] | object;
  readonly title?: string;
  readonly tools?: readonly string[];
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Flags as they are, without the dashes. */
  readonly extraArgs?: Readonly<Record<string, string | null>>;
}

/** How the client answers what the program asks of it. Each list is used up from the front; then nothing is answered. */
export interface Answers {
  readonly canUseTool?: readonly Answer[];
  readonly hooks?: Readonly<Record<string, readonly Hook[]>>;
  /** Servers of the client and their tools. */
  readonly servers?: Readonly<Record<string, Server>>;
}

/** The answer as it is; an error with this text; or none. */
export type Answer = JsonObject | { readonly throws: string } | "silent";

/** The text of an error that is the answer. */
export const errorIn = (answer: Answer): string | undefined =>
  typeof answer === "object" && answer !== null && "throws" in answer ? String(answer["throws"]) : undefined;

export interface Hook {
  readonly matcher?: string;
  readonly timeout?: number;
  readonly onFailure?: "continue" | "block";
  /** Once used up, the last is given again. */
  readonly outputs: readonly Answer[];
}

export interface Server {
  readonly instructions?: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
    readonly gives: Answer;
  }[];
}

export type Step =
  /** A prompt. */
  | { readonly say: string | readonly object[]; readonly more?: object }
  /** A control request. Without `unheard` the next step waits for the answer. */
  | { readonly ask: Request; readonly as: string; readonly unheard?: true }
  /** Waits for a message like this one, after the last that was waited for. */
  | { readonly until: object }
  /** Waits until the program has asked this many things of the client. */
  | { readonly untilAsked: number }
  /** Waits for the n-th request to the model. */
  | { readonly untilModel: number }
  /** Opens a gate of the model. */
  | { readonly release: string }
  /** A line as it is. Only a pipe can. */
  | { readonly line: string | object }
  /** The end of the input. */
  | { readonly end: true }
  | { readonly signal: NodeJS.Signals }
  /** Hangs up, as an SDK can. */
  | { readonly close: true };

/** What a client, or someone who watches it, can tell. Paths are shown as `<project>` and `<root>`. */
export interface RunSeen {
  /** What an application is shown, in order. */
  readonly messages: readonly any[];
  /** The same with answers (`reply <name>`) and questions (`ask <subtype>`) among them, by kind. */
  readonly order: readonly string[];
  /** Answers by the name the step gave them. */
  readonly replies: Readonly<Record<string, any>>;
  /** What the program asked of the client. */
  readonly asked: readonly any[];
  /** Which tools of the client were called: `server.tool`, and what with. */
  readonly called: readonly (readonly [tool: string, input: unknown])[];
  readonly end: End;
}

export interface End {
  /** Exit code; an SDK shows only what was wrong. */
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly stderr?: string;
  /** What an SDK throws. */
  readonly error?: { readonly name: string; readonly errorClass?: string; readonly message: string };
}

/** The last run, with what the model heard and what is left in the project. */
export interface Seen extends RunSeen {
  readonly runs: readonly RunSeen[];
  /** Bodies of the requests to the model. */
  readonly requests: readonly any[];
  readonly files: Readonly<Record<string, string>>;
  readonly transcripts: readonly string[];
  /** What it has, where there is one only. */
  readonly entries: readonly any[];
  /** What the session left in the user's folder. */
  readonly config: readonly string[];
}

export const bash = (command: string, more: object = {}) => ({
  name: "Bash",
  input: { command, description: "x", ...more },
});
export const write = (path: string, content: string) => ({
  name: "Write",
  input: { file_path: `<project>/${path}`, content },
});
export const read = (path: string) => ({ name: "Read", input: { file_path: `<project>/${path}` } });

export const RESULT = { until: { type: "result" } } as const;
/** A prompt, and its result. */
export const turn = (say: string, more: object = {}): readonly Step[] => [{ say, more }, RESULT];

/** `type`, or `system/subtype`. */
export const kindOf = ({ type, subtype }: any): string => (type === "system" ? `system/${subtype}` : type);
export const kinds = ({ messages }: Pick<RunSeen, "messages">) => messages.map(kindOf);
export const ofKind = ({ messages }: Pick<RunSeen, "messages">, kind: string): readonly any[] =>
  messages.filter((message) => kindOf(message) === kind);
export const results = (seen: Pick<RunSeen, "messages">) => ofKind(seen, "result");
export const result = (seen: Pick<RunSeen, "messages">) => results(seen)[0];
export const init = (seen: Pick<RunSeen, "messages">) => ofKind(seen, "system/init")[0];

/** What the model was told last in a request, without what it is told about its surroundings. */
export function heard(seen: Pick<Seen, "requests">, number: number): readonly any[] {
  const { content } = seen.requests[number - 1].messages.at(-1);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.filter(
    ({ text }: any) =>
      !/^<system-reminder>\n(?:As you answer|The following skills|The Agent tool can)/.test(text ?? ""),
  );
}

/** What the model heard about its calls: `error: …` or the text. */
export const toldOf = (seen: Pick<Seen, "requests">, number: number): readonly string[] =>
  heard(seen, number)
    .filter(({ type }) => type === "tool_result")
    .map(({ content, is_error }) => {
      const text = typeof content === "string" ? content : content.map((block: any) => block.text).join("");
      return is_error ? `error: ${text}` : text;
    });
