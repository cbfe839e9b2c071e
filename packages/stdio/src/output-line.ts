// Formats a message as one line, short enough for clients that read at most a megabyte per line. Only the copy in
// `tool_use_result` is shortened; what the model sees and the transcript stay complete.

import { isObject, toLine, type Outbound } from "@keelson/protocol";

/** Some clients fail on longer lines; the Python SDK reads with a buffer of 1 MB. */
const LONGEST = 1_000_000;
/** Strings this short are always kept. */
const SHORT = 256;

export function outputLine(message: Outbound): string {
  const line = toLine(message);
  if (line.length < LONGEST / 3 || Buffer.byteLength(line) <= LONGEST || !hasResult(message)) return line;
  const room = LONGEST - (Buffer.byteLength(line) - sizeOf(message.tool_use_result));
  return toLine({ ...message, tool_use_result: fitted(message.tool_use_result, room) });
}

function hasResult(message: Outbound): message is Outbound & { readonly tool_use_result: unknown } {
  return message.type === "user" && "tool_use_result" in message && message.tool_use_result !== undefined;
}

/** The same value with its longest strings replaced by a note. */
function fitted(value: unknown, room: number): unknown {
  for (let limit = Math.floor(room / 2); limit > SHORT; limit = Math.floor(limit / 4)) {
    const smaller = cut(value, limit);
    if (sizeOf(smaller) <= room) return smaller;
  }
  return note(sizeOf(value));
}

function cut(value: unknown, limit: number): unknown {
  if (typeof value === "string") return value.length > limit ? note(value.length) : value;
  if (Array.isArray(value)) return value.map((item) => cut(item, limit));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, limit)]));
}

const note = (length: number) => `[left out: ${length} characters]`;
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "");
