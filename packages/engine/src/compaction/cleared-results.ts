// Tool results that were removed to make room. A resumed conversation has to remove them, too. Pure.

import { isToolResult, type ContentBlock, type ModelMessage } from "@keelson/protocol";

export const CLEARED = "[This old tool result was removed to make room. Call the tool again if you need it.]";

/** The message without the content of these results; the same object if it has none of them. */
export function withoutResults(message: ModelMessage, ids: ReadonlySet<string>): ModelMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const isOld = (block: ContentBlock) => isToolResult(block) && ids.has(block.tool_use_id) && block.content !== CLEARED;
  if (!message.content.some(isOld)) return message;
  return {
    ...message,
    content: message.content.map((block) => (isOld(block) ? { ...block, content: CLEARED } : block)),
  };
}
