// Whether an event has the parts that whoever reads it relies on. Types we do not know pass.

import { isObject } from "@keelson/protocol";

type Fields = Readonly<Record<string, unknown>>;

export function isWholeEvent(event: Fields): boolean {
  switch (event["type"]) {
    case "message_start":
      return isObject(event["message"]);
    case "content_block_start":
      return isWholeBlock(event["content_block"]);
    case "content_block_delta":
    case "message_delta":
      return isObject(event["delta"]);
    default:
      return typeof event["type"] === "string";
  }
}

/** A call nobody can name would be refused when it is sent back, and with it every later request. */
export function isWholeBlock(block: unknown): boolean {
  if (!isObject(block) || typeof block["type"] !== "string") return false;
  return block["type"] !== "tool_use" || (typeof block["name"] === "string" && block["name"] !== "");
}
