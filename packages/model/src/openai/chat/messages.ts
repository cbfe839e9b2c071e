// Translates a conversation to Chat Completions messages. Pure.

import {
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  type ContentBlock,
  type JsonObject,
  type ModelMessage,
  type TextBlock,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "@keelson/protocol";
import { fitIds, type IdRule } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { blocksToSend } from "../../fit/reminders.ts";
import { openThinking } from "../../thinking-envelope.ts";
import { isSameFamily } from "../shared/flavour.ts";
import type { ReasoningSpan } from "../shared/habits.ts";
import { memoized, type Memo } from "../shared/memo.ts";
import { CONTINUE } from "../shared/request-parts.ts";
import { chatContent, partsOf, textPart, type ChatPart, type ContentOptions, type Loss } from "./content.ts";
import { mergedDetails } from "./details.ts";

export const CHAT_API = "openai-chat";

export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string | readonly ChatPart[] | null;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
  readonly reasoning_details?: readonly JsonObject[];
  readonly [field: string]: unknown;
}

interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface MessageOptions extends ContentOptions {
  readonly model: string;
  readonly names: FittedNames;
  readonly ids: IdRule;
  readonly systemRole: "system" | "developer";
  /** The field in which the server wants thinking back. */
  readonly reasoningField?: string;
  /** For how long it wants the field. */
  readonly reasoningSpan: ReasoningSpan;
  /** It wants the field with every call, even if the thinking was lost or another model's. */
  readonly alwaysReasoning?: boolean;
  /** Send back `reasoning_details`. */
  readonly details: boolean;
  /** A word of the assistant goes between a result and what the user says next. */
  readonly bridgesResults?: boolean;
  /** Instructions are part of the first prompt. */
  readonly noSystem?: boolean;
}

export function toChatMessages(
  system: readonly TextBlock[],
  messages: readonly ModelMessage[],
  options: MessageOptions,
): ChatMessage[] {
  const out: ChatMessage[] = [];
  const instructions = partsOf(system, options);
  const { noSystem, systemRole } = options;
  if (instructions.length > 0) out.push({ role: noSystem ? "user" : systemRole, content: chatContent(instructions) });

  const key = keyOf(options);
  let calling: ModelMessage | undefined;
  for (const message of messages) {
    const said = memoized(translated, message, calling, key, () => translate(message, calling, options));
    if (!said) continue;
    for (const loss of said.losses) options.lose(loss);
    out.push(...said.messages);
    if (said.parts.length > 0) addUser(out, said.parts, options);
    calling = message.role === "assistant" ? message : undefined;
  }
  out.push(...answers(callsOf(calling, options), [], options).messages);
  if (out.at(-1)?.role === "assistant") addUser(out, [textPart(CONTINUE)], options);
  return withoutOldReasoning(out, options);
}

const BRIDGE = "Understood.";

/** What a message becomes, after the one whose calls it answers. */
interface Translated {
  readonly messages: readonly ChatMessage[];
  /** For the user's next message. */
  readonly parts: readonly ChatPart[];
  readonly losses: readonly Loss[];
}

const translated: Memo<Translated | undefined> = new WeakMap();

/** Everything that a translation depends on. Names are fitted by one rule. */
function keyOf({
  model,
  ids,
  reasoningField,
  alwaysReasoning,
  details,
  images,
  documents,
  noLinks,
  cacheMarks,
}: MessageOptions) {
  const flags = [alwaysReasoning, details, images, documents, noLinks, cacheMarks].map(Boolean);
  return [model, ids.accepts.source, reasoningField, ...flags].join("\n");
}

function translate(
  original: ModelMessage,
  calling: ModelMessage | undefined,
  given: MessageOptions,
): Translated | undefined {
  const losses: Loss[] = [];
  const options = { ...given, lose: (loss: Loss) => void losses.push(loss) };
  const [message] = fitIds([original], options.ids);
  const blocks = blocksToSend(message!);
  const open = callsOf(calling, options);
  if (original.role === "assistant") {
    const said = assistantMessage(blocks, options);
    return said && { messages: [...answers(open, [], options).messages, said], parts: [], losses };
  }
  const { messages, parts: moved } = answers(open, blocks.filter(isToolResult), options);
  const rest = blocks.filter((block) => !isToolResult(block));
  return { messages, parts: [...moved, ...partsOf(rest, options)], losses };
}

function callsOf(message: ModelMessage | undefined, { ids }: MessageOptions): readonly ToolUseBlock[] {
  return message ? blocksOf(fitIds([message], ids)[0]!.content).filter(isToolUse) : [];
}

/** Templates of many models want the roles to alternate. */
function addUser(out: ChatMessage[], parts: readonly ChatPart[], { bridgesResults }: MessageOptions): void {
  if (bridgesResults && out.at(-1)?.role === "tool") out.push({ role: "assistant", content: BRIDGE });
  const last = out.at(-1);
  if (last?.role !== "user") return void out.push({ role: "user", content: chatContent(parts) });
  const before = typeof last.content === "string" ? [textPart(last.content)] : (last.content ?? []);
  out[out.length - 1] = { role: "user", content: chatContent([...before, ...parts]) };
}

function assistantMessage(blocks: readonly ContentBlock[], options: MessageOptions): ChatMessage | undefined {
  const texts = blocks.filter(isText).filter((block) => !isBlank(block));
  const calls = blocks.filter(isToolUse).map((call) => chatCall(call, options));
  if (texts.length === 0 && calls.length === 0) return undefined;
  return {
    role: "assistant",
    content: texts.length === 0 ? null : texts.map(({ text }) => text.toWellFormed()).join("\n\n"),
    ...thinkingFields(blocks, options),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function chatCall({ id, name, input }: ToolUseBlock, { names }: MessageOptions): ChatCall {
  return { id, type: "function", function: { name: names.out(name), arguments: JSON.stringify(input ?? {}) } };
}

/** Only what this server gave for this model goes back. */
function thinkingFields(blocks: readonly ContentBlock[], options: MessageOptions): JsonObject {
  const { model, reasoningField, alwaysReasoning, details } = options;
  if (reasoningField === undefined && !details) return {};
  const own = blocks
    .filter((block): block is ThinkingBlock => block.type === "thinking")
    .flatMap((block) => {
      const state = openThinking(block.signature ?? "");
      return state?.api === CHAT_API && isSameFamily(state.model, model) ? [{ text: block.thinking, state }] : [];
    });
  if (details) {
    const all = mergedDetails(own.flatMap(({ state }) => (Array.isArray(state["details"]) ? state["details"] : [])));
    return all.length > 0 ? { reasoning_details: all } : {};
  }
  const text = own.map(({ text }) => text).join("");
  const isMissed = alwaysReasoning && blocks.some(isToolUse);
  return text === "" && !isMissed ? {} : { [reasoningField!]: text };
}

/** Leaves out the thinking that the server no longer wants. */
function withoutOldReasoning(messages: ChatMessage[], options: MessageOptions): ChatMessage[] {
  const { reasoningField, reasoningSpan } = options;
  if (reasoningField === undefined) return messages;
  const prompt = messages.findLastIndex(({ role }) => role === "user");
  let isWanted = false;
  return messages.map((message, at) => {
    if (message.role === "user") isWanted = at === prompt || (reasoningSpan === "session" && callsFollow(messages, at));
    if (isWanted || message[reasoningField] === undefined) return message;
    const { [reasoningField]: _, ...rest } = message;
    return rest as ChatMessage;
  });
}

/** Whether the model made calls before the next prompt. */
function callsFollow(messages: readonly ChatMessage[], prompt: number): boolean {
  for (let at = prompt + 1; messages[at] && messages[at]!.role !== "user"; at++)
    if (messages[at]!.tool_calls) return true;
  return false;
}

const NO_RESULT = "The call has no result.";

/** One message per call, in the order of the calls, and the pictures and files that must follow them. */
function answers(
  calls: readonly ToolUseBlock[],
  results: readonly ToolResultBlock[],
  options: MessageOptions,
): { readonly messages: ChatMessage[]; readonly parts: ChatPart[] } {
  const moved: ChatPart[] = [];
  const messages = calls.map(({ id, name }): ChatMessage => {
    const result = results.find(({ tool_use_id }) => tool_use_id === id);
    const texts: string[] = [];
    for (const part of partsOf(blocksOf(result?.content ?? NO_RESULT), { ...options, cacheMarks: false })) {
      if (part.type === "text") texts.push(part.text);
      else {
        const what = `${part.type === "file" ? "File" : "Picture"} ${moved.length / 2 + 1}`;
        texts.push(`[${what}: see below]`);
        moved.push(textPart(`${what}, from the result of ${options.names.out(name)}:`), part);
      }
    }
    const text = texts.join("\n\n") || "(no output)";
    const said = result?.is_error ? `Error: ${text}` : text;
    const mark = options.cacheMarks ? result?.cache_control : undefined;
    return { role: "tool", tool_call_id: id, content: chatContent([textPart(said, mark)]) };
  });
  return { messages, parts: moved };
}
