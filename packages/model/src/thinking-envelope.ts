// How thinking of other providers is kept in the conversation: a `thinking` block whose signature holds the provider's
// own state. It goes back only to the dialect and the family of models that made it. Signatures of the Messages API are
// kept as they are.

import { blocksOf, isObject, tryParse, type ContentBlock, type JsonObject, type ModelMessage } from "@keelson/protocol";

const PREFIX = "kp1.";

export interface ThinkingState extends JsonObject {
  /** The dialect, such as `gemini`. */
  readonly api: string;
  readonly model: string;
}

export function sealThinking(state: ThinkingState): string {
  return PREFIX + Buffer.from(JSON.stringify(state)).toString("base64url");
}

/** Undefined for a signature of the Messages API, and for a damaged one. */
export function openThinking(signature: string): ThinkingState | undefined {
  if (!signature.startsWith(PREFIX)) return undefined;
  const state = tryParse(Buffer.from(signature.slice(PREFIX.length), "base64url").toString());
  if (!isObject(state) || typeof state["api"] !== "string" || typeof state["model"] !== "string") return undefined;
  return state as ThinkingState;
}

export const isSealed = (signature: string): boolean => signature.startsWith(PREFIX);

/**
 * The messages without thinking that `keeps` refuses; messages that would be empty are left out. The same message always
 * gives the same result object, so that its bytes stay known.
 */
export function withoutForeignThinking(
  messages: readonly ModelMessage[],
  keeps: (block: ContentBlock, message: ModelMessage) => boolean,
): readonly ModelMessage[] {
  const isForeign = (block: ContentBlock, message: ModelMessage) => isThinking(block) && !keeps(block, message);
  if (
    !messages.some(
      ({ role, content }) => role === "assistant" && typeof content !== "string" && content.some(isThinking),
    )
  )
    return messages;
  return messages.flatMap((message) => {
    const { content } = message;
    if (message.role === "user" || typeof content === "string") return [message];
    const kept = content.filter((block) => !isForeign(block, message));
    if (kept.length === content.length) return [message];
    const known = stripped.get(message);
    if (known && isSameList(blocksOf(known.content), kept)) return [known];
    if (kept.length === 0) return [];
    const next = { ...message, content: kept };
    stripped.set(message, next);
    return [next];
  });
}

const isThinking = ({ type }: ContentBlock) => type === "thinking" || type === "redacted_thinking";

const stripped = new WeakMap<ModelMessage, ModelMessage>();

const isSameList = (a: readonly ContentBlock[], b: readonly ContentBlock[]) =>
  a.length === b.length && a.every((block, at) => block === b[at]);
