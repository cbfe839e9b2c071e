// A request to the model: its tokens and cost, an event, and a span.

import type { RequestEnd } from "../../facts.ts";
import type { Reporter } from "../reporter.ts";
import { agentLabel } from "./agent-label.ts";

export function reportRequest({ count, event, span }: Reporter, end: RequestEnd): void {
  const { request, at, firstAt, usage, costUsd, retries, error, stopReason, messageId, model } = end;
  const { input_tokens: input, output_tokens: output } = usage;
  const [read, created] = [usage.cache_read_input_tokens ?? 0, usage.cache_creation_input_tokens ?? 0];
  const query_source = request.agentId === undefined ? "main" : "subagent";
  const usageTypes = { input, output, cacheRead: read, cacheCreation: created };
  for (const [type, value] of Object.entries(usageTypes)) {
    count("claude_code.token.usage", value, { type, model, query_source });
  }
  if (costUsd !== null) count("claude_code.cost.usage", costUsd, { model, query_source });

  const attempt = retries + 1;
  const about = { model, duration_ms: Math.round(at - request.at), query_source };
  const tokens = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_creation_tokens: created,
  };
  if (!error) event("api_request", at, { ...about, ...tokens, cost_usd: costUsd ?? undefined, request_id: messageId });
  else if (error.kind !== "aborted")
    event("api_error", at, { ...about, error: error.message, status_code: error.status, attempt });

  const own = { ...about, ...tokens, attempt, success: !error, stop_reason: stopReason ?? undefined };
  const ttft = firstAt === undefined ? {} : { ttft_ms: Math.round(firstAt - request.at) };
  const attributes = { ...own, ...ttft, ...agentLabel(request.agentId) };
  span("llm_request", { startMs: request.at, endMs: at }, attributes, { isClient: true, error: error?.message });
}
