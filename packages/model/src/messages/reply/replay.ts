// Turns a complete reply into the events of an equivalent stream, and validates replies and events.

import {
  isObject,
  NO_USAGE,
  type BlockDelta,
  type ContentBlock,
  type Json,
  type ReplyMessage,
  type StreamEvent,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
} from "@keelson/protocol";

export function* replay(message: ReplyMessage): Generator<StreamEvent> {
  const { content, stop_reason, stop_sequence, usage } = message;
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } };
  for (const [index, block] of content.entries()) {
    const [started, ...deltas] = splitIntoDeltas(block);
    yield { type: "content_block_start", index, content_block: started };
    for (const delta of deltas) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage };
  yield { type: "message_stop" };
}

export function isReply(value: unknown): value is ReplyMessage {
  return (
    isObject(value) &&
    value["type"] === "message" &&
    isObject(value["usage"]) &&
    Array.isArray(value["content"]) &&
    value["content"].every(isValidBlock)
  );
}

/** Whether an event has the fields its readers need. Unknown types pass. */
export function isValidEvent(
  event: Readonly<Record<string, unknown>>,
): event is Readonly<Record<string, unknown>> & StreamEvent {
  switch (event["type"]) {
    case "message_start":
      return isObject(event["message"]);
    case "content_block_start":
      return isValidBlock(event["content_block"]);
    case "content_block_delta":
    case "message_delta":
      return isObject(event["delta"]);
    default:
      return typeof event["type"] === "string";
  }
}

/**
 * The event without what only this program may say, and with fields of the right kind: a server may send anything, and
 * what it sends goes into prices, transcripts and later requests.
 */
export function safeEvent(event: StreamEvent): StreamEvent {
  switch (event.type as string) {
    case "message_start":
      return { ...event, message: safeMessage((event as { message: ReplyMessage }).message) } as StreamEvent;
    case "content_block_start": {
      const { callState: _, ...rest } = event as StreamEvent & { type: "content_block_start" };
      return { ...rest, content_block: safeBlock(rest.content_block) };
    }
    case "message_delta": {
      const { delta, usage } = event as StreamEvent & { type: "message_delta" };
      const stop_reason = isTextOrNothing(delta.stop_reason) ? delta.stop_reason : null;
      return { ...event, delta: { ...delta, stop_reason }, usage: safeUsage(usage) } as StreamEvent;
    }
    // Ours: providers report retries and losses with it.
    case "notice":
      return { type: "ping" };
    default:
      return event;
  }
}

/** A reply with fields of the right kind. */
export function safeMessage(message: ReplyMessage): ReplyMessage {
  const { id, model, content, usage } = message;
  return {
    ...message,
    id: typeof id === "string" ? id : "",
    model: typeof model === "string" ? model : "",
    content: Array.isArray(content) ? content.map(safeBlock) : [],
    usage: safeUsage(usage),
  };
}

/** Calls without a usable id get one from the engine. */
function safeBlock(block: ContentBlock): ContentBlock {
  const { type, id } = block as ToolUseBlock;
  return type === "tool_use" && typeof id !== "string" ? ({ ...block, id: "" } as ToolUseBlock) : block;
}

/** Counts are never negative: they would pay for other requests. */
function safeUsage<T extends object | null | undefined>(usage: T): T {
  if (!isObject(usage)) return usage;
  const wrong = COUNTS.filter((name) => isWrongCount(usage[name]));
  return wrong.length === 0 ? usage : { ...usage, ...Object.fromEntries(wrong.map((name) => [name, 0])) };
}

const COUNTS = Object.keys(NO_USAGE);
const isWrongCount = (value: unknown) =>
  value !== undefined && value !== null && !(typeof value === "number" && value >= 0 && value < Infinity);

const isTextOrNothing = (value: unknown) => value === undefined || value === null || typeof value === "string";

/** The API would reject a tool call without a name when it is sent back, and with it every later request. */
function isValidBlock(block: unknown): boolean {
  if (!isObject(block) || typeof block["type"] !== "string") return false;
  return block["type"] !== "tool_use" || (typeof block["name"] === "string" && block["name"] !== "");
}

/** The initial block, then its deltas. Blocks of other types start complete, which is how the API streams them. */
function splitIntoDeltas(block: ContentBlock): readonly [ContentBlock, ...BlockDelta[]] {
  switch (block.type) {
    case "text": {
      const { text, citations, ...rest } = block as TextBlock & { readonly citations?: Json };
      const cited = Array.isArray(citations) ? (citations as readonly Json[]) : [];
      return [
        { ...rest, type: "text", text: "" },
        { type: "text_delta", text },
        ...cited.map((citation) => ({ type: "citations_delta", citation }) as const),
      ];
    }
    case "thinking": {
      const { thinking, signature } = block as ThinkingBlock;
      return [
        { ...block, type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking },
        { type: "signature_delta", signature },
      ];
    }
    case "tool_use":
    case "server_tool_use": {
      const call = block as ToolUseBlock;
      return [
        { ...call, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(call.input ?? {}) },
      ];
    }
    default:
      return [block];
  }
}
