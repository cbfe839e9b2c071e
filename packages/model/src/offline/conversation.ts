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
  /** Results of the calls made since the prompt, in the order of the calls. */
  readonly results: readonly Result[];
  /** Earlier prompts, oldest first. */
  readonly earlier: readonly string[];
}

export function readConversation(messages: readonly ModelMessage[]): OfflineConversation {
  const prompts = messages.map((message) => (message.role === "user" ? promptIn(message) : ""));
  const at = prompts.findLastIndex((prompt) => prompt !== "");
  const since = messages.slice(at + 1).flatMap(({ content }) => blocksOf(content));
  const answers = new Map(since.filter(isToolResult).map((block) => [block.tool_use_id, block]));
  return {
    prompt: prompts[at] ?? "",
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

const OPEN = "<system-reminder>";
const CLOSE = "</system-reminder>";

/** The text without reminders added by the program, in one pass. */
export function withoutReminders(text: string): string {
  let kept = "";
  let at = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
    const close = text.indexOf(CLOSE, open);
    kept += text.slice(at, open);
    if (close < 0) return kept;
    at = close + CLOSE.length;
  }
  return kept + text.slice(at);
}
