// keelson trace: a session on a time line. Exact times from a log that was written while it ran, where there is one;
// elsewhere what the transcripts and the log of hooks tell.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import { isObject } from "@keelson/protocol";
import {
  agentIds,
  agentPath,
  agentsDir,
  hookTracePath,
  namedSession,
  openHistory,
  readAgentMeta,
  readHookTrace,
  readSpanLog,
  spanLogPath,
  type Span,
} from "@keelson/store/history";
import { asciiJson } from "../export/json.ts";
import { chromeTrace } from "./chrome-trace.ts";
import { transcriptSpans } from "./transcript-spans.ts";

export interface TraceDocument {
  readonly id: string;
  readonly damagedLines: number;
  pieces(): Generator<string>;
}

export interface TraceOptions {
  /** A log of KEELSON_TRACE, instead of the one beside the transcript. */
  readonly log?: string | undefined;
}

type Place = Parameters<typeof namedSession>[0];

/** By its ID, the start of its ID or its title; without one, the most recent session. A message if there is none. */
export function findTimeline(
  place: Place,
  wanted: string | undefined,
  { log }: TraceOptions = {},
): TraceDocument | { readonly message: string } {
  const found = namedSession(place, wanted);
  if ("message" in found) return found;
  const { id, path } = found;
  const dir = dirname(path);
  const history = openHistory(path);
  const exact = spansOf(log === undefined ? spanLogPath(dir, id) : realPathOf(log), id, log !== undefined);
  if ("message" in exact) return exact;
  const agents = agentIds(agentsDir(dir, id)).flatMap((agent) => agentSpans(agentPath(dir, id, agent), agent));
  const damagedLines = history.damaged + agents.reduce((sum, { damaged }) => sum + damaged, 0);
  const estimated = [
    ...transcriptSpans(history.entries()),
    ...agents.flatMap(({ spans }) => spans),
    ...hookSpans(hookTracePath(dir, id)),
  ];
  const spans = [...exact.spans, ...estimated.filter(outside(exact.spans))];
  const { events, startMs } = chromeTrace(history.title ?? `Session ${id}`, spans);
  return {
    id,
    damagedLines,
    *pieces() {
      yield '{"traceEvents":[';
      for (const [index, event] of events.entries()) yield `${index === 0 ? "" : ","}\n${asciiJson(event)}`;
      const about = { session: id, startedAt: new Date(startMs).toISOString(), exact: exact.spans.length > 0 };
      yield `\n],"displayTimeUnit":"ms","otherData":${JSON.stringify(about)}}\n`;
    },
  };
}

function spansOf(
  path: string,
  id: string,
  isNamed: boolean,
): { readonly spans: readonly Span[] } | { message: string } {
  if (!isNamed && !existsSync(path)) return { spans: [] };
  try {
    return { spans: [...readSpanLog(path)].filter(({ session }) => session === id) };
  } catch (error) {
    return {
      message: `The log "${path}" cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    };
  }
}

/** Whether a span is from a time that the log does not cover. One session may run several times, with the log or without. */
function outside(exact: readonly Span[]): (span: Span) => boolean {
  const covered: [number, number][] = [];
  for (const { startMs, ms } of exact.filter(({ kind }) => kind !== "hook").toSorted((a, b) => a.startMs - b.startMs)) {
    const last = covered.at(-1);
    // Runs of one process; between processes is more time than this.
    if (last && startMs <= last[1] + SLACK_MS) last[1] = Math.max(last[1], startMs + ms);
    else covered.push([startMs, startMs + ms]);
  }
  return ({ startMs, ms }) => {
    const middle = startMs + ms / 2;
    return !covered.some(([from, to]) => middle >= from - SLACK_MS && middle <= to + SLACK_MS);
  };
}

const SLACK_MS = 1_000;

function agentSpans(
  path: string,
  id: string,
): readonly { readonly spans: readonly Span[]; readonly damaged: number }[] {
  try {
    const history = openHistory(path);
    const agent = { id, type: readAgentMeta(path)?.agentType ?? "agent" };
    return [{ spans: [...transcriptSpans(history.entries(), agent)], damaged: history.damaged }];
  } catch {
    // It said nothing yet, or its file cannot be read.
    return [];
  }
}

function* hookSpans(path: string): Generator<Span> {
  if (!existsSync(path)) return;
  for (const { at, label, type, source, input, run } of readHookTrace(path)) {
    const end = Date.parse(at);
    if (!Number.isFinite(end) || !(run.durationMs >= 0)) continue;
    const { agent_id: id, agent_type: kind } = isObject(input) ? input : {};
    const agent = typeof id === "string" ? { id, type: typeof kind === "string" ? kind : "agent" } : undefined;
    const facts = { type, source, outcome: run.outcome };
    yield { kind: "hook", name: label, startMs: end - run.durationMs, ms: run.durationMs, agent, facts };
  }
}
