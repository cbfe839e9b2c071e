// What took how long, as far as a transcript tells: entries have the time they were written, so a request begins when what
// it answers was written. Spans of requests and runs from here are therefore marked as estimates.

import { isObject, type ChainEntry } from "@keelson/protocol";
import type { Span } from "@keelson/store/history";
import { itemMaker } from "../export/items.ts";
import { compactionSpan } from "../observe/trace.ts";

/** One conversation, of the session or of a subagent. */
export function* transcriptSpans(entries: Iterable<ChainEntry>, agent?: Span["agent"]): Generator<Span> {
  const itemsOf = itemMaker();
  let run: { startMs: number; endMs: number } | undefined;
  let reply: Reply | undefined;
  /** When the model could be asked at the earliest. */
  let ready: number | undefined;
  const endReply = function* (): Generator<Span> {
    if (reply) yield requestSpan(reply, agent);
    reply = undefined;
  };
  const endRun = function* (): Generator<Span> {
    yield* endReply();
    if (run) yield span("run", "Run", run, { estimated: true }, agent);
    run = undefined;
  };

  for (const entry of entries) {
    const at = Date.parse(entry.timestamp);
    if (!Number.isFinite(at)) continue;
    const items = itemsOf(entry);
    if (items.some(({ kind }) => kind === "prompt")) {
      yield* endRun();
      run = { startMs: at, endMs: at };
    }
    const message = messageOf(entry);
    if (message) {
      if (reply?.id !== message.id) {
        yield* endReply();
        reply = { ...message, startMs: Math.min(ready ?? at, at), endMs: at };
      }
      reply = { ...reply!, ...message, endMs: Math.max(reply!.endMs, at) };
    }
    const compaction = entry.type === "system" ? compactionSpan(entry, at) : undefined;
    if (compaction) yield { ...compaction, agent };
    for (const item of items) {
      if (item.kind !== "result" || item.tool === undefined) continue;
      const startMs = at - (item.durationMs ?? 0);
      yield span("tool", item.tool, { startMs, endMs: at }, { id: item.id, failed: item.isError }, agent);
    }
    if (run) run.endMs = Math.max(run.endMs, at);
    // A result may be written while the reply is still coming; the next request waits for all of both.
    ready = at;
  }
  yield* endRun();
}

interface Reply {
  readonly id: string;
  readonly model: string;
  readonly facts: Span["facts"];
  readonly startMs: number;
  readonly endMs: number;
}

function requestSpan({ model, facts, ...times }: Reply, agent: Span["agent"]): Span {
  return span("request", model, times, { turn: true, ...facts, estimated: true }, agent);
}

function span(
  kind: Span["kind"],
  name: string,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  facts: Span["facts"],
  agent: Span["agent"],
): Span {
  return { kind, name, startMs, ms: Math.max(0, endMs - startMs), facts, agent };
}

/** What a reply of the model says about itself. Undefined for any other entry, and for errors that look like one. */
function messageOf(entry: ChainEntry): Omit<Reply, "startMs" | "endMs"> | undefined {
  const {
    type,
    message,
    isApiErrorMessage: failed,
  } = entry as { type: string; message?: unknown; isApiErrorMessage?: boolean };
  if (type !== "assistant" || failed || !isObject(message) || typeof message["id"] !== "string") return undefined;
  const { id, model, usage, stop_reason: stopReason } = message;
  const counted = isObject(usage) ? usage : {};
  const facts = {
    inputTokens: counted["input_tokens"],
    outputTokens: counted["output_tokens"],
    cacheReadTokens: counted["cache_read_input_tokens"],
    cacheCreationTokens: counted["cache_creation_input_tokens"],
    stopReason,
  };
  const known = Object.entries(facts).filter(([, value]) => typeof value === "number" || typeof value === "string");
  return { id, model: typeof model === "string" ? model : "model", facts: Object.fromEntries(known) as Span["facts"] };
}
