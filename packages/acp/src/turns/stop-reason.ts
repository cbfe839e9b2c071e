// How a run ended, as an editor is told: a reason to stop, or an error.

import type { ResultMessage } from "@keelson/protocol";
import { ERROR_CODES, RpcError } from "../rpc/rpc-error.ts";

/** How a prompt is answered. */
export type TurnEnd = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** `signIn`: how the user can get a key, for a key that was rejected. */
export function stopReasonOf(result: ResultMessage, signIn: () => RpcError): TurnEnd | RpcError {
  const { subtype, terminal_reason: ended, stop_reason: stopped } = result;
  if (ended === "aborted_streaming" || ended === "aborted_tools") return "cancelled";
  if (subtype === "error_max_turns" || subtype === "error_max_budget_usd") return "max_turn_requests";
  if (stopped === "max_tokens" || stopped === "refusal") return stopped;
  if (stopped === "model_context_window_exceeded") return "max_tokens";
  if (result.api_error_status === 401) return signIn();
  if (subtype === "success" && !result.is_error) return "end_turn";
  const text = result.errors?.join("\n") || result.result || "The run failed";
  return new RpcError(ERROR_CODES.internal, text);
}

/** Whether the reply to a prompt is an error, which says what went wrong. */
export const endsInError = (result: ResultMessage): boolean =>
  typeof stopReasonOf(result, () => new RpcError(ERROR_CODES.signInRequired, "")) !== "string";
