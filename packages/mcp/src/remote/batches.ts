// Servers of version 2025-03-26 may put several messages into one event, as a list. The SDK's transport expects one
// message, so such an event becomes several.

import { isObject, tryParse } from "@keelson/protocol";
import { MAX_BATCH } from "../connection/client.ts";

const BATCH = /^data: ?(\[.*\])\r?$/gm;

/** `lines` are whole lines of an event stream. */
export function withoutBatches(lines: Buffer): Buffer {
  if (!lines.includes("data: [") && !lines.includes("data:[")) return lines;
  const text = lines.toString("utf8").replace(BATCH, (line, list: string) => eventsFor(list) ?? line);
  return Buffer.from(text);
}

/** Undefined if it is not a list of messages: then it may be a line of a longer text. */
function eventsFor(list: string): string | undefined {
  const messages = tryParse(list);
  if (!Array.isArray(messages) || !messages.every(isObject)) return undefined;
  return messages
    .slice(0, MAX_BATCH)
    .map((message) => `data: ${JSON.stringify(message)}`)
    .join("\n\n");
}
