// Reads a reply that was not streamed.

import { isObject } from "@keelson/protocol";

/** A whole reply as the events of a stream. */
export function* eventsOfReply(reply: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown]> {
  const output = isObject(reply["output"]) ? reply["output"] : {};
  const message = isObject(output["message"]) ? output["message"] : {};
  const content = Array.isArray(message["content"]) ? message["content"].filter(isObject) : [];
  yield ["messageStart", {}];
  for (const [contentBlockIndex, block] of content.entries()) {
    const delta = (value: unknown) => ["contentBlockDelta", { contentBlockIndex, delta: value }] as const;
    const { text, toolUse, reasoningContent } = block;
    if (typeof text === "string") yield delta({ text });
    if (isObject(toolUse)) {
      const { input, ...start } = toolUse;
      yield ["contentBlockStart", { contentBlockIndex, start: { toolUse: start } }];
      yield delta({ toolUse: { input } });
    }
    if (isObject(reasoningContent)) {
      const { reasoningText, redactedContent } = reasoningContent;
      if (isObject(reasoningText)) yield delta({ reasoningContent: reasoningText });
      if (redactedContent !== undefined) yield delta({ reasoningContent: { redactedContent } });
    }
    yield ["contentBlockStop", { contentBlockIndex }];
  }
  yield ["messageStop", { stopReason: reply["stopReason"] }];
  yield ["metadata", { usage: reply["usage"] }];
}
