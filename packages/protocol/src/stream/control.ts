// Control requests and responses: the side channel of the stream, matched by request id.

import { isObject } from "../json.ts";
import type { AttachedClient } from "./stream-messages.ts";
import type { ControlSubtype, FieldsOf, PendingQuestions, UncheckedRequest } from "./control-requests.ts";

export interface ControlRequest {
  readonly type: "control_request";
  readonly request_id: string;
  readonly request: UncheckedRequest;
}

export interface ControlResponse {
  readonly type: "control_response";
  readonly response:
    | ({
        readonly subtype: "success";
        readonly request_id: string;
        readonly response?: unknown;
      } & Partial<PendingQuestions>)
    | {
        readonly subtype: "error";
        readonly request_id: string;
        readonly error: string;
        readonly error_code?: string;
        /** Keelson only: there is no file of this name. The reference has no code for it, and its clients read none. */
        readonly missing?: true;
      };
}

export interface ControlCancelRequest {
  readonly type: "control_cancel_request";
  readonly request_id: string;
  /** Keelson only, of a question: the other client that answered it. Absent if no client did. */
  readonly answered_by?: AttachedClient;
}

/** A request as its sender makes it. */
export function controlBody<Subtype extends ControlSubtype>(
  subtype: Subtype,
  fields?: FieldsOf<Subtype>,
): UncheckedRequest {
  return { subtype, ...(fields as object | undefined) } as UncheckedRequest;
}

export function controlSuccess(requestId: string, response?: unknown): ControlResponse {
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, ...(response === undefined ? {} : { response }) },
  };
}

export function controlError(requestId: string, error: string, errorCode?: string, missing?: true): ControlResponse {
  return {
    type: "control_response",
    response: {
      subtype: "error",
      request_id: requestId,
      error,
      ...(errorCode === undefined ? {} : { error_code: errorCode }),
      ...(missing ? { missing } : {}),
    },
  };
}

/**
 * Clients put `request_id` inside `response`. One description of the protocol puts it at the top level, so that is
 * accepted, too, but never sent.
 */
export function readControlResponse(line: Record<string, unknown>): ControlResponse | undefined {
  const inner = line["response"];
  if (!isObject(inner)) return undefined;
  const requestId = inner["request_id"] ?? line["request_id"];
  if (typeof requestId !== "string") return undefined;
  if (inner["subtype"] === "error") {
    const code = inner["error_code"];
    return controlError(
      requestId,
      String(inner["error"] ?? "Unknown error"),
      typeof code === "string" ? code : undefined,
    );
  }
  return controlSuccess(requestId, inner["response"]);
}
