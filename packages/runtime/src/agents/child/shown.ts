// What clients see of a subagent's requests. A `status` or `api_retry` without an agent would pass for the session's own.

import type { Signal } from "@keelson/protocol";

interface ShownAgent {
  readonly id: string;
  readonly type: string;
  /** The call that started it. */
  readonly toolUseId: string;
}

export interface ShownSignals {
  show(signal: Signal): void | Promise<void>;
  /** The request that was retried is over. */
  replied(): void;
}

/** Retries are shown as progress of the call that started the agent; progress without a retry says that it is over. */
export function shownSignals(
  { id, type, toolUseId }: ShownAgent,
  elapsedMs: () => number,
  show: (signal: Signal) => void | Promise<void>,
): ShownSignals {
  let isRetrying = false;
  const progress = (retry: object) =>
    show({
      type: "tool_progress",
      tool_use_id: toolUseId,
      tool_name: "Agent",
      parent_tool_use_id: toolUseId,
      elapsed_time_seconds: Math.round(elapsedMs() / 1000),
      subagent_type: type,
      ...retry,
    });
  return {
    show(signal) {
      if (signal.type !== "system" || (signal.subtype !== "status" && signal.subtype !== "api_retry"))
        return show(signal);
      if (signal.subtype === "status") return undefined;
      isRetrying = true;
      const { attempt, max_retries, retry_delay_ms, error_status, error: error_category } = signal;
      return progress({
        subagent_retry: { agent_id: id, attempt, max_retries, retry_delay_ms, error_status, error_category },
      });
    },
    replied() {
      if (!isRetrying) return;
      isRetrying = false;
      void progress({});
    },
  };
}
