// Turns transcript entries into wire messages; the only place that knows the field names of both. Pure.

import { isToolResult, type ContentBlock } from "./content.ts";
import type { ChainEntry } from "./entry.ts";
import type { AssistantMessage, Message, SystemMessage, UserMessage } from "./message.ts";

/** Undefined for entries that are not shown. */
export function project(entry: ChainEntry, parentToolUseId: string | null = null): Message | undefined {
  switch (entry.type) {
    case "assistant":
      return assistant(entry, parentToolUseId);
    case "user":
      return isPrompt(entry) ? undefined : user(entry, parentToolUseId);
    case "system":
      return system(entry);
    default:
      return undefined;
  }
}

/** A prompt as sent back to clients that asked for replay. */
export function projectPrompt(entry: ChainEntry & { type: "user" }): UserMessage {
  return { ...user(entry, null), isReplay: true };
}

/** Whether an entry is a prompt, not a tool result or text that Keelson added. */
export function isPrompt(entry: ChainEntry): entry is ChainEntry & { type: "user" } {
  return entry.type === "user" && entry.promptSource !== undefined;
}

function assistant(entry: ChainEntry & { type: "assistant" }, parentToolUseId: string | null): AssistantMessage {
  return {
    type: "assistant",
    // On the wire, `stop_reason` stays null until the result, as in the reference; only the file has it.
    message: entry.isApiErrorMessage ? entry.message : { ...entry.message, stop_reason: null },
    parent_tool_use_id: parentToolUseId,
    session_id: entry.sessionId,
    uuid: entry.uuid,
    timestamp: entry.timestamp,
    ...(entry.error === undefined ? {} : { error: entry.error }),
    ...(entry.isApiErrorMessage
      ? {
          is_api_error_message: true as const,
          api_error_status: entry.apiErrorStatus ?? null,
          ...(entry.apiErrorType === undefined ? {} : { api_error_type: entry.apiErrorType }),
        }
      : {}),
  };
}

function user(entry: ChainEntry & { type: "user" }, parentToolUseId: string | null): UserMessage {
  const { content } = entry.message;
  const result = typeof content === "string" ? undefined : (content as readonly ContentBlock[]).find(isToolResult);
  return {
    type: "user",
    message: entry.message,
    parent_tool_use_id: parentToolUseId,
    session_id: entry.sessionId,
    uuid: entry.uuid,
    timestamp: entry.timestamp,
    ...(entry.toolUseResult === undefined ? {} : { tool_use_result: entry.toolUseResult }),
    ...(entry.permissionDecision && result
      ? { tool_result_meta: [{ id: result.tool_use_id, permission_decision: entry.permissionDecision }] }
      : {}),
    ...(entry.isMeta ? { isSynthetic: true as const } : {}),
  };
}

function system(entry: ChainEntry & { type: "system" }): SystemMessage | undefined {
  if (entry.subtype !== "informational") return undefined;
  return {
    type: "system",
    subtype: entry.subtype,
    content: entry.content,
    level: entry.level ?? "info",
    session_id: entry.sessionId,
    uuid: entry.uuid,
  };
}
