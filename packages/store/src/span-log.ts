// What took how long in a session, one line each, written while it runs: a crash loses only what was in progress. No
// content of messages or files. A failed write is reported once and does not disturb the session.

import { closeSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { byteLines } from "./read/lines.ts";
import { parseLine } from "./read/parse-line.ts";
import { sessionDir } from "./paths.ts";
import { openAppend } from "./transcript/open-append.ts";

export const SPAN_KINDS = ["run", "turn", "request", "tool", "permission", "hook", "compaction"] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export interface Span {
  readonly kind: SpanKind;
  readonly name: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly ms: number;
  /** The subagent it belongs to; absent for the session's own agent. */
  readonly agent?: { readonly id: string; readonly type: string } | undefined;
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

/** A span as it was written: by which session. */
export type LoggedSpan = Span & { readonly session: string };

export interface SpanLog {
  add(session: string, span: Span): void;
  close(): void;
}

const MAX_BYTES = 256 * 1024 * 1024;

export function spanLogPath(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "spans.jsonl");
}

/** Folder and file are created with the first line. `onFailure` is called once. */
export function openSpanLog(path: string, onFailure: (error: Error) => void, maxBytes = MAX_BYTES): SpanLog {
  let file: { readonly fd: number; size: number } | undefined;
  let stopped = false;
  const write = (line: string) => {
    file ??= openAppend(path, (fd, size) => ({ size: size + sealed(fd, size) }));
    const bytes = Buffer.from(line);
    if (file.size + bytes.length > maxBytes) throw new Error(`it is limited to ${maxBytes} bytes`);
    if (writeSync(file.fd, bytes) < bytes.length) throw new Error("the disk accepted only a part of a line");
    file.size += bytes.length;
  };
  return {
    add(session, span) {
      if (stopped) return;
      try {
        write(`${JSON.stringify({ session, ...span })}\n`);
      } catch (error) {
        stopped = true;
        onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close() {
      if (file !== undefined) closeSync(file.fd);
      file = undefined;
    },
  };
}

/** Ends a line that a crash left incomplete. Returns the number of bytes written. */
function sealed(fd: number, size: number): number {
  const last = Buffer.alloc(1);
  if (size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 10) return 0;
  return writeSync(fd, "\n");
}

/** In the order they ended. Skips what is damaged; throws if the file cannot be read. */
export function* readSpanLog(path: string): Generator<LoggedSpan> {
  for (const { bytes } of byteLines(path)) {
    const value = parseLine(bytes);
    if (isLoggedSpan(value)) yield value;
  }
}

/** Later times are no dates. */
const LAST_DATE = 8.64e15;

function isLoggedSpan(value: unknown): value is LoggedSpan {
  if (!isObject(value)) return false;
  const { session, kind, name, startMs, ms, agent, facts } = value;
  const texts = [session, name].every((text) => typeof text === "string");
  const times = [startMs, ms].every((number) => (number as number) >= 0 && (number as number) <= LAST_DATE);
  const isAgent =
    agent === undefined || (isObject(agent) && [agent["id"], agent["type"]].every((text) => typeof text === "string"));
  return texts && times && isAgent && isObject(facts) && SPAN_KINDS.some((known) => known === kind);
}
