// What clients are told while a model request is tried again or goes to another model. Pure.

import type { ModelNotice } from "./ports.ts";

export function noticeSignal(notice: Exclude<ModelNotice, { type: "restart" | "pause" }>) {
  if (notice.type === "fallback") {
    return {
      type: "system" as const,
      subtype: "model_fallback",
      trigger: notice.reason,
      original_model: notice.from,
      fallback_model: notice.to,
      content: `${notice.from} is not available (${notice.reason}); this request goes to ${notice.to}`,
    };
  }
  return {
    type: "system" as const,
    subtype: "api_retry",
    attempt: notice.attempt,
    max_retries: notice.maxRetries,
    retry_delay_ms: notice.delayMs,
    error_status: notice.status,
    error: notice.error,
  };
}
