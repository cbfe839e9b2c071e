// The only place that limits the size of tool output. Pure; a port writes the file.

/** Longest text of one tool result, unless the tool sets its own limit. */
export const MAX_SHOWN = 100_000;
/** Of text that is too long: its start says what it is, its end how it came out. */
const HEAD = 1_000;
const TAIL = 2_000;
/** The share of the context window that one result may fill, and all results of one reply. */
export const ONE_RESULT: WindowShare = { usual: 0.8, small: 0.25 };
export const ALL_RESULTS: WindowShare = { usual: 0.5, small: 0.35 };
const CHARACTERS_PER_TOKEN = 4;
const SMALL_WINDOW = 65_536;

/** In a small window, what is said before the first call and room for a reply take a large part. */
interface WindowShare {
  readonly usual: number;
  readonly small: number;
}

export const isSmallWindow = (contextWindow: number): boolean => contextWindow <= SMALL_WINDOW;

/** In characters. */
export function shareOfWindow({ contextWindow }: { readonly contextWindow: number }, share: WindowShare): number {
  const part = isSmallWindow(contextWindow) ? share.small : share.usual;
  return Math.floor(contextWindow * part * CHARACTERS_PER_TOKEN);
}

/**
 * What the model reads in place of text that is too long: where the full text is, its start and its end. `end` is the end
 * of the text if `text` is only its beginning.
 */
export function persistedNotice(path: string, bytes: number, text: string, end: string = text): string {
  return [
    "<persisted-output>",
    `Output too large (${kilobytes(bytes)}). Full output saved to: ${path}`,
    "Read the part you need with offset and limit, or search it with Grep. It starts and ends like this:",
    "",
    ...startAndEnd(text, end),
    "</persisted-output>",
  ].join("\n");
}

/** The same if the full text could not be saved. */
export function unsavedNotice(why: string, bytes: number, text: string): string {
  return [
    `Output too large (${kilobytes(bytes)}), and it could not be saved: ${why}`,
    "",
    ...startAndEnd(text, text),
  ].join("\n");
}

const startAndEnd = (text: string, end: string) => [cutAtLine(text, HEAD), "…", lastLines(end)];

/** The end of a text, from the start of a line if one is near. */
export function lastLines(text: string, limit = TAIL): string {
  const trimmed = text.trimEnd();
  if (trimmed.length <= limit) return trimmed;
  const tail = whole(trimmed, trimmed.length - limit, trimmed.length);
  const line = tail.indexOf("\n");
  return line !== -1 && line < limit / 2 ? tail.slice(line + 1) : tail;
}

/** Keeps the beginning and the end, and says how much was removed. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const head = whole(text, 0, half);
  const tail = whole(text, text.length - half, text.length);
  return `${head}\n\n… ${text.length - head.length - tail.length} characters left out …\n\n${tail}`;
}

/** The start of a text, cut at a line break if one is near. */
export function cutAtLine(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = whole(text, 0, limit);
  const line = head.lastIndexOf("\n");
  return line > limit / 2 ? head.slice(0, line) : head;
}

export function kilobytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}

/** A slice that does not split a surrogate pair at either end. */
function whole(text: string, from: number, to: number): string {
  const start = isLow(text.charCodeAt(from)) ? from + 1 : from;
  const end = isHigh(text.charCodeAt(to - 1)) ? to - 1 : to;
  return text.slice(start, end);
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
