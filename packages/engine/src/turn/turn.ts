// One model request: events in, signals as they arrive, one entry per finished block. A block is recorded before its
// end is shown: when the next event arrives, which for the last block carries the stop reason, or when the stream
// pauses.

import {
  isBlank,
  isToolUse,
  NO_USAGE,
  type AssistantSubject,
  type ContentBlock,
  type JsonObject,
  type NewEntry,
  type ReplyMessage,
  type StopDetails,
  type StreamEvent,
  type ToolUseBlock,
  type Usage,
  type Signal,
} from "@keelson/protocol";
import { assembleBlock, withValidName, type BlockInProgress } from "./block.ts";
import type { Conversation } from "./conversation.ts";
import { ModelError } from "../errors.ts";
import type { ModelNotice, ModelRequest, Ports } from "../ports.ts";
import { withCounted } from "../run/result.ts";
import type { Tool } from "../tool/tool.ts";
import { recordedName, repairedCall } from "../tool/tool-call.ts";

export interface StreamedCall {
  readonly block: ToolUseBlock;
  /** The entry that contains it; its result is linked to that entry. */
  readonly entryId: string;
  /** Why the input the model sent is unusable. */
  readonly broken?: string;
  /** What was found when the call was recorded: its tool, and the input that the tool gets. */
  readonly checked?: { readonly tool: Tool; readonly input: JsonObject } | undefined;
}

export interface ModelReply {
  readonly calls: readonly StreamedCall[];
  readonly text: string;
  readonly stopReason: string | null;
  /** The connection was lost after at least one finished block. */
  readonly cut: boolean;
  readonly usage: Usage;
  readonly messageId: string;
  readonly model: string;
  readonly requestId: string | undefined;
  /** Why the model refused, if its server said. */
  readonly refusal: StopDetails | undefined;
  /** When its first event came. */
  readonly firstAt: number | undefined;
}

/** Runs the calls of a reply while it is still arriving. */
export interface Calls {
  start(call: StreamedCall): void;
  /** No further call may run. */
  halt(message: string): void;
  /** Aborted when a call ended the run: the rest of the reply is not needed. */
  readonly ended: AbortSignal;
}

/**
 * Asks the model and records its reply block by block. Each call starts once its block is recorded; the last one starts
 * when the reply is complete and charged. Throws ModelError if nothing usable arrived.
 */
export async function requestReply(
  request: ModelRequest,
  conversation: Conversation,
  ports: Ports,
  { start, halt, ended }: Calls,
): Promise<ModelReply> {
  const started = ports.now();
  let message: ReplyMessage | undefined;
  let requestId: string | undefined;
  let firstAt: number | undefined;
  /** By index: blocks may be written in parallel. */
  const open = new Map<number, BlockInProgress>();
  const states = new Map<string, JsonObject>();
  let held: { block: ContentBlock; broken?: string; end?: StreamEvent } | undefined;
  let usage: Usage = NO_USAGE;
  let stopReason: string | null = null;
  let stopSequence: string | null = null;
  let refusal: StopDetails | undefined;
  let lastEntry: string | undefined;
  let thinkingTokens = 0;
  /** Clients that draw deltas saw the beginning of the message, and not its end. */
  let isShownOpen = false;
  let isShown = ports.partial();
  const calls: StreamedCall[] = [];
  const texts: string[] = [];
  const waiting: StreamedCall[] = [];

  /** Stores, then shows: the entry of a finished block, then the event that ends it. */
  const release = async () => {
    if (!held || !message) return;
    const { block: sent, broken, end } = held;
    held = undefined;
    // The API refuses such a block in the next request, and there is nothing to show.
    if (isBlank(sent)) return void (end && (await show(end)));
    const entryId = ports.newId();
    const state = isToolUse(sent) ? states.get(sent.id) : undefined;
    // A call with state may be signed, and goes back as it came.
    const repaired = isToolUse(sent) && !broken && !state ? repairedCall(sent, ports) : undefined;
    const block = repaired?.block ?? sent;
    const named = requestId === undefined ? {} : { requestId };
    const unfinished = end ? {} : { aborted: true as const };
    const facts = assistantEntry(entryId, message, block, usage, stopReason, stopSequence);
    const bare = { ...facts, ...named, ...unfinished };
    const entry = state && isToolUse(block) ? { ...bare, callState: { [block.id]: state } } : bare;
    // The blocks of a reply form one chain, even if results were recorded between them.
    await ports.record([add(lastEntry === undefined ? entry : { ...entry, parentUuid: lastEntry })]);
    lastEntry = entryId;
    if (block.type === "text") texts.push((block as { text: string }).text);
    if (block.type === "tool_use") {
      const call = { block: block as ToolUseBlock, entryId, broken, checked: repaired?.checked };
      calls.push(call);
      if (stopReason === null) start(call);
      else waiting.push(call);
    }
    if (end) await show(end);
  };
  const withOurName = (block: ContentBlock): ContentBlock => {
    const name = isToolUse(block) ? recordedName(block.name, ports) : "";
    return isToolUse(block) && name !== block.name ? { ...block, name } : block;
  };
  /** Makes the ids of a reply's calls unique. */
  const withOwnId = (block: ContentBlock): ContentBlock => {
    if (!isToolUse(block)) return block;
    let isTaken = calls.some((call) => call.block.id === block.id);
    for (const { start: other } of open.values()) isTaken ||= isToolUse(other) && other.id === block.id;
    return block.id && !isTaken ? block : { ...block, id: `toolu_${ports.newId()}` };
  };
  const add = (entry: NewEntry) => {
    conversation.add(entry);
    return entry;
  };
  const replyOf = ({ cut }: { cut: boolean }): ModelReply => ({
    calls,
    text: texts.join(""),
    stopReason: cut ? null : stopReason,
    cut,
    usage,
    messageId: message?.id ?? "",
    model: message?.model ?? request.model,
    requestId,
    refusal,
    firstAt,
  });
  const show = (event: StreamEvent) => {
    // A client that comes amid a message gets deltas from the next one on.
    if (event.type === "message_start") isShown = ports.partial();
    if (!isShown) return undefined;
    if (event.type === "message_start") isShownOpen = true;
    else if (event.type === "message_stop") isShownOpen = false;
    const timing = event.type === "message_start" && firstAt !== undefined ? { ttft_ms: firstAt - started } : {};
    return ports.show({ type: "stream_event", event, parent_tool_use_id: null, ...timing });
  };

  /** Clients that draw deltas get an end for everything whose beginning they saw. */
  const closeShown = async () => {
    for (const index of open.keys()) await show({ type: "content_block_stop", index });
    open.clear();
    if (isShownOpen) await show({ type: "message_stop" });
  };

  // Only clients that get deltas see this status (test/conformance/protocol/cases/messages.ts).
  if (isShown) await ports.show({ type: "system", subtype: "status", status: "requesting" });
  try {
    for await (const sent of ports.model.provider.stream(request, AbortSignal.any([ports.signal, ended]))) {
      let event = sent;
      switch (event.type) {
        case "notice":
          if (event.notice.type === "restart") await closeShown();
          else if (event.notice.type !== "pause") await ports.show(noticeSignal(event.notice));
          else if (held?.block.type === "tool_use") await release();
          continue;
        case "message_start": {
          // A reply may start over only while none of it is recorded.
          if (held || lastEntry !== undefined) continue;
          // Some servers give every reply the same id, but we join the blocks of a reply by id.
          const { id } = event.message;
          message = id && !conversation.hasReply(id) ? event.message : { ...event.message, id: ports.newId() };
          usage = { ...NO_USAGE, ...event.message.usage };
          stopReason = stopSequence = null;
          const { requestId: told, ...start } = event;
          requestId = told;
          firstAt = ports.now();
          event = start;
          break;
        }
        case "content_block_start": {
          await release();
          const { callState, ...rest } = event;
          // A call with state may be signed, and goes back as it came.
          const start = withOwnId(withValidName(callState ? event.content_block : withOurName(event.content_block)));
          if (isToolUse(start)) ports.announced?.(start.name);
          if (callState && isToolUse(start)) states.set(start.id, callState);
          event = { ...rest, content_block: start };
          open.set(event.index, { start, parts: [] });
          break;
        }
        case "content_block_delta": {
          open.get(event.index)?.parts.push(event.delta);
          const thought = event.delta.type === "thinking_delta" ? (event.delta as { thinking?: unknown }).thinking : "";
          if (typeof thought === "string" && thought !== "" && request.agent === undefined) {
            const delta = Math.ceil(thought.length / LETTERS_OF_A_TOKEN);
            thinkingTokens += delta;
            await ports.show(thinkingSignal(thinkingTokens, delta));
          }
          break;
        }
        case "content_block_stop": {
          const block = open.get(event.index);
          if (!block) continue;
          await release();
          open.delete(event.index);
          held = { ...assembleBlock(block), end: event };
          continue;
        }
        case "message_delta":
          stopReason = event.delta.stop_reason ?? stopReason;
          stopSequence = event.delta.stop_sequence ?? stopSequence;
          refusal = event.delta.stop_details ?? refusal;
          usage = withCounted(usage, event.usage);
          await release();
          break;
        case "message_stop":
          await release();
          break;
        default:
          break;
      }
      const behind = show(event);
      if (behind) await behind;
    }
    await release();
  } catch (error) {
    await release();
    if (message) ports.charge(usage, message.model, ports.now() - started);
    const kind = error instanceof ModelError ? error.kind : undefined;
    const text = [...open.values()].find(({ start: { type } }) => type === "text");
    const unfinished = open.size > 0;
    if (kind === "aborted" && message) {
      // Text that was already shown stays in the conversation, even if unfinished.
      held = text && assembleBlock(text);
      await release();
    }
    await closeShown();
    const lost = kind === "stream_cut" || kind === "connection" || kind === "timeout";
    const usable = lost || (kind === "aborted" && ended.aborted);
    if (!usable) halt("The call did not run: the reply was cut off.");
    for (const call of waiting) start(call);
    // After a thought alone, the caller asks again.
    const hasThought = lost && lastEntry !== undefined;
    if (!usable || (calls.length + texts.length === 0 && !hasThought)) throw error;
    // A reply with a stop reason is complete, whatever happened to the connection after it.
    return replyOf({ cut: stopReason === null || unfinished });
  }
  if (message) ports.charge(usage, message.model, ports.now() - started);
  for (const call of waiting) start(call);
  return replyOf({ cut: false });
}

function assistantEntry(
  uuid: string,
  message: ReplyMessage,
  block: ContentBlock,
  usage: Usage,
  stopReason: string | null,
  stopSequence: string | null,
): NewEntry & AssistantSubject {
  const { id, model } = message;
  return {
    type: "assistant",
    uuid,
    message: {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [block],
      stop_reason: stopReason,
      stop_sequence: stopSequence,
      usage,
    },
  };
}

/** A guess; the server counts them only at the end. */
const LETTERS_OF_A_TOKEN = 4;

const thinkingSignal = (estimated_tokens: number, estimated_tokens_delta: number): Signal => ({
  type: "system",
  subtype: "thinking_tokens",
  estimated_tokens,
  estimated_tokens_delta,
});

function noticeSignal(notice: Exclude<ModelNotice, { type: "restart" | "pause" }>): Signal {
  if (notice.type === "loss") {
    return { type: "system", subtype: "informational", content: notice.text, level: "notice", tag: "model" };
  }
  if (notice.type === "rate_limit") return { type: "rate_limit_event", rate_limit_info: notice.info };
  if (notice.type === "fallback") {
    return {
      type: "system",
      subtype: "model_fallback",
      trigger: notice.reason,
      original_model: notice.from,
      fallback_model: notice.to,
      content: `${notice.from} ${notice.reason === "overloaded" ? "is overloaded" : "is not available"}; using ${notice.to} for this request`,
    };
  }
  return {
    type: "system",
    subtype: "api_retry",
    attempt: notice.attempt,
    max_retries: notice.maxRetries,
    retry_delay_ms: notice.delayMs,
    error_status: notice.status,
    error: notice.error,
  };
}
