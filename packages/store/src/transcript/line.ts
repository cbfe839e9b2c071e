// Formats an entry as one line. The key order helps readers: `parentUuid` comes first, and a short field follows the
// tool's output, so a reader can skip that output and still see that the line is complete.

import { isChainEntry, isObject, jsonOf, type Entry } from "@keelson/protocol";

/** The longest line to write. Longer ones lose the longest strings of `toolUseResult`, but not of the message. */
export const MAX_LINE = 16 * 1024 * 1024;
const MAX_MESSAGE = 48 * 1024 * 1024;

/** Without the newline. */
export function lineOf(entry: Entry): string {
  if (!isChainEntry(entry)) return escapeSeparators(metadataLine(entry));
  let line = chainLine(entry);
  if (line.length > MAX_LINE && "toolUseResult" in entry) {
    const room = Math.max(0, MAX_LINE - (line.length - lengthOf(entry.toolUseResult)));
    line = chainLine({ ...entry, toolUseResult: shorten(entry.toolUseResult, room) });
  }
  if (line.length > MAX_MESSAGE) line = chainLine(shorten(entry, MAX_MESSAGE) as typeof entry);
  return escapeSeparators(line);
}

function metadataLine(entry: object): string {
  const { type, ...rest } = entry as { type: string };
  return JSON.stringify({ type, ...rest });
}

function chainLine(entry: object): string {
  const { parentUuid, isSidechain, type, message, toolUseResult, sourceToolAssistantUUID, ...rest } = entry as Record<
    string,
    unknown
  >;
  const result = toolUseResult === undefined ? undefined : JSON.stringify(toolUseResult);
  const source = sourceToolAssistantUUID === undefined ? undefined : JSON.stringify(sourceToolAssistantUUID);
  const parts = [
    `"parentUuid":${JSON.stringify(parentUuid ?? null)}`,
    `"isSidechain":${JSON.stringify(isSidechain ?? false)}`,
    `"type":${JSON.stringify(type)}`,
  ];
  if (isObject(message)) parts.push(`"message":${messageText(message)}`);
  const others = JSON.stringify(rest).slice(1, -1);
  if (others !== "") parts.push(others);
  if (result !== undefined) parts.push(`"toolUseResult":${result}`);
  if (source !== undefined) parts.push(`"sourceToolAssistantUUID":${source}`);
  return `{${parts.join(",")}}`;
}

/** Uses `jsonOf` for content blocks, because the next model request needs the same text. */
function messageText(message: Record<string, unknown>): string {
  const fields: string[] = [];
  for (const [key, value] of Object.entries(message)) {
    if (key === "content" && Array.isArray(value)) {
      const blocks = value.map((block: unknown) =>
        isObject(block) ? jsonOf(block) : (JSON.stringify(block) ?? "null"),
      );
      fields.push(`"content":[${blocks.join(",")}]`);
      continue;
    }
    const text = JSON.stringify(value);
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}

/** A copy whose JSON fits, with the longest strings replaced by a note. */
export function shorten(value: unknown, room: number): unknown {
  for (let limit = Math.floor(room / 2); limit > 256; limit = Math.floor(limit / 4)) {
    const smaller = cutStrings(value, limit);
    if (lengthOf(smaller) <= room) return smaller;
  }
  return `[left out: ${lengthOf(value)} characters]`;
}

function cutStrings(value: unknown, limit: number): unknown {
  if (typeof value === "string") return value.length > limit ? `[left out: ${value.length} characters]` : value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, limit));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutStrings(item, limit)]));
}

const lengthOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;

// Valid inside JSON, but line readers in other languages split on them.
const SEPARATOR = /[\u0085\u2028\u2029]/;
const SEPARATORS = /[\u0085\u2028\u2029]/g;

function escapeSeparators(line: string): string {
  if (!SEPARATOR.test(line)) return line;
  return line.replace(SEPARATORS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
