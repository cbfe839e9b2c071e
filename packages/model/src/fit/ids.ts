// Ids of tool calls, made to fit what a server accepts. An id that fits is kept; any other becomes the same new id
// every time, in the call and in its result.

import { isToolResult, isToolUse, type ContentBlock, type ModelMessage } from "@keelson/protocol";

export interface IdRule {
  /** Matches a whole id that is accepted. */
  readonly accepts: RegExp;
  /** An accepted id made of these hexadecimal digits. Defaults to `call_` and the first 24 of them. */
  readonly make?: (digits: string) => string;
}

export const CHAT_IDS: IdRule = { accepts: /^[^]{1,40}$/ };
export const RESPONSES_IDS: IdRule = { accepts: /^[^]{1,64}$/ };
export const CONVERSE_IDS: IdRule = { accepts: /^[a-zA-Z0-9_.:-]{1,64}$/ };
export const MESSAGES_IDS: IdRule = { accepts: /^[a-zA-Z0-9_-]+$/ };
export const MISTRAL_IDS: IdRule = { accepts: /^[a-zA-Z0-9]{9}$/, make: (digits) => digits.slice(0, 9) };

export function fitId(id: string, rule: IdRule): string {
  if (rule.accepts.test(id)) return id;
  const digits = new Bun.CryptoHasher("sha256").update(id).digest("hex");
  return rule.make?.(digits) ?? `call_${digits.slice(0, 24)}`;
}

/** The messages with ids that fit. Messages and blocks that need no change stay the same objects. */
export function fitIds(messages: readonly ModelMessage[], rule: IdRule): readonly ModelMessage[] {
  return messages.map((message) => {
    const { content } = message;
    if (typeof content === "string" || content.every((block) => hasFittingId(block, rule))) return message;
    const fitted = content.map((block) => withFittingId(block, rule));
    return { ...message, content: fitted };
  });
}

const hasFittingId = (block: ContentBlock, { accepts }: IdRule) =>
  isToolUse(block) ? accepts.test(block.id) : !isToolResult(block) || accepts.test(block.tool_use_id);

function withFittingId(block: ContentBlock, rule: IdRule): ContentBlock {
  if (isToolUse(block)) {
    const id = fitId(block.id, rule);
    return id === block.id ? block : { ...block, id };
  }
  if (!isToolResult(block)) return block;
  const id = fitId(block.tool_use_id, rule);
  return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
}

/** Tells which ids a conversation has already. Servers that count calls from zero repeat them in every reply. */
export function idsIn(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { content } of messages) {
    if (typeof content !== "string") for (const block of content) if (isToolUse(block)) ids.add(block.id);
  }
  return ids;
}

/** A new id, for a call that came without one. */
export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
