// What the offline model reads from a conversation: the last prompt, and the tool results since.

import {
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  type ContentBlock,
  type ModelMessage,
  type ToolResultBlock,
} from "@keelson/protocol";

export interface Result {
  readonly text: string;
  readonly failed: boolean;
}

export interface OfflineConversation {
  readonly prompt: string;
  /** The command or skill whose text the prompt is, as typed: `/init`. */
  readonly command?: string;
  /** The shell command that the user ran, if nothing was asked with it. */
  readonly ran?: string;
  /** Results of the calls made since the prompt, in the order of the calls. */
  readonly results: readonly Result[];
  /** Earlier prompts, oldest first. */
  readonly earlier: readonly string[];
}

export function readConversation(messages: readonly ModelMessage[]): OfflineConversation {
  const prompts = messages.map((message) => (message.role === "user" ? promptIn(message) : ""));
  const at = prompts.findLastIndex((prompt) => prompt !== "");
  const last = prompts[at] ?? "";
  const command = between(last, "<command-name>", "</command-name>")?.trim();
  const asked = withoutAll(last, NOT_ASKED).trim();
  const ran = asked === "" ? between(last, "<bash-input>", "</bash-input>") : undefined;
  const since = messages.slice(at + 1).flatMap(({ content }) => blocksOf(content));
  const answers = new Map(since.filter(isToolResult).map((block) => [block.tool_use_id, block]));
  return {
    prompt: asked,
    ...(command === undefined ? {} : { command }),
    ...(ran === undefined ? {} : { ran }),
    results: since.filter(isToolUse).flatMap(({ id }) => {
      const answer = answers.get(id);
      return answer ? [resultOf(answer)] : [];
    }),
    earlier: prompts.slice(0, Math.max(at, 0)).filter(Boolean),
  };
}

function promptIn({ content }: ModelMessage): string {
  return blocksOf(content)
    .filter(isText)
    .map(({ text }) => withoutReminders(text).trim())
    .filter(Boolean)
    .join("\n");
}

function resultOf({ content, is_error }: ToolResultBlock): Result {
  const text = typeof content === "string" ? content : textOf(content) || describe(content);
  return { text: withoutReminders(text).replace(/\n+$/, ""), failed: is_error === true };
}

function describe(blocks: readonly ContentBlock[]): string {
  return blocks.map(({ type }) => `(${type})`).join(" ");
}

type Marks = readonly [open: string, close: string];

const tag = (name: string): Marks => [`<${name}>`, `</${name}>`];

/** What the program adds to a prompt: how a command was typed, what the user ran, that a run was interrupted. */
const NOT_ASKED: readonly Marks[] = [
  ...["command-message", "command-name", "command-args", "bash-input", "bash-stdout", "bash-stderr"].map(tag),
  ["[Request interrupted by user", "]"],
];

/** The text without reminders added by the program. */
export function withoutReminders(text: string): string {
  return without(text, tag("system-reminder"));
}

function withoutAll(text: string, all: readonly Marks[]): string {
  return all.reduce(without, text);
}

/** In one pass. */
function without(text: string, [opening, closing]: Marks): string {
  let kept = "";
  let at = 0;
  for (let open = text.indexOf(opening); open >= 0; open = text.indexOf(opening, at)) {
    const close = text.indexOf(closing, open);
    kept += text.slice(at, open);
    if (close < 0) return kept;
    at = close + closing.length;
  }
  return kept + text.slice(at);
}

function between(text: string, opening: string, closing: string): string | undefined {
  const open = text.indexOf(opening);
  const close = text.indexOf(closing, open);
  return open < 0 || close < 0 ? undefined : text.slice(open + opening.length, close);
}
