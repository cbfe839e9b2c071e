// Notices of the stream, in our words where the message has none.

import { isObject, type Outbound, type SystemMessage, type SystemMessages } from "@keelson/protocol";
import type { CompactionItem, LimitItem, NoteItem, RewindItem } from "./item.ts";

/** Undefined for messages that are not part of the conversation. */
export function noticeItem(message: SystemMessage): NoteItem | CompactionItem | RewindItem | undefined {
  switch (message.subtype) {
    case "informational":
      return note(LEVELS[message.level], message.content);
    case "notification":
      return note(message.color === "error" || message.priority === "immediate" ? "warning" : "info", message.text);
    case "local_command_output":
      return note("info", message.content);
    case "model_fallback":
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
      return note("warning", message.content);
    case "hook_response":
      return hookNote(message);
    case "compact_boundary":
      return compaction(message.compact_metadata);
    case "conversation_rewound":
      return { kind: "rewind", text: message.content };
    case "status":
      return message.compact_result === "failed" && message.compact_error
        ? note("error", `The conversation was not compacted: ${message.compact_error}`)
        : undefined;
    default:
      return undefined;
  }
}

/** For a client that shows the output of `/compact`, which says it too, live and in the transcript. */
export const withoutCompactError = (message: Outbound): Outbound =>
  message.type === "system" && message.subtype === "status" && message.compact_error !== undefined
    ? { ...message, compact_error: undefined }
    : message;

const LEVELS: Readonly<Record<SystemMessages["informational"]["level"], NoteItem["level"]>> = {
  info: "info",
  notice: "info",
  suggestion: "info",
  warning: "warning",
  error: "error",
};

const note = (level: NoteItem["level"], text: string): NoteItem | undefined =>
  text.trim() === "" ? undefined : { kind: "note", level, text };

/** Hooks that worked are not mentioned. */
function hookNote(hook: SystemMessages["hook_response"]): NoteItem | undefined {
  const { hook_name: name, outcome, exit_code: code, stderr, output } = hook;
  if (outcome !== "error") return undefined;
  const said = (stderr || output).trim();
  const how = code === undefined ? "" : ` with exit code ${code}`;
  return note("warning", `Hook ${name} failed${how}${said === "" ? "" : `: ${said}`}`);
}

function compaction(metadata: unknown): CompactionItem {
  const { pre_tokens: before, post_tokens: after } = isObject(metadata) ? metadata : {};
  return {
    kind: "compaction",
    ...(typeof before === "number" ? { tokensBefore: before } : {}),
    ...(typeof after === "number" ? { tokensAfter: after } : {}),
  };
}

/** What the account may still use, if it is not plenty. */
export function limitItem(info: unknown): LimitItem | undefined {
  const { status, rateLimitType, utilization, resetsAt } = isObject(info) ? info : {};
  if (status !== "allowed_warning" && status !== "rejected") return undefined;
  return {
    kind: "limit",
    isReached: status === "rejected",
    ...(typeof rateLimitType === "string" ? { limit: rateLimitType } : {}),
    ...(typeof utilization === "number" ? { used: utilization } : {}),
    ...(typeof resetsAt === "number" ? { resetsAt: resetsAt * 1000 } : {}),
  };
}
