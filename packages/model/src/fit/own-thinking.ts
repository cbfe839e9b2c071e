// Thinking is signed by the model that produced it, and servers refuse that of another one. It stays in the conversation
// and is left out of requests to other models, so it is there again when the first model is.

import { isToolResult, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import { isSealed, withoutForeignThinking } from "../thinking-envelope.ts";

/** `isOwn` says whether a reply of this name came from the model that is asked. */
export function withOwnThinking(request: ModelRequest, isOwn: (model: string) => boolean): ModelRequest {
  return keepThinking(request, (block, { reply }) => {
    const signature = "signature" in block ? block.signature : undefined;
    if (typeof signature === "string" && isSealed(signature)) return false;
    return reply === undefined || isOwn(reply.model);
  });
}

/** The request without thinking that `keeps` refuses; the same object if there is none. */
export function keepThinking(
  request: ModelRequest,
  keeps: (block: ContentBlock, message: ModelMessage) => boolean,
): ModelRequest {
  const messages = withoutForeignThinking(request.messages, keeps);
  const isSame =
    messages.length === request.messages.length && messages.every((one, at) => one === request.messages[at]);
  if (isSame) return request;
  const { thinking, ...rest } = request;
  return { ...rest, messages, ...(thinking && mayThink(thinking, request, messages) ? { thinking } : {}) };
}

/** With a fixed budget, a turn that answers calls must begin with the thinking before them. */
function mayThink(
  { type }: NonNullable<ModelRequest["thinking"]>,
  { messages: before }: ModelRequest,
  messages: ModelRequest["messages"],
): boolean {
  const last = messages.at(-1)?.content;
  if (type !== "enabled" || !Array.isArray(last) || !last.some(isToolResult)) return true;
  const newest = (all: ModelRequest["messages"]) => all.findLast(({ role }) => role === "assistant")?.content;
  return newest(messages)?.length === newest(before)?.length;
}
