// What took how long in a session, one line each, written while it runs: a crash loses only what was in progress. No
// content of messages or files. A failed write is reported once and does not disturb the session.

import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { openAppendLog } from "./append-log.ts";
import { byteLines } from "./read/lines.ts";
import { parseLine } from "./read/parse-line.ts";
import { sessionDir } from "./paths.ts";

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
  const log = openAppendLog(path, { maxBytes, onFailure });
  return { add: (session, span) => log.add({ session, ...span }), close: () => log.close() };
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
