// What a built-in command may use. All of it is also open to clients, as control requests or tool calls.

import type { LocalAnswer } from "@keelson/engine";
import type { ControlSubtype, FieldsOf, JsonObject, ListedCommand, NewEntry, ReplyTo } from "@keelson/protocol";
import { splitAttached } from "@keelson/protocol/attached";
import type { ControlTargets } from "../controls/targets.ts";

export interface CommandSession {
  readonly targets: ControlTargets;
  /** The id that the client gave the prompt, if it did. */
  readonly prompt: string | undefined;
  /** Performs a control request as if a client had sent it. Rejects with its error. */
  request<Subtype extends ControlSubtype>(subtype: Subtype, fields?: FieldsOf<Subtype>): Promise<ReplyTo<Subtype>>;
  /** Calls a tool as the model would: hooks, gate and limits apply. Rejects with its error. */
  call(tool: string, input: JsonObject): Promise<void>;
  /** Compacts the conversation. Returns what is to be recorded of it. Rejects with an error for the user. */
  compact(instructions: string | undefined): Promise<readonly NewEntry[]>;
  /** All commands of the session, built in or not. */
  commands(): readonly ListedCommand[];
}

/** Returns what the user reads. Throws an error for the user. */
export type RunCommand = (args: string, session: CommandSession) => string | Promise<string | LocalAnswer>;

/** Throws if a command that takes no arguments got some. Editors attach texts and files to any prompt; those do not count. */
export function expectNoArguments(name: string, args: string): void {
  const typed = splitAttached(args).map((part) => (typeof part === "string" ? part.replace(MENTION, "") : ""));
  if (typed.join("").trim() !== "") throw new Error(`/${name} takes no arguments, but got "${args}"`);
}

const MENTION = /(?<!\S)@(?:"[^"]*"\S*|\S+)/g;

/** `a, b or c: none` as a list of Markdown points. */
export function points(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
