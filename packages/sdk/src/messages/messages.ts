// Everything a query yields. Messages of a newer program that are not listed here are yielded too.

import type { UUID } from "node:crypto";
import type { BetaMessage, BetaRawMessageStreamEvent, MessageParam, NonNullableUsage } from "./content.ts";
import type { SDKOtherMessage } from "./other.ts";
import type { SDKSystemMessage, SDKSystemSignal } from "./system.ts";

export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKSystemSignal
  | SDKOtherMessage;

export type SDKAssistantMessageError =
  | "authentication_failed"
  | "oauth_org_not_allowed"
  | "account_on_hold"
  | "verification_required"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "unknown"
  | "max_output_tokens"
  | "cloud_credential_error";

/** One finished block of a reply; blocks of one reply share `message.id`. */
export type SDKAssistantMessage = {
  type: "assistant";
  message: BetaMessage;
  /** Set inside a subagent: the call that started it. */
  parent_tool_use_id: string | null;
  error?: SDKAssistantMessageError;
  request_id?: string;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
  aborted?: true;
  supersedes?: string[];
  /** Where the tools of MCP servers that it calls come from. */
  tool_use_meta?: { id: string; display_name: string; server_display_name: string; tool_name: string }[];
  timestamp?: string;
  uuid: UUID;
  session_id: string;
};

export type SDKMessageOrigin =
  | { kind: "human" }
  | { kind: "channel"; server: string }
  | { kind: "peer"; from: string; name?: string }
  | { kind: "task-notification"; subkind?: string; fireReason?: string; runId?: string }
  | { kind: "coordinator" }
  | { kind: "unclassified" }
  | { kind: "observer"; from: string; senderTaskId: string }
  | { kind: "auto-continuation" }
  | { kind: "observer-activity" };

/** A message to the model: from the caller, from a tool, or from the program itself (`isSynthetic`). */
export type SDKUserMessage = {
  type: "user";
  message: MessageParam;
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  /** A tool's whole output; the model may have been shown less. */
  tool_use_result?: unknown;
  /** How long the call ran, without the time that a person was asked. 0 if it did not run. */
  tool_duration_ms?: number;
  priority?: "now" | "next" | "later";
  /** False: add it to the conversation without asking the model. */
  shouldQuery?: boolean;
  origin?: SDKMessageOrigin;
  timestamp?: string;
  /** Send the text as it is: no mentions, no slash commands. */
  client_composed?: true;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
  uuid?: UUID;
  session_id?: string;
};

export type SDKUserMessageReplay = Omit<SDKUserMessage, "uuid" | "session_id"> & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
};

export type SDKPartialAssistantMessage = {
  type: "stream_event";
  event: BetaRawMessageStreamEvent;
  parent_tool_use_id: string | null;
  ttft_ms?: number;
  uuid: UUID;
  session_id: string;
};

export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  cacheCreationEphemeral5mInputTokens?: number;
  cacheCreationEphemeral1hInputTokens?: number;
  webSearchRequests: number;
  /** Null at run time if the model's price is unknown. */
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
  canonicalModel?: string;
  provider?: string;
  costBasis?: "list" | "managed" | "unknown";
};

export type SDKPermissionDenial = { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> };

export type TerminalReason =
  | "blocking_limit"
  | "rapid_refill_breaker"
  | "prompt_too_long"
  | "image_error"
  | "model_error"
  | "api_error"
  | "malformed_tool_use_exhausted"
  | "aborted_streaming"
  | "aborted_tools"
  | "stop_hook_prevented"
  | "hook_stopped"
  | "tool_deferred"
  | "max_turns"
  | "background_requested"
  | "completed"
  | "budget_exhausted"
  | "structured_output_retry_exhausted"
  | "tool_deferred_unavailable"
  | "turn_setup_failed";

type AnyResult = {
  type: "result";
  duration_ms: number;
  duration_api_ms: number;
  is_error: boolean;
  num_turns: number;
  stop_reason: string | null;
  /** For the whole process so far. Null at run time if a model with an unknown price was used. */
  total_cost_usd: number;
  usage: NonNullableUsage;
  modelUsage: Record<string, ModelUsage>;
  permission_denials: SDKPermissionDenial[];
  terminal_reason?: TerminalReason;
  origin?: SDKMessageOrigin;
  api_error_status?: number | null;
  api_error_type?: string;
  queued_turn_count?: number;
  result_index?: number;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  uuid: UUID;
  session_id: string;
};

export type SDKResultSuccess = AnyResult & {
  subtype: "success";
  result: string;
  structured_output?: unknown;
  deferred_tool_use?: SDKDeferredToolUse;
  /** Name of a slash command that ran without the model. */
  local_command?: string;
};

export type SDKDeferredToolUse = { id: string; name: string; input: Record<string, unknown> };

export type SDKResultError = AnyResult & {
  subtype:
    "error_during_execution" | "error_max_turns" | "error_max_budget_usd" | "error_max_structured_output_retries";
  errors: string[];
  startup_failure_reason?: string;
};

/** How one run ended. There is exactly one per prompt. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;
