// Shortens what a model reads to write a summary, until it fits: without old results, pictures and thinking, then as one
// text with gaps. What is left out is named where it was. Pure.

import {
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  jsonOf,
  type ContentBlock,
  type ModelMessage,
} from "@keelson/protocol";
import { lengthOf, mediaTokens } from "./account.ts";
import { CLEARED } from "./cleared-results.ts";

/** Results up to this length stay. */
const SHORT = 1_000;

/** Without thinking, pictures, documents and long results. Every call keeps its answer. */
export function withoutBulk(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message) => {
    const content = blocksOf(message.content).flatMap(slim);
    return { ...message, content: content.length === 0 ? [note("Thinking is left out here.")] : content };
  });
}

function slim(block: ContentBlock): readonly ContentBlock[] {
  if (isThinking(block)) return [];
  if (mediaTokens(block) !== undefined)
    return [note(`${block.type === "image" ? "An image" : "A document"} is left out here.`)];
  if (!isToolResult(block)) return [block];
  const isShort = lengthOf(block) <= SHORT && blocksOf(block.content).every((part) => mediaTokens(part) === undefined);
  return [isShort ? block : { ...block, content: CLEARED }];
}

const isThinking = ({ type }: ContentBlock) => type === "thinking" || type === "redacted_thinking";
const note = (text: string): ContentBlock => ({ type: "text", text: `[${text}]` });

/**
 * The messages as one text of at most so many characters. Long parts lose their middle. If that is not enough, parts
 * between the first one, which usually has the task, and the newest ones are left out.
 */
export function excerptOf(messages: readonly ModelMessage[], most: number): string {
  const parts = messages.flatMap(({ role, content }) => blocksOf(content).flatMap((block) => spelled(block, role)));
  const all = parts.join("\n\n");
  if (all.length <= most) return all;
  const each = Math.max(Math.floor(most / 6), LEAST_PART);
  const [first = "", ...rest] = parts.map((part) => withGap(part, each));
  const newest: string[] = [];
  let room = most - first.length - GAP_LENGTH;
  while (rest.length > 0 && (room -= rest.at(-1)!.length + 2) >= 0) newest.unshift(rest.pop()!);
  const gap =
    rest.length === 0
      ? []
      : [`[… ${rest.length} older parts of the conversation are left out here: it was too long …]`];
  return withGap([first, ...gap, ...newest].join("\n\n"), most);
}

const LEAST_PART = 200;
const GAP_LENGTH = 100;

function spelled(block: ContentBlock, role: ModelMessage["role"]): readonly string[] {
  if (isThinking(block)) return [];
  if (isText(block)) return [`${role === "user" ? "User" : "Assistant"}: ${block.text}`];
  if (isToolUse(block)) return [`Assistant calls ${block.name}: ${JSON.stringify(block.input)}`];
  if (isToolResult(block)) return [`Result: ${blocksOf(block.content).map(shown).join("\n")}`];
  return [`${role === "user" ? "User" : "Assistant"}: ${shown(block)}`];
}

function shown(block: ContentBlock): string {
  if (isText(block)) return block.text;
  return mediaTokens(block) === undefined ? jsonOf(block) : `[${block.type}]`;
}

/** The beginning and the end of a text, with a note between them. */
export function withGap(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = `\n[… ${text.length - most} characters are left out here: the text was too long …]\n`;
  const room = Math.max(0, most - mark.length);
  const head = Math.ceil(room * 0.6);
  const tail = room - head;
  return (text.slice(0, head) + mark + (tail === 0 ? "" : text.slice(-tail))).toWellFormed();
}
