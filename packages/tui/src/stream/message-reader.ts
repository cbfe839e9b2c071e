// Turns the messages of the stream into items, and keeps those that are not written yet.

import {
  blocksOf,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  type AssistantMessage,
  type ContentBlock,
  type Outbound,
  type ResultMessage,
  type StreamEventMessage,
  type SystemMessage,
  type SystemMessages,
  type ToolResultBlock,
  type UserMessage,
} from "@keelson/protocol";
import { isAgentCall, isShownElsewhere } from "../blocks/calls/tools.ts";
import { isInterruption, promptItems, callResultOf } from "./content.ts";
import type { StreamItem, NoteItem } from "./item.ts";
import { ItemList } from "./item-list.ts";
import { finish, itemOf, StreamedReply } from "./streamed-reply.ts";
import { Subagents } from "./subagents.ts";
import { endNote, limitNote, systemItem } from "./system-items.ts";

/** A request to the model that will be repeated. */
export interface Retry {
  readonly attempt: number;
  readonly most: number;
  /** When it is repeated, in milliseconds. */
  readonly atMs: number;
  readonly status: number | null;
  readonly error: string;
}

interface ReaderOptions {
  readonly showDuration: boolean;
  waitedMs(now: number): number;
  /** The conversation starts anew. */
  reset(): void;
}

export class MessageReader {
  readonly items = new ItemList();
  retry: Retry | undefined;
  /** The call of the agent that waits for it, if the session itself does not. */
  #retriedBy: string | undefined;
  readonly #options: ReaderOptions;
  readonly #reply = new StreamedReply({
    add: (item) => this.items.add(item),
    remove: (item) => this.items.remove(item),
  });
  readonly #agents = new Subagents(this.items);
  /** What was said about the limits of the account in this run. */
  #limited: NoteItem["level"] | undefined;
  /** A command was typed, and what is printed belongs to it. */
  #command = false;
  /** Why a conversation was not compacted, as the note says already. */
  #compactError = "";
  /** Prompts that are shown already. */
  readonly #shown = new Set<string>();
  /** Ids of prompts that were typed here and are not among the items yet. */
  readonly #typed = new Set<string>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  take(message: Outbound, now: number): void {
    switch (message.type) {
      case "assistant":
        this.#assistant(message, now);
        break;
      case "user":
        this.#user(message, now);
        break;
      case "stream_event":
        this.#event(message, now);
        break;
      case "system":
        this.#system(message, now);
        break;
      case "tool_progress":
        this.#progress(message, now);
        break;
      case "result":
        this.#result(message, now);
        break;
      case "rate_limit_event":
        this.#limit(limitNote(message.rate_limit_info, now));
        break;
      case "conversation_reset":
        this.items.clear();
        this.#options.reset();
        break;
      default:
        break;
    }
  }

  addPrompts(items: readonly StreamItem[], uuid: string | undefined): void {
    if (uuid !== undefined) this.#shown.add(uuid);
    for (const item of items) this.#add(item, uuid);
  }

  /** The prompt with this id was typed here. */
  typed(uuid: string): void {
    this.#typed.add(uuid);
  }

  endRun(now: number): void {
    this.retry = undefined;
    this.#reply.abandon(now, { restart: false });
    this.items.endRun();
  }

  #event({ event, parent_tool_use_id: parent }: StreamEventMessage, now: number): void {
    if (parent !== null && parent !== undefined) return;
    this.retry = undefined;
    this.#reply.take(event, now);
  }

  #assistant(message: AssistantMessage, now: number): void {
    const { parent_tool_use_id: parent } = message;
    if (typeof parent === "string") {
      this.#agents.assistant(parent, message);
      return;
    }
    this.retry = undefined;
    for (const block of blocksOf(message.message.content)) this.#block(message, block, now);
  }

  #block(message: AssistantMessage, block: ContentBlock, now: number): void {
    if (message.is_api_error_message && isText(block)) {
      this.#note("error", block.text);
      return;
    }
    if (message.message.model === "<synthetic>" && isText(block)) {
      const text = block.text.trimEnd();
      if (text !== this.#compactError) this.items.add({ kind: "output", text, as: "markdown", isError: false });
      return;
    }
    if (!this.#reply.settle(message, block, now)) {
      const item = itemOf(block.type === "text" ? { type: "text", text: "" } : block, now);
      if (item === undefined) return;
      finish(item, block, now);
      // How long it took is known only of what was watched.
      if (item.kind === "thinking") delete item.durationMs;
      this.items.add(item);
    }
    if (!isToolUse(block)) return;
    const call = this.items.call(block.id);
    if (call === undefined) return;
    const stamp = Date.parse(message.timestamp ?? "");
    if (!Number.isNaN(stamp)) call.stamp = stamp;
    const meta = message.tool_use_meta?.find(({ id }) => id === block.id);
    if (meta) call.display = { server: meta.server_display_name, tool: meta.display_name };
    if (isAgentCall(call.name)) this.#agents.begin(call);
  }

  #user(message: UserMessage, now: number): void {
    const { parent_tool_use_id: parent, isSynthetic, uuid, origin } = message;
    const { content } = message.message;
    const results = blocksOf(content).filter(isToolResult);
    if (typeof parent === "string") {
      for (const result of results) this.#agents.result(parent, result);
      return;
    }
    for (const result of results) this.#toolResult(result, message, now);
    if (results.length > 0) return;
    if (isInterruption(content)) {
      this.endRun(now);
      this.#note("warning", "Interrupted. Say what to do instead");
    } else if (isSynthetic) {
      const [item] = promptItems(content);
      if (item?.kind === "prompt") this.items.add({ kind: "summary", text: item.text });
    } else {
      const isShown = this.#shown.delete(uuid);
      const from = origin === undefined ? undefined : (origin.schedule ?? origin.subkind);
      for (const item of promptItems(content, from)) if (!isShown || item.kind !== "prompt") this.#add(item, uuid);
    }
  }

  /** A prompt, or what a command printed. What a request changed is printed as well, without a command above it. */
  #add(item: StreamItem, uuid: string | undefined): void {
    if (item.kind === "prompt") {
      this.#command = item.as !== "prompt" || item.text.startsWith("/");
      const isTyped = uuid !== undefined && this.#typed.delete(uuid);
      return this.items.add(isTyped ? { ...item, typed: true } : item);
    }
    if (item.kind === "output" && item.text === this.#compactError) return;
    const isOnItsOwn = item.kind === "output" && !this.#command;
    this.items.add(isOnItsOwn ? { kind: "note", level: item.isError ? "error" : "quiet", text: item.text } : item);
  }

  #toolResult(
    block: ToolResultBlock,
    { tool_use_result: output, tool_duration_ms: ranMs, timestamp }: UserMessage,
    now: number,
  ): void {
    const call = this.items.call(block.tool_use_id);
    if (call === undefined) return;
    call.result = callResultOf(block, output);
    call.writing = false;
    const end = Date.parse(timestamp ?? "");
    // Other programs do not record how long a call ran.
    call.durationMs =
      ranMs ?? (call.stamp === undefined || Number.isNaN(end) ? now - call.startedMs : Math.max(0, end - call.stamp));
    if (isObject(output) && typeof output["backgroundTaskId"] === "string") call.inBackground = true;
    if (isObject(output) && output["isAsync"] === true) call.inBackground = true;
    this.#agents.end(call.id);
    this.#endRetry(call.id);
    if (call.result.isError && isShownElsewhere(call.name)) this.#note("error", `${call.name}: ${call.result.text}`);
    this.items.settled(call);
  }

  #system(message: SystemMessage, now: number): void {
    const { subtype } = message;
    // A run begins, so the one before is over, even if its end was never recorded.
    if (subtype === "init") {
      this.endRun(now);
      this.#limited = undefined;
    }
    if (message.subtype === "api_retry") return this.#retries(message, message.error, now);
    if (message.subtype === "permission_denied") {
      const call = this.items.call(message.tool_use_id);
      if (call) call.denied = message.decision_reason ?? message.message;
      return;
    }
    if (message.subtype === "task_notification") this.#endRetry(message.tool_use_id);
    if (message.subtype === "status") this.#compactError = message.compact_error ?? "";
    const item = this.#agents.task(message) ?? systemItem(message);
    if (item) this.items.add(item);
  }

  /** `callId`: of the agent whose request it is, if it is not the session's own. */
  #retries(retry: Omit<SystemMessages["api_retry"], "error">, error: string, now: number, callId?: string): void {
    this.#retriedBy = callId;
    this.retry = {
      attempt: retry.attempt,
      most: retry.max_retries,
      atMs: now + retry.retry_delay_ms,
      status: retry.error_status,
      error,
    };
  }

  /** The agent of this call got a reply, or ended. */
  #endRetry(callId: string | undefined): void {
    if (this.#retriedBy !== undefined && this.#retriedBy === callId) this.retry = undefined;
  }

  /** The call may have been running before this front end was attached. */
  #progress(message: Outbound & { readonly type: "tool_progress" }, now: number): void {
    const { tool_use_id: id, elapsed_time_seconds: seconds, subagent_retry: retry } = message;
    if (retry) this.#retries(retry, retry.error_category, now, id);
    else this.#endRetry(id);
    const call = this.items.call(id);
    if (call) call.startedMs = Math.min(call.startedMs, now - seconds * 1000);
  }

  #result(message: ResultMessage, now: number): void {
    this.endRun(now);
    const item = endNote(message, {
      showDuration: this.#options.showDuration,
      waitedMs: this.#options.waitedMs(now),
    });
    if (item) this.items.add(item);
  }

  /** It comes with each reply; a reader needs it once in a run. */
  #limit(item: NoteItem | undefined): void {
    if (item === undefined || this.#limited === item.level) return;
    this.#limited = item.level;
    this.items.add(item);
  }

  #note(level: NoteItem["level"], text: string): void {
    this.items.add({ kind: "note", level, text });
  }
}
