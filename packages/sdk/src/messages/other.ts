// Messages with their own type that belong neither to the conversation nor to `system`.

import type { UUID } from "node:crypto";

type Stamp = { uuid: UUID; session_id: string };

export type SDKToolProgressMessage = Stamp & {
  type: "tool_progress";
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  task_id?: string;
  heartbeat?: boolean;
  subagent_type?: string;
  /** A subagent's request is sent again. Absent in the message that follows when it was answered. */
  subagent_retry?: {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error_category: string;
  };
};

export type SDKAuthStatusMessage = Stamp & {
  type: "auth_status";
  isAuthenticating: boolean;
  output: string[];
  error?: string;
};

export type SDKRateLimitInfo = {
  status: "allowed" | "allowed_warning" | "rejected";
  resetsAt?: number;
  rateLimitType?:
    "five_hour" | "overage" | "seven_day" | "seven_day_opus" | "seven_day_overage_included" | "seven_day_sonnet";
  utilization?: number;
  overageStatus?: "allowed" | "allowed_warning" | "rejected";
  overageResetsAt?: number;
  overageDisabledReason?: string;
  isUsingOverage?: boolean;
  surpassedThreshold?: number;
  limitScope?: string;
  errorCode?: string;
};

export type SDKRateLimitEvent = Stamp & { type: "rate_limit_event"; rate_limit_info: SDKRateLimitInfo };

export type SDKToolUseSummaryMessage = Stamp & {
  type: "tool_use_summary";
  summary: string;
  preceding_tool_use_ids: string[];
};

export type SDKPromptSuggestionMessage = Stamp & { type: "prompt_suggestion"; suggestion: string };

export type SDKConversationResetMessage = Stamp & {
  type: "conversation_reset";
  new_conversation_id: UUID;
  trigger?: "clear" | "fresh_session" | "onboarding" | "plan_mode_exit";
  user_message_uuid?: string;
};

export type SDKOtherMessage =
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKRateLimitEvent
  | SDKToolUseSummaryMessage
  | SDKPromptSuggestionMessage
  | SDKConversationResetMessage;
