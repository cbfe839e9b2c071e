// Parses one line of a transcript. A damaged line gives undefined, never an exception.

import { isAscii } from "node:buffer";
import { isObject, rememberJson, tryParse } from "@keelson/protocol";

export function parseLine(bytes: Buffer): Record<string, unknown> | undefined {
  const value = tryParse(textOf(bytes, 0, bytes.length));
  return isObject(value) ? value : undefined;
}

/**
 * Parses a line without its `toolUseResult`, which resuming does not need. If the message has only one block, `jsonOf`
 * remembers the text it was written in, so a request need not serialize it again.
 */
export function parseLive(bytes: Buffer): Record<string, unknown> | undefined {
  const value = (bytes.length > SMALL ? parseParts(bytes) : undefined) ?? parseLine(bytes);
  if (value !== undefined && "toolUseResult" in value) delete value["toolUseResult"];
  return value;
}

/** Recovers what it can from a line that is not JSON: a complete entry at its end, or ids and parent. */
export function salvage(bytes: Buffer): {
  entry?: Record<string, unknown>;
  uuids: string[];
  parentUuid?: string | null;
} {
  const text = textOf(bytes, 0, Math.min(bytes.length, MAX_SALVAGE));
  const entry = bytes.length <= MAX_SALVAGE ? gluedEntry(text) : undefined;
  const head = HEAD.exec(text);
  const uuids = [...text.matchAll(UUIDS)].slice(0, 8).map((match) => match[1]!);
  return {
    ...(entry === undefined ? {} : { entry }),
    uuids,
    ...(head === null ? {} : { parentUuid: head[1] ?? null }),
  };
}

const SMALL = 1024;
const CONTENT = Buffer.from('"content":[{');
const AFTER_ASSISTANT = Buffer.from('],"stop_reason":');
const AFTER_USER = Buffer.from(']},"');
const RESULT = Buffer.from(',"toolUseResult":');
const START = Buffer.from('{"parentUuid":');
const PLACE = "@block@";
const GUESSES = 4;

/**
 * Splits the line into the text R of the only content block and the rest with a mark in place of R. If both parse and
 * `message.content` holds the mark, then R is exactly the text of that block, because JSON values can replace each other.
 * The positions are guesses; with a wrong one, parsing fails.
 */
function parseParts(bytes: Buffer): Record<string, unknown> | undefined {
  const content = bytes.indexOf(CONTENT);
  if (content < 0) return undefined;
  const start = content + CONTENT.length - 1;
  const textIn = isAscii(bytes) ? asciiIn(bytes) : (from: number, to: number) => textOf(bytes, from, to);
  const head = textIn(0, start);
  if (head.includes(PLACE)) return undefined;
  const [marker, from] = head.includes('"role":"assistant"') ? [AFTER_ASSISTANT, start] : [AFTER_USER, start];
  let end = bytes.indexOf(marker, from);
  for (let guess = 0; guess < GUESSES && end >= 0; guess++) {
    const raw = textIn(start, end);
    const block = parseAroundText(raw) ?? parseWhole(raw);
    if (block !== undefined) return joined(head, block, raw, tailOf(bytes, head, end, textIn));
    end = bytes.indexOf(marker, end + 1);
  }
  return undefined;
}

function joined(
  head: string,
  block: Record<string, unknown>,
  raw: string,
  tail: string,
): Record<string, unknown> | undefined {
  if (tail.includes(PLACE)) return undefined;
  const value = tryParse(`${head}"${PLACE}"${tail}`);
  if (!isObject(value) || !isObject(value["message"])) return undefined;
  const { content } = value["message"];
  if (!Array.isArray(content) || content.length !== 1 || content[0] !== PLACE) return undefined;
  content[0] = block;
  rememberJson(block, raw);
  return value;
}

const LONG = 4096;
/** For a longer text, the regular expression would need much memory. */
const LONGEST_CHECKED = 1024 * 1024;
/** The beginning of a block, up to the text that may be long. */
const BEFORE_TEXT = /^\{(?:"\w+":(?:"[^"\\]*"|true|false|null),)*"(content|text)":"/;
/** What may be in a JSON string. Nothing may follow here: matching must never have to go back. */
const TEXT = /(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
/** The rest of a JSON string, if it does not begin with what may be blank. */
const VISIBLE = /(?:\s|\\[nrt])*(?:[^\s\\"]|\\["\\/])/y;

/** Checks the long text of a block without decoding it, which would take longest. Undefined if that cannot be done. */
function parseAroundText(raw: string): Record<string, unknown> | undefined {
  if (raw.length < LONG || raw.length > LONGEST_CHECKED) return undefined;
  const [before, key] = BEFORE_TEXT.exec(raw) ?? [];
  if (before === undefined || key === undefined) return undefined;
  TEXT.lastIndex = VISIBLE.lastIndex = before.length;
  if (!VISIBLE.test(raw) || !TEXT.test(raw) || TEXT.lastIndex - before.length < LONG) return undefined;
  const after = raw.slice(TEXT.lastIndex);
  if (!after.startsWith('"') || after.includes(`"${key}"`)) return undefined;
  const block = tryParse(before + after);
  if (!isObject(block) || block[key] !== "") return undefined;
  fold(block, key, raw);
  return block;
}

function parseWhole(raw: string): Record<string, unknown> | undefined {
  const block = tryParse(raw);
  if (!isObject(block)) return undefined;
  for (const key in block) {
    const value = block[key];
    if (typeof value === "string" && value.length >= LONG && /\S/.test(value)) fold(block, key, raw);
  }
  return block;
}

/**
 * Drops a long text of a block until it is read, which `isFolded` can tell. Most blocks of a resumed conversation are only
 * sent on as JSON; keeping each text as well would double the memory and take a third of the loading time.
 */
function fold(block: Record<string, unknown>, key: string, raw: string): void {
  const shape = { enumerable: true, configurable: true };
  Object.defineProperty(block, key, {
    ...shape,
    get() {
      const unfolded = (JSON.parse(raw) as Record<string, unknown>)[key];
      Object.defineProperty(block, key, { ...shape, writable: true, value: unfolded });
      return unfolded;
    },
    set(changed: unknown) {
      Object.defineProperty(block, key, { ...shape, writable: true, value: changed });
    },
  });
}

/**
 * The line after the block, without the tool's output if it can be skipped: if the line ends the way `lineOf` writes it,
 * with the id it began with, and no other line begins inside. A line that was cut off does not look like that.
 */
function tailOf(bytes: Buffer, head: string, end: number, textIn: (from: number, to: number) => string): string {
  const result = bytes.indexOf(RESULT, end);
  const parent = /^\{"parentUuid":("[^"\\]+")/.exec(head)?.[1];
  if (result >= 0 && parent !== undefined) {
    const trailer = `,"sourceToolAssistantUUID":${parent}}`;
    const from = bytes.length - trailer.length;
    const isWhole = from > result && bytes.toString("latin1", from, bytes.length) === trailer;
    if (isWhole && bytes.indexOf(START, result) < 0) return textIn(end, result) + trailer;
  }
  return textIn(end, bytes.length);
}

/** Asked once for a line: to look at each part takes an object for it, and a long session has a thousand lines. */
const asciiIn = (bytes: Buffer) => (from: number, to: number) => bytes.toString("latin1", from, to);

function textOf(bytes: Buffer, start: number, end: number): string {
  const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  // For ASCII, Latin-1 gives the same text in half the time.
  return isAscii(part) ? part.toString("latin1") : part.toString("utf8");
}

const MAX_SALVAGE = 16 * 1024 * 1024;
const HEAD = /^[\0\s\uFEFF]*\{"parentUuid":(?:null|"([^"\\]{1,64})")/;
const UUIDS = /"uuid":"([^"\\]{1,64})"/g;
const STARTS = ['{"parentUuid":', '{"type":"'];

/** Some writers append to an incomplete line. Finds the last position from which the rest parses. */
function gluedEntry(text: string): Record<string, unknown> | undefined {
  for (const start of STARTS) {
    let at = text.lastIndexOf(start);
    for (let guess = 0; guess < GUESSES && at > 0; guess++) {
      const value = tryParse(text.slice(at));
      if (isObject(value) && typeof value["sessionId"] === "string") return value;
      at = text.lastIndexOf(start, at - 1);
    }
  }
  return undefined;
}
