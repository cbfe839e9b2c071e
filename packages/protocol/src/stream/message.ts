// The messages of the stream-json protocol. Those beside the conversation are in system-messages.ts.

import type { ModelMessage } from "../transcript/content.ts";
import type { AssistantSubject } from "../transcript/entry.ts";
import type { PermissionDenial } from "../configuration/permission.ts";
import type { PromptOrigin } from "./session.ts";
import type { StreamEvent, Usage } from "./stream-event.ts";
import type { StreamMessage } from "./stream-messages.ts";
import type {
  CommandLifecycleMessage,
  ConversationResetMessage,
  RateLimitSignal,
  Stamped,
  SystemSignal,
  SystemSubtype,
  ToolProgressSignal,
  ToolRunningSignal,
  TranscriptMirrorMessage,
} from "./system-messages.ts";
import type { ToolUseMeta } from "./tool-use.ts";

/** In messages of a subagent. */
interface FromAgent {
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
}

/** A `system` message as clients get it. */
export type SystemMessage<Subtype extends SystemSubtype = SystemSubtype> = {
  [Each in Subtype]: SystemSignal<Each> & Stamped;
}[Subtype];

export interface AssistantMessage extends Stamped, FromAgent {
  readonly type: "assistant";
  readonly message: AssistantSubject["message"];
  readonly parent_tool_use_id: string | null;
  readonly timestamp?: string;
  /** How the model's server names the request. */
  readonly request_id?: string;
  /** In the first message of a run: the prompt that started it, if the client gave it an id. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  /** An interrupt came before it was complete. */
  readonly aborted?: true;
  readonly error?: string;
  readonly is_api_error_message?: true;
  readonly api_error_status?: number | null;
  readonly api_error_type?: string;
  /** What its calls are called. Of tools that are not from MCP servers, only for clients that ask for it. */
  readonly tool_use_meta?: readonly ToolUseMeta[];
}

export interface UserMessage extends Stamped, FromAgent {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: ModelMessage["content"] };
  readonly parent_tool_use_id: string | null;
  readonly timestamp?: string;
  readonly tool_use_result?: unknown;
  readonly tool_result_meta?: readonly unknown[];
  /** How long the call ran, without the time that a person was waited for. 0 if it did not run. */
  readonly tool_duration_ms?: number;
  readonly isSynthetic?: boolean;
  readonly isReplay?: true;
  /** Set if no one typed the prompt. */
  readonly origin?: PromptOrigin;
}

export interface StreamEventMessage extends Stamped {
  readonly type: "stream_event";
  readonly event: StreamEvent;
  readonly parent_tool_use_id: string | null;
  /** With the first event of a reply: how long it took. */
  readonly ttft_ms?: number;
  /** With the start of a call, for clients that ask for it. */
  readonly tool_use_meta?: readonly ToolUseMeta[];
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  /** Null if the price of the model is unknown. */
  readonly costUSD: number | null;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

export type ResultSubtype =
  | "success"
  | "error_max_turns"
  | "error_max_budget_usd"
  | "error_during_execution"
  | "error_max_structured_output_retries";

export type TerminalReason =
  | "completed"
  | "max_turns"
  | "budget_exhausted"
  | "structured_output_retry_exhausted"
  | "aborted_streaming"
  | "aborted_tools"
  | "api_error"
  | "model_error"
  | "prompt_too_long"
  | "blocking_limit"
  | "rapid_refill_breaker"
  | "hook_stopped"
  | "stop_hook_prevented"
  | "tool_deferred"
  | "turn_setup_failed";

export interface ResultMessage extends Stamped {
  readonly type: "result";
  readonly subtype: ResultSubtype;
  readonly is_error: boolean;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  /** From the prompt to the first event of the first reply. */
  readonly ttft_ms?: number;
  readonly num_turns: number;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly structured_output?: unknown;
  readonly deferred_tool_use?: { readonly id: string; readonly name: string; readonly input: unknown };
  readonly api_error_status?: number | null;
  readonly api_error_type?: string;
  readonly stop_reason: string | null;
  /** Null if the price of a model is unknown. */
  readonly total_cost_usd: number | null;
  readonly usage: Usage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  /** Absent for a command that was answered without the model. */
  readonly terminal_reason?: TerminalReason;
  /** The name of that command. */
  readonly local_command?: string;
  /** What started the run; absent if it was a prompt. */
  readonly origin?: { readonly kind: string };
  /** The prompt that started the run, if the client gave it an id, and with it those that joined. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  /** Prompts that wait. */
  readonly queued_turn_count?: number;
  /** Counts the results of this process, from zero. */
  readonly result_index?: number;
}

/** The other side may be newer, so there can be messages that are not listed here: they are passed on untouched. */
export type Message =
  | SystemMessage
  | AssistantMessage
  | UserMessage
  | StreamEventMessage
  | ResultMessage
  | CommandLifecycleMessage
  | ConversationResetMessage
  | TranscriptMirrorMessage
  | StreamMessage
  | (RateLimitSignal & Stamped)
  | (ToolProgressSignal & Stamped)
  | (ToolRunningSignal & Stamped);

/** A message that is shown but not stored. The outbox adds `uuid` and `session_id`. */
export type Signal =
  | SystemSignal
  | RateLimitSignal
  | ToolProgressSignal
  | ToolRunningSignal
  | Omit<StreamEventMessage, keyof Stamped>
  | Omit<ResultMessage, keyof Stamped>;

export function isResult(message: { readonly type: string }): message is ResultMessage {
  return message.type === "result";
}
