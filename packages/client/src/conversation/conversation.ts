// Messages of the stream to the items of a conversation. It reads no clock and draws nothing: a front end says what time it
// is, and is told what is new and what changed.

import {
  blocksOf,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  type AssistantMessage,
  type ContentBlock,
  type Outbound,
  type PromptMessage,
  type StreamEventMessage,
  type SystemMessage,
  type SystemMessages,
  type ToolRunningSignal,
  type ToolResultBlock,
  type UserMessage,
} from "@keelson/protocol";
import { isAgentCall } from "../calls/known.ts";
import { callResultOf, isInterruption, promptItems, refusalIn, wordsOfRefusal } from "./content.ts";
import {
  isSettled,
  type AnswerItem,
  type CallItem,
  type CallState,
  type ConversationItem,
  type NoteItem,
  type ThinkingItem,
} from "./item.ts";
import { limitItem, noticeItem } from "./notices.ts";
import { StreamedReply, type ReplyItem } from "./streamed-reply.ts";
import { Subagents } from "./subagents.ts";
import type { GrowingText } from "./text.ts";

/** A request to the model that will be repeated. */
export interface Retry {
  readonly attempt: number;
  readonly most: number;
  /** When it is repeated, in milliseconds. */
  readonly atMs: number;
  readonly status: number | null;
  readonly error: string;
}

/** Where the items go. */
export interface ConversationView<Text extends GrowingText> {
  /** Collects an answer. */
  newText(): Text;
  /** Paths inside this folder are shown relative to it, where the session does not say how. */
  readonly cwd?: string;
  add(item: ConversationItem<Text>): void;
  /** `delta`: what is new at the end of an answer or a thought. */
  change?(item: ReplyItem<Text>, delta?: string): void;
  /** The model starts over. False if the item was shown for good; then it stays as it is. */
  remove(item: ReplyItem<Text>): boolean;
  /** Nothing more comes of it, and no message will have it. It stays as far as it came. */
  lost?(item: AnswerItem<Text> | ThinkingItem): void;
  /** A run is over: calls without a result get none. */
  settled?(): void;
  /** Another conversation begins. */
  clear(): void;
}

export class ConversationReader<Text extends GrowingText> {
  /** Set while a request is waited for. */
  retry: Retry | undefined;
  /** The call of the agent that waits for it, if the session itself does not. */
  #retriedBy: string | undefined;
  readonly #view: ConversationView<Text>;
  /** Calls that may still change. */
  readonly #calls = new Map<string, CallItem>();
  readonly #reply: StreamedReply<Text>;
  readonly #agents: Subagents;
  /** What was said about the limits of the account in this run. */
  #limitReached: boolean | undefined;
  /** A command was typed, and what is printed belongs to it. */
  #command = false;
  /** Why a conversation was not compacted, as the note says already. */
  #compactError = "";
  /** Prompts that are shown already. */
  readonly #shown = new Set<string>();
  /** Ids of prompts that the session has repeated. To a client that sends one again, it repeats it again. */
  readonly #repeated = new Set<string>();
  /** Ids of prompts that were typed here and are not among the items yet. */
  readonly #typed = new Set<string>();

  constructor(view: ConversationView<Text>) {
    this.#view = view;
    this.#agents = new Subagents({
      call: (id) => this.#calls.get(id),
      changed: (call) => this.#changed(call),
      cwd: () => view.cwd ?? "",
    });
    this.#reply = new StreamedReply<Text>({
      newText: () => view.newText(),
      cwd: () => view.cwd ?? "",
      add: (item) => this.#addReply(item),
      change: (item, delta) => view.change?.(item, delta),
      remove: (item) => {
        if (item.kind === "call") this.#calls.delete(item.id);
        return view.remove(item);
      },
      lost: (item) => view.lost?.(item),
    });
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
      case "tool_running":
        this.#running(message, now);
        break;
      case "result":
        this.settle(now);
        this.#view.add({ kind: "end", result: message });
        break;
      case "rate_limit_event":
        this.#limit(message.rate_limit_info);
        break;
      case "conversation_reset":
        this.#startAnew();
        break;
      case "stream":
        // The newest messages of the transcript follow, or what is in progress of the newest one.
        if (message.subtype === "reset") {
          this.#shown.clear();
          this.#startAnew();
        } else if (message.subtype === "snapshot") this.#reply.replace(message.events, now);
        break;
      default:
        break;
    }
  }

  /** Shows a prompt before the session repeats it. */
  addPrompt({ message: { content }, uuid }: PromptMessage): void {
    if (uuid !== undefined) this.#shown.add(uuid);
    for (const item of promptItems(content)) this.#add(item, uuid);
  }

  /** The prompt with this id was typed here. */
  typed(uuid: string): void {
    this.#typed.add(uuid);
  }

  /** A call waits until it is approved. */
  asked(callId: string): void {
    const call = this.#calls.get(callId);
    if (call && !isSettled(call)) this.#changed(call, "waiting");
  }

  /** It does not wait any more. */
  answered(callId: string, now: number): void {
    const call = this.#calls.get(callId);
    if (call?.state !== "waiting") return;
    call.startedMs = now;
    // The time that the answer took is not the call's.
    delete call.stamp;
    this.#changed(call, "running");
  }

  /** Finishes everything that is open: the run is over, the replay of a session is, or the session is. */
  settle(now: number): void {
    this.retry = undefined;
    this.#reply.abandon(now, { restart: false });
    for (const call of this.#calls.values()) if (!isSettled(call)) this.#changed(call, "interrupted");
    this.#calls.clear();
    this.#agents.settle();
    this.#view.settled?.();
  }

  #startAnew(): void {
    this.#repeated.clear();
    this.retry = undefined;
    this.#reply.forget();
    this.#agents.settle();
    this.#calls.clear();
    this.#view.clear();
  }

  #event({ event, parent_tool_use_id: parent, tool_use_meta: metas }: StreamEventMessage, now: number): void {
    if (parent !== null && parent !== undefined) return;
    this.retry = undefined;
    this.#reply.take(event, metas, now);
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
      if (text !== this.#compactError) this.#view.add({ kind: "output", text, as: "markdown", isError: false });
      return;
    }
    if (!this.#reply.settle(message, block, now)) this.#whole(message, block, now);
    if (!isToolUse(block)) return;
    const call = this.#calls.get(block.id);
    if (call === undefined) return;
    const stamp = Date.parse(message.timestamp ?? "");
    if (!Number.isNaN(stamp)) call.stamp = stamp;
    if (isAgentCall(call.name)) this.#agents.begin(call);
  }

  /** A block of which no deltas came. */
  #whole({ tool_use_meta: metas }: AssistantMessage, block: ContentBlock, now: number): void {
    const item = this.#reply.itemOf(block, metas, now);
    if (item === undefined) return;
    if (item.kind === "answer") item.text.end();
    // How long a thought took is known only of what was watched.
    if (item.kind === "call") item.state = "running";
    else item.done = true;
    this.#addReply(item);
  }

  #addReply(item: ReplyItem<Text>): void {
    if (item.kind === "call") this.#calls.set(item.id, item);
    this.#view.add(item);
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
      this.settle(now);
      this.#view.add({ kind: "interruption" });
    } else if (isSynthetic) {
      const [item] = promptItems(content);
      if (item?.kind === "prompt") this.#view.add({ kind: "summary", text: item.text });
    } else {
      if (message.isReplay && this.#repeated.has(uuid)) return;
      // Messages of other programs may have none.
      if (uuid) this.#repeated.add(uuid);
      const isShown = this.#shown.delete(uuid);
      const from = origin === undefined ? undefined : (origin.schedule ?? origin.subkind);
      for (const item of promptItems(content, from)) if (!isShown || item.kind !== "prompt") this.#add(item, uuid);
    }
  }

  /** A prompt, or what a command printed. What a request changed is printed as well, without a command above it. */
  #add(item: ReturnType<typeof promptItems>[number], uuid: string | undefined): void {
    if (item.kind === "prompt") {
      this.#command = item.as !== "prompt" || item.text.startsWith("/");
      const isTyped = uuid !== undefined && this.#typed.delete(uuid);
      return this.#view.add(isTyped ? { ...item, typed: true } : item);
    }
    if (item.text === this.#compactError) return;
    this.#view.add(this.#command ? item : { kind: "note", level: item.isError ? "error" : "quiet", text: item.text });
  }

  #toolResult(block: ToolResultBlock, message: UserMessage, now: number): void {
    const { tool_use_result: output, tool_duration_ms: ranMs, timestamp } = message;
    const call = this.#calls.get(block.tool_use_id);
    if (call === undefined) return;
    call.result = callResultOf(block, output);
    const end = Date.parse(timestamp ?? "");
    // Other programs do not record how long a call ran.
    call.durationMs =
      ranMs ?? (call.stamp === undefined || Number.isNaN(end) ? now - call.startedMs : Math.max(0, end - call.stamp));
    if (isObject(output) && (typeof output["backgroundTaskId"] === "string" || output["isAsync"] === true))
      call.inBackground = true;
    this.#agents.end(call.id);
    this.#endRetry(call.id);
    this.#calls.delete(call.id);
    const refusal = call.denied === undefined ? refusalIn(message, call.result, call.id) : "denied";
    if (refusal === "denied") call.denied ??= call.result.text;
    if (refusal === "person") call.instead = wordsOfRefusal(call.result);
    if (refusal === "interrupted") return this.#changed(call, "interrupted");
    this.#changed(call, refusal === undefined ? (call.result.isError ? "failed" : "done") : "denied");
  }

  #system(message: SystemMessage, now: number): void {
    const { subtype } = message;
    // A run begins, so the one before is over, even if its end was never recorded.
    if (subtype === "init") {
      this.settle(now);
      this.#limitReached = undefined;
    }
    if (message.subtype === "api_retry") return this.#retries(message, message.error, now);
    if (message.subtype === "permission_denied") {
      const call = this.#calls.get(message.tool_use_id);
      const { decision_reason: reason, how_to_allow: how } = message;
      const said = reason ?? message.message;
      if (call) call.denied = how === undefined ? said : `${said} (to allow it, use ${how})`;
      return;
    }
    if (message.subtype === "task_notification") this.#endRetry(message.tool_use_id);
    if (message.subtype === "status") this.#compactError = message.compact_error ?? "";
    const item = this.#agents.task(message) ?? noticeItem(message);
    if (item) this.#view.add(item);
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
    const call = this.#calls.get(id);
    if (!call) return;
    call.startedMs = Math.min(call.startedMs, now - seconds * 1000);
    this.#changed(call);
  }

  /** The first for a call says that it begins: it may have waited for its turn. */
  #running({ tool_use_id: id, output, output_lines: lines }: ToolRunningSignal, now: number): void {
    const call = this.#calls.get(id);
    if (call === undefined || isSettled(call)) return;
    if (output === undefined) {
      if (call.printed === undefined && call.state !== "waiting") call.startedMs = now;
    } else call.printed = { text: output, lines: lines ?? linesIn(output) };
    this.#changed(call);
  }

  /** It comes with each reply; a reader needs it once in a run. */
  #limit(info: unknown): void {
    const item = limitItem(info);
    if (item === undefined || this.#limitReached === item.isReached) return;
    this.#limitReached = item.isReached;
    this.#view.add(item);
  }

  #changed(call: CallItem, state: CallState = call.state): void {
    call.state = state;
    this.#view.change?.(call);
  }

  #note(level: NoteItem["level"], text: string): void {
    this.#view.add({ kind: "note", level, text });
  }
}

const linesIn = (text: string) => text.trimEnd().split("\n").length;
