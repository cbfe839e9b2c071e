// Turns transcript entries into wire messages; the only place that knows the field names of both. Pure.

import { blocksOf, isToolResult, textOf, type ContentBlock } from "./content.ts";
import type { ChainEntry, ChainSubject, UserSubject } from "./entry.ts";
import { isObject } from "../json.ts";
import { reminderText } from "../reminder.ts";
import type { AssistantMessage, Message, SystemMessage, UserMessage } from "../stream/message.ts";
import { NO_USAGE } from "../stream/stream-event.ts";

/** Undefined for entries that are not shown. */
export function project(entry: ChainEntry, parentToolUseId: string | null = null): Message | undefined {
  switch (entry.type) {
    case "assistant":
      return assistant(entry, parentToolUseId);
    case "user":
      if (isCommandOutput(entry)) return projectPrompt(entry);
      return isPrompt(entry) || isCommandRecord(entry) ? undefined : user(entry, parentToolUseId);
    case "system":
      return system(entry);
    default:
      return undefined;
  }
}

/** A prompt as sent back to clients that asked for replay. */
export function projectPrompt(entry: ChainEntry & { type: "user" | "attachment" }): UserMessage {
  if (entry.type === "user") return { ...user(entry, null), isReplay: true };
  const { attachment, sessionId, timestamp } = entry;
  return {
    type: "user",
    message: { role: "user", content: attachment["prompt"] as UserSubject["message"]["content"] },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: typeof attachment["source_uuid"] === "string" ? attachment["source_uuid"] : entry.uuid,
    timestamp,
    isReplay: true,
  };
}

/** Whether an entry is a prompt that joined a run. */
export function isJoinedPrompt(entry: ChainEntry): entry is ChainEntry & { type: "attachment" } {
  if (entry.type !== "attachment" || entry.attachment.type !== "queued_command") return false;
  const { prompt } = entry.attachment;
  return typeof prompt === "string" || (Array.isArray(prompt) && prompt.every(isObject));
}

/** Whether an entry is a prompt, not a tool result or text that Keelson added. */
export function isPrompt(entry: ChainEntry): entry is ChainEntry & { type: "user" } {
  return entry.type === "user" && entry.promptSource !== undefined;
}

/** The `promptSource` of a command that was answered without the model. */
export const COMMAND_SOURCE = "command";

const COMMAND_RECORD = /^<(?:command-name>\/|local-command-(?:caveat|stdout|stderr)>)/;

/** Whether an entry records a command that was answered without the model. Neither the model nor clients read it. */
export function isCommandRecord(entry: ChainSubject): boolean {
  if (entry.type !== "user" || typeof entry.message.content !== "string") return false;
  const { promptSource } = entry;
  // A person may type such text, too.
  if (promptSource !== undefined && promptSource !== COMMAND_SOURCE) return false;
  return COMMAND_RECORD.test(entry.message.content);
}

/** What a command that changed the conversation printed. Clients get it, whether they asked for replay or not. */
const isCommandOutput = ({ message, promptSource }: UserSubject) =>
  promptSource === undefined &&
  typeof message.content === "string" &&
  /^<local-command-std(?:out|err)>/.test(message.content);

function assistant(entry: ChainEntry & { type: "assistant" }, parentToolUseId: string | null): AssistantMessage {
  return {
    type: "assistant",
    // On the wire, `stop_reason` stays null until the result, as in the reference; only the file has it.
    message: entry.isApiErrorMessage ? entry.message : { ...entry.message, stop_reason: null },
    parent_tool_use_id: parentToolUseId,
    session_id: entry.sessionId,
    uuid: entry.uuid,
    timestamp: entry.timestamp,
    ...(entry.requestId === undefined ? {} : { request_id: entry.requestId }),
    ...(entry.aborted ? { aborted: true as const } : {}),
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
    message: withoutAddedContext(entry).message,
    parent_tool_use_id: parentToolUseId,
    session_id: entry.sessionId,
    uuid: entry.uuid,
    timestamp: entry.timestamp,
    ...(entry.toolUseResult === undefined ? {} : { tool_use_result: entry.toolUseResult }),
    ...(result && (entry.permissionDecision || entry.toolDenialKind)
      ? { tool_result_meta: [resultMeta(result.tool_use_id, entry)] }
      : {}),
    ...(entry.toolDurationMs === undefined ? {} : { tool_duration_ms: entry.toolDurationMs }),
    ...(entry.isMeta || entry.isCompactSummary ? { isSynthetic: true as const } : {}),
    ...(entry.origin === undefined ? {} : { origin: entry.origin }),
  };
}

function resultMeta(id: string, { permissionDecision, toolDenialKind }: UserSubject) {
  const kind = toolDenialKind === undefined ? {} : { non_execution_kind: toolDenialKind };
  if (!permissionDecision) return { id, ...kind };
  const { reasonType, ...decided } = permissionDecision;
  const reason = reasonType === undefined ? {} : { reason_type: reasonType };
  return { id, ...kind, permission_decision: { ...decided, ...reason } };
}

/**
 * The message with the result as the tool gave it. Earlier versions put text for the model at its end: `added` is that
 * text, without its tags.
 */
export function withoutAddedContext({ message, addedContext }: UserSubject): {
  readonly message: UserSubject["message"];
  readonly added?: string;
} {
  const blocks = addedContext === undefined ? [] : blocksOf(message.content);
  const result = blocks.find(isToolResult);
  const content = result?.content;
  if (typeof addedContext !== "number" || !(typeof content === "string" || Array.isArray(content))) return { message };
  const at = Math.max(0, content.length - (typeof content === "string" ? addedContext : 1));
  const [own, added] = [content.slice(0, at) as typeof content, textOf(content.slice(at) as typeof content)];
  return {
    message: { ...message, content: blocks.map((block) => (block === result ? { ...result, content: own } : block)) },
    added: reminderText(added),
  };
}

const COMMAND_OUTPUT = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/;

/** Clients see the output of a command as a reply that no model made. Undefined if there was none. */
function commandOutput(entry: ChainEntry & { type: "system" }): AssistantMessage | undefined {
  const text = COMMAND_OUTPUT.exec(entry.content ?? "")?.[2] ?? entry.content ?? "";
  if (text === "") return undefined;
  return {
    type: "assistant",
    message: {
      id: entry.uuid,
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: NO_USAGE,
    },
    parent_tool_use_id: null,
    session_id: entry.sessionId,
    uuid: entry.uuid,
    timestamp: entry.timestamp,
  };
}

function boundary(entry: ChainEntry & { type: "system" }): SystemMessage<"compact_boundary"> {
  return {
    type: "system",
    subtype: "compact_boundary",
    session_id: entry.sessionId,
    uuid: entry.uuid,
    compact_metadata: withWireNames(entry["compactMetadata"]),
    ...(typeof entry["logicalParentUuid"] === "string" ? { logical_parent_uuid: entry["logicalParentUuid"] } : {}),
  };
}

function refusal(entry: ChainEntry & { type: "system" }): SystemMessage<"model_refusal_no_fallback"> {
  return {
    type: "system",
    subtype: "model_refusal_no_fallback",
    original_model: entry.originalModel ?? "",
    request_id: entry.requestId ?? null,
    api_refusal_category: entry.apiRefusalCategory,
    api_refusal_explanation: entry.apiRefusalExplanation,
    ...(entry.refusedUserMessageUuid === undefined ? {} : { refused_user_message_uuid: entry.refusedUserMessageUuid }),
    content: entry.content ?? "",
    uuid: entry.uuid,
    session_id: entry.sessionId,
  };
}

/** `preTokens` in the file is `pre_tokens` on the wire, at every depth. */
function withWireNames(value: any): any {
  if (Array.isArray(value)) return value.map(withWireNames);
  if (!isObject(value)) return value;
  const name = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), withWireNames(each)]));
}

function system(entry: ChainEntry & { type: "system" }): SystemMessage | AssistantMessage | undefined {
  if (entry.subtype === "local_command") return commandOutput(entry);
  if (entry.subtype === "compact_boundary") return boundary(entry);
  if (entry.subtype === "model_refusal_no_fallback") return refusal(entry);
  if (entry.subtype !== "informational") return undefined;
  const { content = "", level = "info", sessionId, uuid, rewoundTo, parentUuid } = entry;
  const said = { type: "system", content, session_id: sessionId, uuid } as const;
  return rewoundTo === undefined
    ? { ...said, subtype: "informational", level }
    : { ...said, subtype: "conversation_rewound", user_message_id: String(rewoundTo), leaf_uuid: parentUuid };
}
