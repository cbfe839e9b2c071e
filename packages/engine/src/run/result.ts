// Turns the end of a run into its one `result` message. Pure.

import {
  NO_USAGE,
  type ModelUsage,
  type PermissionDenial,
  type ResultMessage,
  type ResultSubtype,
  type TerminalReason,
  type Usage,
} from "@keelson/protocol";
import type { ModelError } from "../errors.ts";

export interface Ending {
  readonly reason: TerminalReason;
  /** The last text, or what went wrong. */
  readonly text: string;
  readonly stopReason?: string | null;
  readonly structured?: unknown;
  readonly apiError?: ModelError;
  readonly maxTurns?: number;
  /** The call a hook deferred; a resumed session finds it open. */
  readonly deferred?: DeferredCall;
  /** The closing summary requested when turns ran out. */
  readonly summary?: string;
}

export interface DeferredCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface End extends Ending {
  readonly stopReason: string | null;
  readonly numTurns: number;
  readonly usage: Usage;
  readonly denials: readonly PermissionDenial[];
  /** When the first reply began. */
  readonly firstAt?: number | undefined;
  /** The command that was answered without the model. */
  readonly localCommand?: string;
}

export interface Totals {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly apiDurationMs: number;
  /** Null when a price is unknown. */
  readonly costUsd: number | null;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly maxBudgetUsd?: number;
}

export function resultOf(end: End, totals: Totals): Omit<ResultMessage, "uuid" | "session_id"> {
  const subtype = SUBTYPES[end.reason] ?? "success";
  const isError = subtype !== "success" || FAILED.has(end.reason);
  return {
    type: "result",
    subtype,
    is_error: isError,
    duration_ms: Math.round(totals.durationMs),
    duration_api_ms: Math.round(totals.apiDurationMs),
    ...(end.firstAt === undefined ? {} : { ttft_ms: Math.round(end.firstAt - totals.startedAt) }),
    num_turns: end.numTurns,
    ...(subtype === "success" ? { result: end.text } : { errors: errorsOf(end, totals) }),
    ...(end.summary === undefined ? {} : { result: end.summary }),
    ...(end.structured === undefined ? {} : { structured_output: end.structured }),
    ...(subtype === "success" ? { api_error_status: end.apiError?.status ?? null } : {}),
    ...(end.apiError?.apiType ? { api_error_type: end.apiError.apiType } : {}),
    ...(end.deferred ? { deferred_tool_use: end.deferred } : {}),
    stop_reason: end.stopReason,
    total_cost_usd: totals.costUsd,
    usage: end.usage,
    modelUsage: totals.modelUsage,
    permission_denials: end.denials,
    ...(end.localCommand === undefined ? { terminal_reason: end.reason } : { local_command: end.localCommand }),
  };
}

/** The end of a run that failed with an unexpected error. */
export function brokenRun(error: unknown): End {
  const text = `Keelson failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`;
  return { reason: "turn_setup_failed", text, stopReason: null, numTurns: 0, usage: addUsage(), denials: [] };
}

/** Adds two usages; without arguments, returns zero. */
export function addUsage(a: Usage = EMPTY, b: Usage = NO_USAGE): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_creation_input_tokens: (a.cache_creation_input_tokens ?? 0) + (b.cache_creation_input_tokens ?? 0),
    cache_read_input_tokens: (a.cache_read_input_tokens ?? 0) + (b.cache_read_input_tokens ?? 0),
    output_tokens: a.output_tokens + b.output_tokens,
    server_tool_use: {
      web_search_requests:
        (a.server_tool_use?.web_search_requests ?? 0) + (b.server_tool_use?.web_search_requests ?? 0),
      web_fetch_requests: (a.server_tool_use?.web_fetch_requests ?? 0) + (b.server_tool_use?.web_fetch_requests ?? 0),
    },
    service_tier: b.service_tier ?? a.service_tier ?? "standard",
    cache_creation: {
      ephemeral_1h_input_tokens:
        (a.cache_creation?.ephemeral_1h_input_tokens ?? 0) + (b.cache_creation?.ephemeral_1h_input_tokens ?? 0),
      ephemeral_5m_input_tokens:
        (a.cache_creation?.ephemeral_5m_input_tokens ?? 0) + (b.cache_creation?.ephemeral_5m_input_tokens ?? 0),
    },
  };
}

/**
 * The usage of a reply, updated with its last event. Some servers send zeros there for input counts they sent before.
 */
export function withCounted(usage: Usage, told: Partial<Usage> | undefined): Usage {
  const isKnown = ([key, value]: [string, unknown]) => value !== null && !(value === 0 && key.endsWith("input_tokens"));
  const counted = Object.entries(told ?? {}).filter(isKnown);
  return { ...usage, ...Object.fromEntries(counted) };
}

const EMPTY: Usage = { input_tokens: 0, output_tokens: 0 };

const SUBTYPES: Partial<Record<TerminalReason, ResultSubtype>> = {
  max_turns: "error_max_turns",
  budget_exhausted: "error_max_budget_usd",
  structured_output_retry_exhausted: "error_max_structured_output_retries",
  aborted_streaming: "error_during_execution",
  aborted_tools: "error_during_execution",
  turn_setup_failed: "error_during_execution",
};

const FAILED = new Set<TerminalReason>([
  "api_error",
  "blocking_limit",
  "model_error",
  "prompt_too_long",
  "rapid_refill_breaker",
]);

function errorsOf(end: End, totals: Totals): readonly string[] {
  switch (end.reason) {
    case "max_turns":
      return [`Reached maximum number of turns (${end.maxTurns})`];
    case "budget_exhausted":
      return [`Reached maximum budget ($${totals.maxBudgetUsd})`];
    case "structured_output_retry_exhausted":
      return ["The model did not produce output that matches the schema within the allowed attempts"];
    case "aborted_streaming":
      return [interruptionMark(end.stopReason), "The run was interrupted"];
    case "aborted_tools":
      // A call may start, and be stopped, before the reply that makes it has ended.
      return [interruptionMark(end.stopReason ?? "tool_use"), "The run was interrupted"];
    default:
      return [end.text];
  }
}

/** Adapters tell by these words that a run was stopped and has not failed: the marker of the user is its last entry. */
const interruptionMark = (stopReason: string | null) =>
  `[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${stopReason}`;
