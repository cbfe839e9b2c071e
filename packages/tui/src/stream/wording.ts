// The items of a conversation in the words of the terminal.

import type { CompactionItem, ConversationItem, EndItem, LimitItem, NoteItem } from "@keelson/client";
import { elapsed, shortCount } from "../blocks/amounts.ts";
import type { StreamItem } from "./item.ts";
import type { StreamedText } from "./streamed-text.ts";

export interface WordingOptions {
  readonly now: number;
  readonly showDuration: boolean;
  /** How much of the run was spent waiting for the user. */
  readonly waitedMs: number;
}

/** Undefined for what is not shown. */
export function worded(item: ConversationItem<StreamedText>, options: WordingOptions): StreamItem | undefined {
  switch (item.kind) {
    case "interruption":
      return note("warning", "Interrupted. Say what to do instead");
    case "compaction":
      return { kind: "boundary", label: compacted(item) };
    case "rewind":
      return { kind: "boundary", label: item.text };
    case "limit":
      return limitNote(item, options.now);
    case "end":
      return endNote(item, options);
    default:
      return item;
  }
}

const note = (level: NoteItem["level"], text: string): NoteItem => ({ kind: "note", level, text });

function compacted({ tokensBefore: before, tokensAfter: after }: CompactionItem): string {
  const label = "Conversation compacted";
  if (before === undefined) return label;
  if (after !== undefined && after >= before)
    return `Summarized, but not shorter: ${shortCount(before)} → ${shortCount(after)} tokens`;
  return `${label}, ${shortCount(before)}${after === undefined ? "" : ` → ${shortCount(after)}`} tokens`;
}

const LIMITS: Readonly<Record<string, string>> = { five_hour: "five hours", seven_day: "seven days" };

function limitNote({ isReached, limit = "", used, resetsAt }: LimitItem, now: number): NoteItem {
  const known = LIMITS[limit];
  const reset = resetsAt === undefined ? "" : `, reset in ${elapsed(resetsAt - now)}`;
  const name = known === undefined ? "the limit" : `the limit for ${known}`;
  if (isReached) return note("error", `Reached ${name}${reset}`);
  const share = used === undefined ? "Close to " : `Used ${Math.round(used * 100)}% of `;
  return note("warning", `${share}${name}${reset}`);
}

/** Runs that were as short as this are not timed. */
const SHORT_MS = 2_000;

/** How a run ended, if the reader does not know it already. */
function endNote({ result }: EndItem, { showDuration, waitedMs }: WordingOptions): NoteItem | undefined {
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
