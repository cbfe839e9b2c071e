// Turns a conversation into Converse messages: roles alternate, every call is answered in the message after it, results
// come first and in call order, no text is blank.

import {
  asReminder,
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  readField,
  type CacheControl,
  type ContentBlock,
  type ModelMessage,
  type ThinkingBlock,
  type ToolResultBlock,
} from "@keelson/protocol";
import { CONVERSE_IDS, fitId } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { openThinking } from "../../thinking-envelope.ts";
import { bedrockFamily } from "../model-id.ts";
import { isMediaBlock, type ConverseMedia } from "./media.ts";
import type { CachePoint, ConverseBlock, ConverseMessage, MediaBlock, ReasoningContent, TextMember } from "./wire.ts";

/** The name that thinking of this API has in its envelope. */
export const CONVERSE_API = "converse";

export interface MessageContext {
  readonly model: string;
  readonly names: FittedNames;
  readonly media: ConverseMedia;
  /** The mark for a block with `cache_control`; undefined if the model has no cache. */
  cachePoint(mark: CacheControl): CachePoint | undefined;
}

/** Few models continue from a message of the assistant. */
const CONTINUE = "Continue.";
const LOST_BEGINNING = "The beginning of this conversation was lost.";
const NO_RESULT = "The call was interrupted before it returned a result. It may or may not have taken effect.";

export function converseMessages(messages: readonly ModelMessage[], context: MessageContext): ConverseMessage[] {
  const sent: ConverseMessage[] = [];
  let calls: readonly string[] = [];
  for (const { role, blocks } of turnsOf(messages, context.model)) {
    if (role === "user") {
      sent.push({ role, content: withText(userContent(blocks, calls, context)) });
      calls = [];
      continue;
    }
    if (sent.length === 0) sent.push({ role: "user", content: [{ text: LOST_BEGINNING }] });
    sent.push({ role, content: blocks.flatMap((block) => assistantContent(block, context)) });
    calls = blocks.filter(isToolUse).map(({ id }) => id);
  }
  if (calls.length > 0) sent.push({ role: "user", content: userContent([], calls, context) });
  if (sent.at(-1)?.role !== "user") sent.push({ role: "user", content: [{ text: CONTINUE }] });
  return sent;
}

interface Turn {
  readonly role: ModelMessage["role"];
  readonly blocks: readonly ContentBlock[];
}

/** Messages without what cannot be sent; neighbours of the same role are one turn. */
function turnsOf(messages: readonly ModelMessage[], model: string): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = readable(message).filter((block) => isUsable(block, role, model));
    // Reasoning alone is no message.
    if (blocks.every(isThinking)) continue;
    const last = turns.at(-1);
    if (last?.role === role) turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks });
  }
  return turns;
}

/** A system message amid the conversation becomes a reminder. */
function readable(message: ModelMessage): readonly ContentBlock[] {
  const blocks = blocksOf(message.content);
  if ((message.role as string) !== "system") return blocks;
  const text = blocks.filter(isText).map((block) => block.text);
  return [{ type: "text", text: asReminder(text.join("\n")) }];
}

function isUsable(block: ContentBlock, role: Turn["role"], model: string): boolean {
  if (isText(block)) return !isBlank(block);
  if (role === "user") return isToolResult(block) || isMediaBlock(block);
  return isToolUse(block) || (isThinking(block) && reasoningOf(block, model) !== undefined);
}

const isThinking = (block: ContentBlock): block is ThinkingBlock => block.type === "thinking";

/** What goes back of a thinking block: only what this API and this family of models gave, and can verify. */
function reasoningOf({ thinking, signature }: ThinkingBlock, model: string): ReasoningContent | undefined {
  const state = openThinking(signature);
  if (state?.api !== CONVERSE_API || bedrockFamily(state.model) !== bedrockFamily(model)) return undefined;
  if (typeof state["redacted"] === "string") return { redactedContent: state["redacted"] };
  if (typeof state["signature"] !== "string") return undefined;
  return { reasoningText: { text: thinking, signature: state["signature"] } };
}

function assistantContent(block: ContentBlock, context: MessageContext): readonly ConverseBlock[] {
  if (isToolUse(block)) {
    const toolUse = {
      toolUseId: fitId(block.id, CONVERSE_IDS),
      name: context.names.out(block.name),
      input: block.input,
    };
    return withCachePoint({ toolUse }, block, context);
  }
  if (isThinking(block)) return [{ reasoningContent: reasoningOf(block, context.model)! }];
  return withCachePoint({ text: (block as { readonly text: string }).text }, block, context);
}

/** The results of the calls before, in their order, then the rest. */
function userContent(
  blocks: readonly ContentBlock[],
  calls: readonly string[],
  context: MessageContext,
): readonly ConverseBlock[] {
  const open = new Map<string, ToolResultBlock>();
  const rest: ContentBlock[] = [];
  for (const block of blocks) {
    if (isToolResult(block) && calls.includes(block.tool_use_id) && !open.has(block.tool_use_id))
      open.set(block.tool_use_id, block);
    else rest.push(block);
  }
  return [
    ...calls.flatMap((id) => answer(id, open.get(id), context)),
    ...rest.flatMap((block): readonly ConverseBlock[] => {
      if (isToolResult(block)) return strayResult(block, context);
      return withCachePoint(isText(block) ? { text: block.text } : context.media.translate(block), block, context);
    }),
  ];
}

function answer(id: string, result: ToolResultBlock | undefined, context: MessageContext): readonly ConverseBlock[] {
  const content = result ? resultContent(result, context) : [{ text: NO_RESULT }];
  const status = result && result.is_error !== true ? "success" : "error";
  const toolResult = { toolUseId: fitId(id, CONVERSE_IDS), status, content } as const;
  return result ? withCachePoint({ toolResult }, result, context) : [{ toolResult }];
}

/** A result without a call: its text is worth keeping. */
function strayResult(result: ToolResultBlock, context: MessageContext): readonly ConverseBlock[] {
  return [{ text: "The result of an earlier call:" }, ...resultContent(result, context)];
}

function resultContent({ content }: ToolResultBlock, { media }: MessageContext): readonly (TextMember | MediaBlock)[] {
  const parts = blocksOf(content).flatMap((block): readonly (TextMember | MediaBlock)[] => {
    if (isText(block)) return isBlank(block) ? [] : [{ text: block.text }];
    if (block.type === "tool_reference")
      return [{ text: `The tool "${String(readField(block, "tool_name"))}" can be called now.` }];
    return isMediaBlock(block) ? [media.translate(block)] : [];
  });
  return parts.length > 0 ? parts : [{ text: "(no output)" }];
}

function withCachePoint(
  made: ConverseBlock,
  block: ContentBlock,
  { cachePoint }: MessageContext,
): readonly ConverseBlock[] {
  const mark = (block as { readonly cache_control?: CacheControl }).cache_control;
  const point = mark && cachePoint(mark);
  return point ? [made, point] : [made];
}

/** The service wants a text beside a document. */
function withText(content: readonly ConverseBlock[]): readonly ConverseBlock[] {
  const hasDocument = content.some((block) => "document" in block);
  return hasDocument && !content.some((block) => "text" in block)
    ? [{ text: "See the document." }, ...content]
    : content;
}
