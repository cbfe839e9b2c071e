// Notices of the stream, in our words where the message has none.

import { isObject, type ResultMessage, type SystemMessage, type SystemMessages } from "@keelson/protocol";
import { elapsed, shortCount } from "../blocks/amounts.ts";
import type { BoundaryItem, NoteItem } from "./item.ts";

/** Undefined for messages that are not shown in the conversation. */
export function systemItem(message: SystemMessage): NoteItem | BoundaryItem | undefined {
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
      return { kind: "boundary", label: compacted(message.compact_metadata) };
    case "status":
      return message.compact_result === "failed" && message.compact_error
        ? note("error", `The conversation was not compacted: ${message.compact_error}`)
        : undefined;
    default:
      return undefined;
  }
}

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

function compacted(metadata: unknown): string {
  const about = isObject(metadata) ? metadata : {};
  const { pre_tokens: before, post_tokens: after } = about;
  const label = "Conversation compacted";
  if (typeof before !== "number") return label;
  return `${label}, ${shortCount(before)}${typeof after === "number" ? ` → ${shortCount(after)}` : ""} tokens`;
}

const LIMITS: Readonly<Record<string, string>> = { five_hour: "five hours", seven_day: "seven days" };

/** What the account may still use, if it is not plenty. */
export function limitNote(info: unknown, now: number): NoteItem | undefined {
  const { status, rateLimitType, utilization, resetsAt } = isObject(info) ? info : {};
  if (status !== "allowed_warning" && status !== "rejected") return undefined;
  const limit = LIMITS[String(rateLimitType)] ?? "";
  const used = typeof utilization === "number" ? `${Math.round(utilization * 100)}% of ` : "";
  const reset = typeof resetsAt === "number" ? `, reset in ${elapsed(resetsAt * 1000 - now)}` : "";
  const name = limit === "" ? "the limit" : `the limit for ${limit}`;
  return status === "rejected"
    ? note("error", `Reached ${name}${reset}`)
    : note("warning", `${used === "" ? "Close to " : `Used ${used}`}${name}${reset}`);
}

/** Runs that were as short as this are not timed. */
const SHORT_MS = 2_000;

/** How a run ended, if the reader does not know it already. */
export function endNote(
  result: ResultMessage,
  { showDuration, waitedMs }: { readonly showDuration: boolean; readonly waitedMs: number },
) {
  const { subtype, terminal_reason: reason, errors, duration_ms: total, is_error, local_command } = result;
  if (subtype !== "success") {
    // The interruption is already there.
    if (reason === "aborted_streaming" || reason === "aborted_tools") return undefined;
    const text = (errors ?? []).join("\n") || ENDINGS[subtype] || `The run failed (${subtype})`;
    return note("error", text);
  }
  if (reason === "hook_stopped" || reason === "stop_hook_prevented") return note("warning", "Stopped by a hook");
  const ms = total - waitedMs;
  if (is_error || local_command !== undefined || !showDuration || ms < SHORT_MS) return undefined;
  return note("quiet", `Worked for ${elapsed(ms)}`);
}

const ENDINGS: Readonly<Record<string, string>> = {
  error_max_turns: "Reached the maximum number of turns",
  error_max_budget_usd: "Reached the budget",
  error_max_structured_output_retries: "The answers did not match the schema",
};
