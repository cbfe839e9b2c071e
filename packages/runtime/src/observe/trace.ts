// Writes what took how long while a session runs, for `keelson trace`. Loaded only with KEELSON_TRACE.

import { isObject } from "@keelson/protocol";
import type { Span } from "@keelson/store/span-log";
import { callWatch } from "./call-watch.ts";
import type { Fact, RequestEnd, RequestStart, Watcher } from "./facts.ts";

/** `close` is called when the session ended. */
export function traceWatcher(add: (span: Span) => void, close: () => void): Watcher {
  const callsEnded = callWatch();
  const requests = new Map<RequestStart, { isTurn: boolean }>();
  const types = new Map<string, string>();
  let runStart: number | undefined;
  const agentOf = (id: string | undefined) => (id === undefined ? undefined : { id, type: types.get(id) ?? "agent" });

  const see = (fact: Fact): void => {
    if ("agent" in fact && fact.agent) types.set(fact.agent.id, fact.agent.type);
    for (const { id, tool, endMs, ran = { ms: 0, endMs }, result, agent } of callsEnded(fact)) {
      const facts = { id, failed: result.is_error === true };
      add({ kind: "tool", name: tool, startMs: ran.endMs - ran.ms, ms: ran.ms, agent, facts });
    }
    switch (fact.type) {
      case "run_start":
        runStart = fact.at;
        return;
      case "run_end":
        if (runStart === undefined) return;
        add({ kind: "run", name: "Run", startMs: runStart, ms: fact.at - runStart, facts: { end: fact.end.reason } });
        runStart = undefined;
        return;
      case "request_start":
        requests.set(fact, { isTurn: false });
        return;
      case "request_end": {
        const isTurn = requests.get(fact.request)?.isTurn === true;
        requests.delete(fact.request);
        return add(requestSpan(fact, isTurn, agentOf(fact.request.agentId)));
      }
      case "entries": {
        const { at, agent } = fact;
        if (fact.entries.some(({ type }) => type === "assistant")) {
          for (const [{ agentId }, request] of requests) if (agentId === agent?.id) request.isTurn = true;
        }
        for (const entry of fact.entries) {
          const span = entry.type === "system" ? compactionSpan(entry, at) : undefined;
          if (span) add({ ...span, agent });
        }
        return;
      }
      case "permission":
        // Rules decide at once; only waiting for an answer is worth a look.
        if (fact.ms < 1) return;
        return add({
          kind: "permission",
          name: `Permission: ${fact.request.tool.name}`,
          startMs: fact.at - fact.ms,
          ms: fact.ms,
          agent: fact.agent,
          facts: { id: fact.request.call.id, behavior: fact.permission.behavior, by: fact.permission.by },
        });
      case "hook": {
        const { label, registration, run, input } = fact.firing;
        const id = input["agent_id"];
        return add({
          kind: "hook",
          name: label,
          startMs: fact.at - run.durationMs,
          ms: run.durationMs,
          agent: agentOf(typeof id === "string" ? id : undefined),
          facts: { type: registration.handler.type, source: registration.source, outcome: run.outcome },
        });
      }
    }
  };
  return {
    see,
    async close() {
      close();
    },
  };
}

function requestSpan(end: RequestEnd, isTurn: boolean, agent: Span["agent"]): Span {
  const { request, at, firstAt, model, usage, costUsd, stopReason, retries, error } = end;
  return {
    kind: "request",
    name: model,
    startMs: request.at,
    ms: at - request.at,
    agent,
    facts: {
      turn: isTurn,
      ...(firstAt === undefined ? {} : { firstMs: firstAt - request.at }),
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheCreationTokens: usage.cache_creation_input_tokens ?? 0,
      ...(costUsd === null ? {} : { costUsd }),
      ...(stopReason === null ? {} : { stopReason }),
      ...(retries === 0 ? {} : { retries }),
      ...(error === undefined ? {} : { error: error.kind }),
    },
  };
}

/** A compaction from its entry in a transcript; undefined for any other entry. */
export function compactionSpan(entry: object, at: number): Span | undefined {
  const { subtype, compactMetadata } = entry as { subtype?: unknown; compactMetadata?: unknown };
  if (subtype !== "compact_boundary" || !isObject(compactMetadata)) return undefined;
  const { trigger, preTokens, postTokens, durationMs } = compactMetadata;
  const ms = typeof durationMs === "number" && durationMs > 0 ? durationMs : 0;
  const counts = { tokensBefore: preTokens, tokensAfter: postTokens, trigger };
  const known = Object.entries(counts).filter(([, value]) => typeof value === "number" || typeof value === "string");
  return {
    kind: "compaction",
    name: "Compaction",
    startMs: at - ms,
    ms,
    facts: Object.fromEntries(known) as Span["facts"],
  };
}
