// What a session reports by OpenTelemetry: metrics, events and spans with the names that compatible programs use. Content
// is left out unless the variables ask for it, and credentials always. Loaded only with CLAUDE_CODE_ENABLE_TELEMETRY.

import { callWatch } from "../call-watch.ts";
import type { Watcher } from "../facts.ts";
import type { SpanContext } from "./pipeline.ts";
import { newSpanId, openReporter, type ReporterOptions } from "./reporter.ts";
import { reportCall, reportDecision } from "./reports/call.ts";
import { reportEntries } from "./reports/entries.ts";
import { reportHook } from "./reports/hook.ts";
import { reportRequest } from "./reports/request.ts";

export interface TelemetryOptions extends ReporterOptions {
  readonly isResumed: boolean;
}

const REDACTED = "<REDACTED>";

export function telemetryWatcher(options: TelemetryOptions): Watcher {
  const { plan, pipeline, sessionId } = options;
  const reporter = openReporter(options);
  const { begin, count, event, span } = reporter;
  const callsEnded = callWatch();
  const calls = openCallSpans();
  let run: (SpanContext & { readonly startMs: number; prompt?: string }) | undefined;
  let [runs, counted] = [0, ""];
  let model = "";

  const shownPrompt = (text: string) => (plan.logs.prompts ? text : REDACTED);

  const startRun = (at: number) => {
    runs++;
    run = { ...begin(), startMs: at };
    if (counted === sessionId()) return;
    count("claude_code.session.count", 1, { start_type: counted === "" && options.isResumed ? "resume" : "fresh" });
    counted = sessionId();
  };

  const endRun = (at: number, reason: string) => {
    if (!run) return;
    const { startMs, traceId, spanId, prompt } = run;
    count("claude_code.active_time.total", (at - startMs) / 1_000, { type: "cli" });
    const attributes = {
      ...(prompt === undefined ? {} : { user_prompt_length: prompt.length, user_prompt: shownPrompt(prompt) }),
      "interaction.sequence": runs,
      "interaction.duration_ms": Math.round(at - startMs),
      end_reason: reason,
    };
    const place = { traceId, spanId, parentSpanId: plan.parent?.spanId };
    span("interaction", { startMs, endMs: at }, attributes, place);
    run = undefined;
  };

  return {
    see(fact) {
      for (const ended of callsEnded(fact)) {
        reportCall(reporter, plan, ended, { spanId: calls.idOf(ended.id), model });
        calls.end(ended.id);
      }
      switch (fact.type) {
        case "run_start":
          return startRun(fact.at);
        case "run_end":
          return endRun(fact.at, fact.end.reason);
        case "request_end":
          if (fact.request.agentId === undefined) model = fact.model;
          return reportRequest(reporter, fact);
        case "permission":
          return reportDecision(reporter, plan, fact, calls.idOf(fact.request.call.id));
        case "entries":
          return reportEntries(reporter, plan, fact);
        case "event":
          if (fact.event === "UserPromptSubmit" && !fact.agent) {
            const prompt = String(fact.input["prompt"] ?? "");
            if (run) run.prompt = prompt;
            event("user_prompt", fact.at, { prompt_length: prompt.length, prompt: shownPrompt(prompt) });
          }
          // Its hooks end before it does.
          if (fact.event === "PreToolUse") calls.idOf(String(fact.input["tool_use_id"]));
          return;
        case "hook":
          return reportHook(reporter, fact, calls.known(fact.firing.input["tool_use_id"]));
      }
    },
    close: () => pipeline.close(),
  };
}

/** Calls that never get a result must not pile up. */
const MOST_CALLS = 1_000;

/** The spans of calls that are not over, by the id of the call. */
function openCallSpans() {
  const ids = new Map<string, string>();
  return {
    /** A new one for a call that is not known. */
    idOf(call: string): string {
      if (ids.size > MOST_CALLS) ids.clear();
      const id = ids.get(call) ?? newSpanId();
      ids.set(call, id);
      return id;
    },
    known: (call: unknown) => (typeof call === "string" ? ids.get(call) : undefined),
    end: (call: string) => void ids.delete(call),
  };
}
