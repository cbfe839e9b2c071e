// What callers from outside are told.

import type { RouteReply } from "@keelson/web";
import type { RoutineRun } from "../records/run.ts";

export type HookErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "not_found_error"
  | "conflict_error"
  | "request_too_large"
  | "rate_limit_error"
  | "overloaded_error";

const STATUS: Readonly<Record<HookErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 503,
};

export function hookError(type: HookErrorType, message: string, headers: Record<string, string> = {}): RouteReply {
  return { status: STATUS[type], json: { type: "error", error: { type, message } }, headers };
}

/** For a run that exists, or for what was received and started none. */
export function firedReply(
  run: Pick<RoutineRun, "id" | "sessionId" | "state" | "reason"> | undefined,
  more: {
    readonly state?: string;
    readonly reason?: string | null;
    readonly sessionUrl?: string;
    readonly isReplayed?: boolean;
  },
): RouteReply {
  const reason = run?.reason ?? more.reason ?? null;
  return {
    json: {
      type: "routine_fire",
      id: run?.id ?? null,
      session_id: run?.sessionId ?? null,
      state: run?.state ?? more.state,
      ...(reason === null ? {} : { reason }),
      // As clients of the reference read it.
      ...(run && more.sessionUrl !== undefined
        ? { claude_code_session_id: run.sessionId, claude_code_session_url: more.sessionUrl }
        : {}),
    },
    headers: more.isReplayed === true ? { "Idempotent-Replayed": "true" } : {},
  };
}
