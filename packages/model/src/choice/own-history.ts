// Makes a conversation with replies of other providers fit for the Messages API: no thinking that another server sealed,
// and only ids that the API accepts. Loaded for such conversations only.

import type { ModelRequest } from "@keelson/engine";
import { isToolResult } from "@keelson/protocol";
import { fitIds, MESSAGES_IDS } from "../fit/ids.ts";
import { isSealed, withoutForeignThinking } from "../thinking-envelope.ts";

export function ownHistory(request: ModelRequest): ModelRequest {
  const kept = withoutForeignThinking(
    request.messages,
    (block) => !("signature" in block && typeof block.signature === "string" && isSealed(block.signature)),
  );
  const { thinking, ...rest } = request;
  const messages = fitIds(kept, MESSAGES_IDS);
  // With a fixed budget, a reply that waits for its results must begin with thinking, which is gone.
  const last = messages.at(-1)?.content;
  const isWaiting = Array.isArray(last) && last.some(isToolResult);
  const cannotThink = thinking?.["type"] === "enabled" && isWaiting && count(kept) < count(request.messages);
  return { ...rest, ...(thinking && !cannotThink ? { thinking } : {}), messages };
}

const count = (messages: ModelRequest["messages"]) =>
  messages.reduce((sum, { content }) => sum + (typeof content === "string" ? 1 : content.length), 0);
