// What a session reports by OpenTelemetry: metrics, events and spans with the names that compatible programs use. Content
// is left out unless the variables ask for it, and credentials always. Loaded only with CLAUDE_CODE_ENABLE_TELEMETRY.

import { isObject, textOf } from "@keelson/protocol";
import { changedLines } from "../../model/cost.ts";
import { callWatch, type EndedCall } from "../call-watch.ts";
import type { Fact, RequestEnd, Watcher } from "../facts.ts";
import type { Attributes } from "./otlp.ts";
import type { SpanContext } from "./pipeline.ts";
import { LONGEST_TEXT, newSpanId, openReporter, type ReporterOptions } from "./reporter.ts";
import { inputText, editLanguage, parametersOf, decisionSource, reportedTool } from "./tool-facts.ts";

export interface TelemetryOptions extends ReporterOptions {
  readonly isResumed: boolean;
}

const REDACTED = "<REDACTED>";
/** Calls that never get a result must not pile up. */
const MOST_CALLS = 1_000;
const EDITS = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

export function telemetryWatcher(options: TelemetryOptions): Watcher {
  const { plan, pipeline, sessionId } = options;
  const { begin, count, event, span } = openReporter(options);
  const callsEnded = callWatch();
  let run: (SpanContext & { readonly startMs: number; prompt?: string }) | undefined;
  let [runs, counted] = [0, ""];
  let model = "";
  /** Spans that are not over, by the id of the call. */
  const calls = new Map<string, string>();

  const callSpan = (id: string) => {
    if (calls.size > MOST_CALLS) calls.clear();
    if (!calls.has(id)) calls.set(id, newSpanId());
    return calls.get(id)!;
  };

  const prompted = (text: string, at: number) => {
    if (run) run.prompt = text;
    event("user_prompt", at, { prompt_length: text.length, prompt: plan.logs.prompts ? text : REDACTED });
  };

  const requested = (end: RequestEnd) => {
    const { request, at, firstAt, usage, costUsd, retries, error, stopReason, messageId } = end;
    const { input_tokens: input, output_tokens: output } = usage;
    const [read, created] = [usage.cache_read_input_tokens ?? 0, usage.cache_creation_input_tokens ?? 0];
    const duration_ms = Math.round(at - request.at);
    const query_source = request.agentId === undefined ? "main" : "subagent";
    if (request.agentId === undefined) model = end.model;
    const about = { model: end.model, duration_ms, query_source };
    const tokens = {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: read,
      cache_creation_tokens: created,
    };
    const usageTypes = { input, output, cacheRead: read, cacheCreation: created };
    for (const [type, value] of Object.entries(usageTypes)) {
      count("claude_code.token.usage", value, { type, model: end.model, query_source });
    }
    if (costUsd !== null) count("claude_code.cost.usage", costUsd, { model: end.model, query_source });
    if (error) {
      const attempt = retries + 1;
      if (error.kind !== "aborted")
        event("api_error", at, { ...about, error: error.message, status_code: error.status, attempt });
    } else event("api_request", at, { ...about, ...tokens, cost_usd: costUsd ?? undefined, request_id: messageId });
    const own = { ...about, ...tokens, attempt: retries + 1, success: !error, stop_reason: stopReason ?? undefined };
    const ttft = firstAt === undefined ? {} : { ttft_ms: Math.round(firstAt - request.at) };
    span(
      "llm_request",
      request.at,
      at,
      { ...own, ...ttft, ...agentOf(request.agentId) },
      { isClient: true, error: error?.message },
    );
  };

  const decided = ({ request, permission, at, ms, agent }: Extract<Fact, { type: "permission" }>) => {
    const { tool, input, call } = request;
    const tool_name = reportedTool(tool.name, plan.logs.toolDetails);
    const decision = permission.behavior === "allow" ? "accept" : "reject";
    const source = decisionSource(permission);
    event("tool_decision", at, { tool_name, tool_use_id: call.id, decision, source });
    if (EDITS.has(tool.name)) {
      count("claude_code.code_edit_tool.decision", 1, { tool_name, decision, source, language: editLanguage(input) });
    }
    const own = { tool_name, decision, source, duration_ms: Math.round(ms), ...agentOf(agent?.id) };
    if (ms >= 1) span("tool.blocked_on_user", at - ms, at, own, { parentSpanId: callSpan(call.id) });
  };

  const called = (ended: EndedCall) => {
    const { id, tool, input, startMs, endMs, ranMs, permission, result, output, agent } = ended;
    const { toolDetails, toolContent } = plan.logs;
    const tool_name = reportedTool(tool, toolDetails);
    const success = result.is_error !== true;
    const text = typeof result.content === "string" ? result.content : textOf(result.content ?? []);
    const duration_ms = Math.round(ranMs ?? endMs - startMs);
    event("tool_result", endMs, {
      tool_name,
      tool_use_id: id,
      success: String(success),
      duration_ms,
      ...(success ? {} : { error: toolDetails ? text.slice(0, 1_000) : "error" }),
      ...(permission
        ? {
            decision_type: permission.behavior === "allow" ? "accept" : "reject",
            decision_source: decisionSource(permission),
          }
        : {}),
      tool_input_size_bytes: Buffer.byteLength(JSON.stringify(input) ?? ""),
      tool_result_size_bytes: Buffer.byteLength(text),
      ...(toolDetails ? { tool_parameters: parametersOf(tool, input), tool_input: inputText(input) } : {}),
    });
    const { added, removed } = changedLines(output);
    count("claude_code.lines_of_code.count", added, { type: "added", model });
    count("claude_code.lines_of_code.count", removed, { type: "removed", model });
    const command =
      tool === "Bash" && success && isObject(input) && typeof input["command"] === "string" ? input["command"] : "";
    if (/\bgit\b[^|;&\n]*\scommit\b(?![^|;&\n]*--dry-run)/.test(command)) count("claude_code.commit.count", 1);
    if (/\b(?:gh\s+pr|glab\s+mr)\s+create\b/.test(command)) count("claude_code.pull_request.count", 1);

    const spanId = callSpan(id);
    calls.delete(id);
    const error = success ? undefined : "The tool failed";
    const content = toolContent ? { tool_input: inputText(input, LONGEST_TEXT), tool_output: text } : {};
    const details = toolDetails ? { tool_parameters: parametersOf(tool, input) } : {};
    const own = {
      tool_name,
      tool_use_id: id,
      success,
      duration_ms: Math.round(endMs - startMs),
      ...agentOf(agent?.id),
    };
    span("tool", startMs, endMs, { ...own, ...details, ...content }, { spanId, error });
    if (ranMs === undefined) return;
    span("tool.execution", endMs - ranMs, endMs, { tool_name, success, duration_ms }, { parentSpanId: spanId, error });
  };

  const recorded = ({ entries, at, agent }: Extract<Fact, { type: "entries" }>) => {
    for (const entry of entries) {
      if (entry.type === "system" && entry.subtype === "compact_boundary" && isObject(entry["compactMetadata"])) {
        const { trigger, preTokens, postTokens, durationMs } = entry["compactMetadata"];
        const ms = typeof durationMs === "number" ? durationMs : 0;
        const own = {
          trigger: String(trigger),
          duration_ms: ms,
          pre_tokens: numberOr(preTokens),
          post_tokens: numberOr(postTokens),
        };
        event("compaction", at, { ...own, success: "true" });
        span("compaction", at - ms, at, { ...own, ...agentOf(agent?.id) });
      }
      if (entry.type !== "assistant" || !plan.logs.replies) continue;
      const text = textOf(entry.message.content);
      if (text !== "")
        event("assistant_response", at, { model: entry.message.model, response_length: text.length, response: text });
    }
  };

  const ran = (at: number, reason: string) => {
    if (!run) return;
    const { startMs, traceId, spanId, prompt } = run;
    count("claude_code.active_time.total", (at - startMs) / 1_000, { type: "cli" });
    const text =
      prompt === undefined
        ? {}
        : { user_prompt_length: prompt.length, user_prompt: plan.logs.prompts ? prompt : REDACTED };
    const own = {
      ...text,
      "interaction.sequence": runs,
      "interaction.duration_ms": Math.round(at - startMs),
      end_reason: reason,
    };
    span("interaction", startMs, at, own, { traceId, spanId, parentSpanId: plan.parent?.spanId });
    run = undefined;
  };

  return {
    see(fact) {
      for (const ended of callsEnded(fact)) called(ended);
      switch (fact.type) {
        case "run_start":
          runs++;
          run = { ...begin(), startMs: fact.at };
          if (counted === sessionId()) return;
          count("claude_code.session.count", 1, {
            start_type: counted === "" && options.isResumed ? "resume" : "fresh",
          });
          counted = sessionId();
          return;
        case "run_end":
          return ran(fact.at, fact.end.reason);
        case "request_end":
          return requested(fact);
        case "permission":
          return decided(fact);
        case "entries":
          return recorded(fact);
        case "event":
          if (fact.event === "UserPromptSubmit" && !fact.agent) prompted(String(fact.input["prompt"] ?? ""), fact.at);
          // Its hooks end before it does.
          if (fact.event === "PreToolUse") callSpan(String(fact.input["tool_use_id"]));
          return;
        case "hook": {
          const { label, event: hook_event, registration, run: ranHook, input } = fact.firing;
          const { handler, source } = registration;
          const { tool_use_id: id, agent_id: agent } = input;
          const ms = ranHook.durationMs;
          const about = {
            hook_event,
            hook_name: label,
            hook_type: handler.type,
            hook_source: source,
            duration_ms: Math.round(ms),
          };
          const own = { ...about, outcome: ranHook.outcome, ...agentOf(typeof agent === "string" ? agent : undefined) };
          const parent = typeof id === "string" && calls.has(id) ? { parentSpanId: calls.get(id)! } : {};
          return span("hook", fact.at - ms, fact.at, own, {
            ...parent,
            error: ranHook.outcome === "error" ? "The hook failed" : undefined,
          });
        }
      }
    },
    close: () => pipeline.close(),
  };
}

const agentOf = (id: string | undefined): Attributes => (id === undefined ? {} : { "agent.id": id });

const numberOr = (value: unknown) => (typeof value === "number" ? value : undefined);
