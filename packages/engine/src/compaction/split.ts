// Divides a conversation into what a compaction summarizes and what it keeps word for word: the newest reply and what
// came after it, or everything from a prompt on. Pure.

import { blocksOf, type ChainEntry, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import { Conversation } from "../turn/conversation.ts";

export interface Split {
  readonly head: readonly ModelMessage[];
  readonly kept: readonly ModelMessage[];
}

/** Undefined if there is too little to summarize: the head needs at least one reply. */
export function splitForSummary(messages: readonly ModelMessage[]): Split | undefined {
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const head = messages.slice(0, Math.max(0, newest));
  return hasReply(head) ? { head, kept: messages.slice(newest) } : undefined;
}

export const hasReply = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ role }) => role === "assistant");

/** A conversation divided at one of its prompts. */
export interface PromptSplit {
  readonly head: readonly ModelMessage[];
  readonly kept: Conversation;
  /** Everything that the transcript has of it. */
  readonly keptIds: readonly string[];
}

/** `at` is the first entry to keep. `preface` is what the conversation begins with. */
export async function splitAtPrompt(
  entries: readonly ChainEntry[],
  at: number,
  preface: string | undefined,
): Promise<PromptSplit> {
  const later = entries.slice(at);
  const { messages } = await Conversation.of(entries.slice(0, at), preface);
  return { head: messages, kept: await Conversation.of(later), keptIds: later.map(({ uuid }) => uuid) };
}

/** The messages with one more text for the model at their end. */
export function withRequest(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const block: ContentBlock = { type: "text", text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { role: "user", content: [...blocksOf(last.content), block] }];
}
