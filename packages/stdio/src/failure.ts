// The result message for a session that could not be opened.

import { NO_USAGE, type ResultMessage } from "@keelson/protocol";

/** What the reference sends for an unknown session ID (test/sessions/resume/continue.test.ts). */
export function failureResult(sessionId: string, message: string): ResultMessage {
  return {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    errors: [message],
    stop_reason: null,
    session_id: sessionId,
    total_cost_usd: 0,
    usage: NO_USAGE,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: "turn_setup_failed",
    uuid: crypto.randomUUID(),
  };
}
