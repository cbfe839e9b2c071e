// The reply that is being written: its deltas become items, and the whole message that follows each block finishes the
// item instead of adding a second one.

import {
  isText,
  isToolUse,
  readField,
  type AssistantMessage,
  type ContentBlock,
  type StreamEvent,
} from "@keelson/protocol";
import type { AnswerItem, CallItem, ThinkingItem } from "./item.ts";
import { StreamedText } from "./streamed-text.ts";

type Streamed = AnswerItem | ThinkingItem | CallItem;

interface ReplyTarget {
  add(item: Streamed): void;
  /** Takes an item back of which nothing was written. */
  remove(item: Streamed): void;
}

export class StreamedReply {
  readonly #target: ReplyTarget;
  #id = "";
  /** Blocks that the whole message was not seen of yet, by index. */
  readonly #open = new Map<number, Streamed>();

  constructor(target: ReplyTarget) {
    this.#target = target;
  }

  take(event: StreamEvent, now: number): void {
    switch (event.type) {
      case "message_start":
        this.abandon(now, { restart: true });
        this.#id = event.message.id;
        break;
      case "content_block_start":
        this.#start(event.index, event.content_block, now);
        break;
      case "content_block_delta": {
        const { index, delta } = event;
        const item = this.#open.get(index);
        if (delta.type === "text_delta" && item?.kind === "answer") item.text.push(delta.text);
        else if (delta.type === "thinking_delta" && item?.kind === "thinking") item.text += delta.thinking;
        else if (delta.type === "input_json_delta" && item?.kind === "call") {
          item.written += delta.partial_json.length;
        }
        break;
      }
      default:
        break;
    }
  }

  /** Finishes the item of a block that came in deltas. False if there is none. */
  settle({ message }: AssistantMessage, block: ContentBlock, now: number): boolean {
    for (const [index, item] of this.#open) {
      // The session may give a reply another id, if a server repeats its ids.
      if (message.id !== this.#id && !isOf(item, block)) continue;
      if (!finish(item, block, now)) continue;
      this.#open.delete(index);
      return true;
    }
    return false;
  }

  /** Nothing more comes. What was shown stays; if the reply starts over, what was not written yet is taken back. */
  abandon(now: number, { restart }: { restart: boolean }): void {
    for (const item of this.#open.values()) {
      if (item.kind === "answer") item.text.end();
      if (item.kind === "call" || (restart && !(item.kind === "answer" && item.begun))) this.#target.remove(item);
      else item.done = true;
      if (item.kind === "thinking") item.durationMs = now - item.startedMs;
    }
    this.#open.clear();
  }

  #start(index: number, block: ContentBlock, now: number): void {
    const item = itemOf(block, now);
    if (item === undefined) return;
    if (item.kind === "call") item.writing = true;
    this.#open.set(index, item);
    this.#target.add(item);
  }
}

/** Whether a block is what was streamed, by its content. */
function isOf(item: Streamed, block: ContentBlock): boolean {
  if (item.kind === "call") return isToolUse(block) && block.id === item.id;
  if (item.kind === "answer") return isText(block) && item.text.length > 0 && block.text.startsWith(item.text.whole());
  return (
    item.text !== "" && block.type === "thinking" && String(readField(block, "thinking") ?? "").startsWith(item.text)
  );
}

/** The item of a block that is not complete yet. Undefined for blocks that are not shown. */
export function itemOf(block: ContentBlock, now: number): Streamed | undefined {
  if (isText(block)) {
    const text = new StreamedText();
    if (block.text !== "") text.push(block.text);
    return { kind: "answer", text, begun: false, done: false };
  }
  if (block.type === "thinking") {
    return { kind: "thinking", text: String(readField(block, "thinking") ?? ""), startedMs: now, done: false };
  }
  if (!isToolUse(block)) return undefined;
  const { id, name, input } = block;
  return {
    kind: "call",
    id,
    name,
    input,
    writing: false,
    written: 0,
    asking: false,
    startedMs: now,
    inBackground: false,
    dropped: false,
  };
}

/** False if the block is not the one of the item. */
export function finish(item: Streamed, block: ContentBlock, now: number): boolean {
  if (item.kind === "answer" && isText(block)) {
    const shown = item.text.length;
    // Deltas may have been lost, but what was shown is not shown again.
    if (block.text.length > shown) item.text.push(block.text.slice(shown));
    item.text.end();
    item.done = true;
    return true;
  }
  if (item.kind === "thinking" && block.type === "thinking") {
    const whole = String(readField(block, "thinking") ?? "");
    if (whole !== "") item.text = whole;
    item.durationMs = now - item.startedMs;
    item.done = true;
    return true;
  }
  if (item.kind !== "call" || !isToolUse(block) || block.id !== item.id) return false;
  item.input = block.input;
  item.writing = false;
  item.startedMs = now;
  return true;
}
