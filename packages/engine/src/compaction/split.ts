// Divides a conversation into what a compaction summarizes and what it keeps word for word: the newest reply and what
// came after it. Pure.

import { blocksOf, type ContentBlock, type ModelMessage } from "@keelson/protocol";

export interface Split {
  readonly head: readonly ModelMessage[];
  readonly kept: readonly ModelMessage[];
}

/** Undefined if there is too little to summarize: the head needs at least one reply. */
export function splitForSummary(messages: readonly ModelMessage[]): Split | undefined {
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const head = messages.slice(0, Math.max(0, newest));
  return head.some(({ role }) => role === "assistant") ? { head, kept: messages.slice(newest) } : undefined;
}

/** The messages with one more text for the model at their end. */
export function withRequest(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const block: ContentBlock = { type: "text", text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { role: "user", content: [...blocksOf(last.content), block] }];
}
