// Logs the input and output of every hook run, one line each, for `keelson hooks trace`. A failed write is reported once
// and does not disturb the session.

import { closeSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject, type HookRegistration, type HookRun } from "@keelson/protocol";
import { byteLines } from "./read/lines.ts";
import { cutText } from "@keelson/protocol/cut-text";
import { parseLine } from "./read/parse-line.ts";
import { sessionDir } from "./paths.ts";
import { openAppend } from "./transcript/open-append.ts";

/** One run of a handler. */
export interface HookFiring {
  /** End time, in ISO format. */
  readonly at: string;
  readonly event: string;
  /** The event and the value for the matcher: `PreToolUse:Bash`. */
  readonly label: string;
  /** How messages name the handler: its command, its URL … */
  readonly name: string;
  readonly type: string;
  readonly source: string;
  readonly file?: string;
  readonly matcher?: string;
  readonly input: unknown;
  readonly run: HookRun;
  /** The parsed output. */
  readonly reply?: unknown;
}

export interface HookTrace {
  readonly path: string;
  add(firing: Told): void;
  close(): void;
}

/** What the dispatcher passes when a handler has ended. */
export interface Told {
  readonly label: string;
  readonly name: string;
  readonly registration: HookRegistration;
  readonly input: unknown;
  readonly run: HookRun;
  readonly reply?: unknown;
}

export interface HookTraceOptions {
  now(): number;
  /** Called for the first failure only. */
  readonly onFailure?: (error: Error) => void;
  readonly maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINE = 1024 * 1024;
/** Room for the last line, which says that the log is full. */
const LAST_WORDS = 256;

export function hookTracePath(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "hooks.jsonl");
}

/** Folder and file are created with the first line. */
export function openHookTrace(dir: string, sessionId: string, options: HookTraceOptions): HookTrace {
  const { now, onFailure, maxBytes = MAX_BYTES } = options;
  const path = hookTracePath(dir, sessionId);
  let file: OpenFile | undefined;
  let stopped = false;

  const write = (line: string): void => {
    file ??= openForAppend(path);
    if (file.full) {
      stopped = true;
      return;
    }
    const bytes = Buffer.from(`${file.torn ? "\n" : ""}${line}\n`);
    stopped = file.size + bytes.length > maxBytes - LAST_WORDS;
    const last = { at: new Date(now()).toISOString(), [FULL]: `The log is limited to ${maxBytes} bytes` };
    const written = stopped ? Buffer.from(`${file.torn ? "\n" : ""}${JSON.stringify(last)}\n`) : bytes;
    if (writeSync(file.fd, written) < written.length) throw new Error("The disk accepted only a part of a line");
    file.size += written.length;
    file.torn = false;
  };

  return {
    path,
    add(told) {
      if (stopped) return;
      try {
        write(lineOf(told, new Date(now()).toISOString()));
      } catch (error) {
        stopped = true;
        onFailure?.(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close() {
      if (file !== undefined) closeSync(file.fd);
      file = undefined;
      stopped = true;
    },
  };
}

/** In the order they ended. Skips incomplete and unknown lines; throws if the file cannot be read. */
export function* readHookTrace(path: string): Generator<HookFiring> {
  for (const { bytes } of byteLines(path)) {
    const value = parseLine(bytes);
    if (isFiring(value)) yield value;
  }
}

function isFiring(value: unknown): value is HookFiring {
  if (!isObject(value)) return false;
  const texts = ["at", "event", "label", "name", "type", "source"].every((key) => typeof value[key] === "string");
  const run = value["run"];
  return texts && isObject(run) && typeof run["outcome"] === "string" && typeof run["durationMs"] === "number";
}

function lineOf({ label, name, registration, input, run, reply }: Told, at: string): string {
  const { event, matcher, handler, source, file } = registration;
  const head = {
    at,
    event,
    label,
    name: cut(name),
    type: handler.type,
    source,
    ...(file === undefined ? {} : { file }),
    ...(matcher === undefined ? {} : { matcher }),
  };
  const line = JSON.stringify({ ...head, input: bounded(input), run: bounded(run), reply: bounded(reply) });
  if (line.length <= MAX_LINE) return line;
  const left = `[left out: ${line.length} characters]`;
  return JSON.stringify({ ...head, input: left, run: { ...run, stdout: cut(run.stdout), stderr: cut(run.stderr) } });
}

const LONGEST = 10_000;
const MOST_ITEMS = 1_000;
const DEEPEST = 20;

/** A copy with long strings, long lists and deep nesting cut. */
function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cut(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "[left out: too deep]";
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => bounded(item, depth + 1));
  const entries = Object.entries(value).slice(0, MOST_ITEMS);
  return Object.fromEntries(entries.map(([key, item]) => [cut(key), bounded(item, depth + 1)]));
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const kept = cutText(text, LONGEST);
  return `${kept}… [${text.length - kept.length} more characters]`;
}

interface OpenFile {
  readonly fd: number;
  size: number;
  /** The last line is incomplete. */
  torn: boolean;
  /** The last line says that the log is full. */
  readonly full: boolean;
}

const FULL = "full";

function openForAppend(path: string): OpenFile {
  return openAppend(path, (fd, size) => {
    const tail = Buffer.alloc(Math.min(size, LAST_WORDS));
    readSync(fd, tail, 0, tail.length, size - tail.length);
    const ending = tail.toString();
    return {
      size,
      torn: size > 0 && !ending.endsWith("\n"),
      full: /\{"at":"[^"]*","full":"[^"]*"\}\n$/.test(ending),
    };
  });
}
