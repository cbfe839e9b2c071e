// Questions that are not about permission: those that MCP servers ask a person, and dialogs of the program itself.

import { isObject, type Unchecked } from "@keelson/protocol";
import { NO_ANSWER, type RequestContext } from "../control/control-request.ts";

export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: "form" | "url";
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

export type ElicitResult = { action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };
export type ElicitationResult = ElicitResult;

type Context = { signal: AbortSignal; requestId: string };

/** `null`: the answer is sent another way. */
export type OnElicitation = (request: ElicitationRequest, options: Context) => Promise<ElicitResult | null>;

export type UserDialogRequest = { dialogKind: string; payload: Record<string, unknown>; toolUseID?: string };
export type UserDialogResult = { behavior: "completed"; result: unknown } | { behavior: "cancelled" };

/** `null`: the answer is sent another way. */
export type OnUserDialog = (request: UserDialogRequest, options: Context) => Promise<UserDialogResult | null>;

export async function askElicitation(
  ask: OnElicitation | undefined,
  request: Unchecked<"elicitation">,
  asked: RequestContext,
) {
  if (ask === undefined) return { action: "decline" };
  const text = (name: keyof typeof request) =>
    typeof request[name] === "string" ? { [camel(name)]: request[name] } : {};
  const answer = await ask(
    {
      serverName: String(request.mcp_server_name),
      message: String(request.message ?? ""),
      ...text("mode"),
      ...text("url"),
      ...text("elicitation_id"),
      ...(isObject(request.requested_schema) ? { requestedSchema: request.requested_schema } : {}),
      ...text("title"),
      ...text("display_name"),
      ...text("description"),
    },
    { signal: asked.signal, requestId: asked.requestId },
  );
  return answer === null ? NO_ANSWER : answer;
}

export async function askUserDialog(
  ask: OnUserDialog | undefined,
  request: Unchecked<"request_user_dialog">,
  asked: RequestContext,
) {
  if (ask === undefined) return NO_ANSWER;
  const answer = await ask(
    {
      dialogKind: String(request.dialog_kind),
      payload: isObject(request.payload) ? request.payload : {},
      ...(typeof request.tool_use_id === "string" ? { toolUseID: request.tool_use_id } : {}),
    },
    { signal: asked.signal, requestId: asked.requestId },
  );
  return answer === null ? NO_ANSWER : answer;
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
