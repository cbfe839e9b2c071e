// What a page may send to a session. A prompt is rebuilt from the fields that a page may set, so nothing else gets in with it.

import {
  controlError,
  isObject,
  type ControlResponse,
  type ControlSubtype,
  type Inbound,
  type UncheckedRequest,
} from "@keelson/protocol";
import { readInbound } from "@keelson/protocol/inbound";
import type { DeviceRole } from "../devices/devices.ts";

export type ReadFrame =
  | { readonly message: Inbound }
  /** It is refused, and the connection stays open. */
  | { readonly reply: ControlResponse }
  /** Our page never sends this. */
  | { readonly problem: string };

/** What a page may ask that changes nothing; a device that only watches, too. */
const READING: readonly ControlSubtype[] = [
  "get_context_usage",
  "get_messages",
  "get_session_cost",
  "get_session_info",
  "get_task_output",
  "get_usage",
  "initialize",
  "list_models",
  "list_permission_rules",
  "mcp_status",
];

/** The control requests of the page. Others belong to programs that have started a session, or end it for all. */
const ALLOWED: ReadonlySet<string> = new Set<ControlSubtype>([
  ...READING,
  "apply_flag_settings",
  "cancel_async_message",
  "file_suggestions",
  "generate_session_title",
  "get_settings",
  "interrupt",
  "rename_session",
  "rewind_conversation",
  "rewind_files",
  "set_max_thinking_tokens",
  "set_model",
  "set_permission_mode",
  "stop_task",
]);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LONGEST_ID = 100;

export function readFrame(frame: string, role: DeviceRole): ReadFrame {
  const read = readAny(frame);
  if (role !== "viewer" || "problem" in read || "reply" in read) return read;
  const { message } = read;
  const isReading = message.type === "control_request" && isReadingRequest(message.request.subtype);
  return isReading ? read : { problem: "This device only watches" };
}

/** Whether it changes nothing. */
export const isReadingRequest = (subtype: string) => READING.some((each) => each === subtype);

function readAny(frame: string): ReadFrame {
  let message: Inbound | undefined;
  try {
    message = readInbound(frame);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  switch (message?.type) {
    case "user": {
      const { uuid, priority, message: said } = message;
      if (typeof uuid !== "string" || !UUID.test(uuid)) return { problem: "A prompt needs a uuid" };
      const problem = contentProblem(said.content);
      if (problem !== undefined) return { problem };
      const isKnown = priority === "now" || priority === "next" || priority === "later";
      return {
        message: {
          type: "user",
          message: { role: "user", content: said.content },
          parent_tool_use_id: null,
          uuid,
          ...(isKnown ? { priority } : {}),
        },
      };
    }
    case "control_request": {
      const { request_id: id, request } = message;
      if (id.length > LONGEST_ID) return { problem: "The id of the request is too long" };
      if (!ALLOWED.has(request.subtype)) {
        const name = request.subtype.slice(0, LONGEST_ID);
        return { reply: controlError(id, `A page cannot ask for ${name}`, "unsupported_request") };
      }
      return { message: { ...message, request: narrowed(request) } };
    }
    case "control_response":
    case "control_cancel_request":
      return { message };
    case "update_environment_variables":
      return { problem: "A page cannot set variables" };
    case undefined:
      return { problem: "Not a message that a session accepts" };
  }
}

/** A page brings no hooks or servers with it, sends providers nothing, gets no output of servers, and of the settings it changes one. */
function narrowed(request: UncheckedRequest): UncheckedRequest {
  const { subtype } = request;
  if (subtype === "initialize" || subtype === "list_models") return { subtype };
  if (subtype === "mcp_status") return { subtype, stderr: false };
  if (request.subtype !== "apply_flag_settings") return request;
  const { settings } = request;
  const effortLevel =
    isObject(settings) && typeof settings["effortLevel"] === "string" ? settings["effortLevel"] : null;
  return { subtype: "apply_flag_settings", settings: { effortLevel } };
}

/** Text, and images that are part of the message. */
function contentProblem(content: unknown): string | undefined {
  if (typeof content === "string") return undefined;
  const isOurs = (block: unknown) =>
    isObject(block) &&
    ((block["type"] === "text" && typeof block["text"] === "string") ||
      (block["type"] === "image" && isObject(block["source"]) && block["source"]["type"] === "base64"));
  return Array.isArray(content) && content.length > 0 && content.every(isOurs)
    ? undefined
    : "A prompt has text and images";
}
