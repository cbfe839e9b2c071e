// What an editor is given of a result: enough to read, never all of a long one.

import { isObject } from "@keelson/protocol";

const MOST_TEXT = 64 * 1024;
const MOST_IN_VALUE = 4 * 1024;
const MOST_ITEMS = 200;
const MOST_DEPTH = 8;

/** The beginning and the end: the end of an output often says how it went. */
export function boundedText(text: string, most = MOST_TEXT): string {
  if (text.length <= most) return text;
  const half = most / 2;
  return `${text.slice(0, half)}\n… ${text.length - most} characters are not shown …\n${text.slice(-half)}`;
}

/** The value with long texts cut, long lists shortened and deep objects left out. */
export function boundedValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return boundedText(value, MOST_IN_VALUE);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MOST_DEPTH) return "…";
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((each) => boundedValue(each, depth + 1));
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value).slice(0, MOST_ITEMS);
  return Object.fromEntries(fields.map(([key, each]) => [key, boundedValue(each, depth + 1)]));
}
