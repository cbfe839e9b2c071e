// A reply that came whole, told again as the events it would have been streamed in.

import {
  isObject,
  type BlockDelta,
  type ContentBlock,
  type Json,
  type ReplyMessage,
  type StreamEvent,
} from "@keelson/protocol";

export function* replay(message: ReplyMessage): Generator<StreamEvent> {
  const { content, stop_reason, stop_sequence, usage } = message;
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } };
  for (const [index, block] of content.entries()) {
    const [started, ...deltas] = splitIntoDeltas(block);
    yield { type: "content_block_start", index, content_block: started };
    for (const delta of deltas) yield { type: "content_block_delta", index, delta: delta as unknown as BlockDelta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage };
  yield { type: "message_stop" };
}

/** Whether a body is a reply at all. */
export function isReply(value: unknown): value is ReplyMessage {
  return (
    isObject(value) &&
    value["type"] === "message" &&
    isObject(value["usage"]) &&
    Array.isArray(value["content"]) &&
    value["content"].every(isValidBlock)
  );
}

/** Whether an event has the parts that whoever reads it relies on. Types we do not know pass. */
export function isValidEvent(event: Readonly<Record<string, unknown>>): boolean {
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

/** A call nobody can name would be refused when it is sent back, and with it every later request. */
function isValidBlock(block: unknown): boolean {
  if (!isObject(block) || typeof block["type"] !== "string") return false;
  return block["type"] !== "tool_use" || (typeof block["name"] === "string" && block["name"] !== "");
}

type Fields = { readonly [key: string]: Json | undefined };

/** A block as it starts, then what is added to it. Blocks of other types start whole, as the API streams them too. */
function splitIntoDeltas(block: ContentBlock): readonly [ContentBlock, ...Fields[]] {
  const fields = block as Fields;
  switch (block.type) {
    case "text": {
      const { citations, ...rest } = fields;
      const cited = Array.isArray(citations) ? (citations as readonly Json[]) : [];
      return [
        { ...rest, type: "text", text: "" },
        { type: "text_delta", text: fields["text"] },
        ...cited.map((citation) => ({ type: "citations_delta", citation })),
      ];
    }
    case "thinking":
      return [
        { ...fields, type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: fields["thinking"] },
        { type: "signature_delta", signature: fields["signature"] },
      ];
    case "tool_use":
    case "server_tool_use":
      return [
        { ...fields, type: block.type, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(fields["input"] ?? {}) },
      ];
    default:
      return [block];
  }
}
