// The reply that is being written: its deltas become items, and the whole message that follows each block finishes the
// item instead of adding a second one.

import {
  isText,
  isToolUse,
  readField,
  type AssistantMessage,
  type ContentBlock,
  type StreamEvent,
  type ToolUseMeta,
} from "@keelson/protocol";
import { labelOf } from "../calls/label.ts";
import type { AnswerItem, CallItem, ThinkingItem } from "./item.ts";
import type { GrowingText } from "./text.ts";

export type ReplyItem<Text extends GrowingText> = AnswerItem<Text> | ThinkingItem | CallItem;

interface ReplyTarget<Text extends GrowingText> {
  newText(): Text;
  /** Paths inside it are shown relative to it. */
  cwd(): string;
  add(item: ReplyItem<Text>): void;
  change(item: ReplyItem<Text>, delta?: string): void;
  /** Takes an item back. False if it was shown for good; then it stays as it is. */
  remove(item: ReplyItem<Text>): boolean;
  /** Nothing more comes of it, and no message will have it. */
  lost(item: AnswerItem<Text> | ThinkingItem): void;
}

type Metas = readonly ToolUseMeta[] | undefined;

export class StreamedReply<Text extends GrowingText> {
  readonly #target: ReplyTarget<Text>;
  #id = "";
  /** Blocks that the whole message was not seen of yet, by index. */
  readonly #open = new Map<number, ReplyItem<Text>>();

  constructor(target: ReplyTarget<Text>) {
    this.#target = target;
  }

  take(event: StreamEvent, metas: Metas, now: number): void {
    switch (event.type) {
      case "message_start":
        this.abandon(now, { restart: true });
        this.#id = event.message.id;
        break;
      case "content_block_start": {
        const item = this.itemOf(event.content_block, metas, now);
        if (item === undefined) return;
        this.#open.set(event.index, item);
        this.#target.add(item);
        break;
      }
      case "content_block_delta": {
        const { index, delta } = event;
        const item = this.#open.get(index);
        if (delta.type === "text_delta" && item?.kind === "answer") {
          item.text.push(delta.text);
          this.#target.change(item, delta.text);
        } else if (delta.type === "thinking_delta" && item?.kind === "thinking") {
          item.text += delta.thinking;
          this.#target.change(item, delta.thinking);
        } else if (delta.type === "input_json_delta" && item?.kind === "call") {
          item.written += delta.partial_json.length;
          this.#target.change(item);
        }
        break;
      }
      default:
        break;
    }
  }

  /** These events, instead of those that came of the blocks that are not complete. */
  replace(events: readonly StreamEvent[], now: number): void {
    this.abandon(now, { restart: true });
    for (const event of events) this.take(event, undefined, now);
  }

  /** Another conversation begins, where nothing of it is shown. */
  forget(): void {
    this.#open.clear();
  }

  /** Finishes the item of a block that came in deltas. False if there is none. */
  settle({ message, tool_use_meta: metas }: AssistantMessage, block: ContentBlock, now: number): boolean {
    for (const [index, item] of this.#open) {
      // The session may give a reply another id, if a server repeats its ids.
      if (message.id !== this.#id && !isOf(item, block)) continue;
      if (!this.finish(item, block, metas, now)) continue;
      this.#open.delete(index);
      return true;
    }
    return false;
  }

  /** Nothing more comes. What was shown stays; if the reply starts over, what can be taken back is. */
  abandon(now: number, { restart }: { readonly restart: boolean }): void {
    for (const item of this.#open.values()) {
      if (item.kind === "call") {
        this.#target.remove(item);
        continue;
      }
      if (item.kind === "answer") item.text.end();
      if (item.kind === "thinking") item.durationMs = now - item.startedMs;
      item.done = true;
      if (!restart || !this.#target.remove(item)) this.#target.change(item);
      if (!restart) this.#target.lost(item);
    }
    this.#open.clear();
  }

  /** The item of a block that is not complete yet. Undefined for blocks that are not shown. */
  itemOf(block: ContentBlock, metas: Metas, now: number): ReplyItem<Text> | undefined {
    if (isText(block)) {
      const text = this.#target.newText();
      if (block.text !== "") text.push(block.text);
      return { kind: "answer", text, done: false };
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
      label: labelOf(block, metaOf(metas, id), this.#target.cwd()),
      state: "pending",
      written: 0,
      startedMs: now,
      inBackground: false,
    };
  }

  /** False if the block is not the one of the item. */
  finish(item: ReplyItem<Text>, block: ContentBlock, metas: Metas, now: number): boolean {
    if (item.kind === "answer" && isText(block)) {
      const shown = item.text.length;
      // Deltas may have been lost, but what was shown is not shown again.
      const rest = block.text.slice(shown);
      if (rest !== "") item.text.push(rest);
      item.text.end();
      item.done = true;
      this.#target.change(item, rest);
      return true;
    }
    if (item.kind === "thinking" && block.type === "thinking") {
      const whole = String(readField(block, "thinking") ?? "");
      if (whole !== "") item.text = whole;
      item.durationMs = now - item.startedMs;
      item.done = true;
      this.#target.change(item);
      return true;
    }
    if (item.kind !== "call" || !isToolUse(block) || block.id !== item.id) return false;
    item.input = block.input;
    item.label = labelOf(block, metaOf(metas, block.id), this.#target.cwd());
    item.state = "running";
    item.startedMs = now;
    this.#target.change(item);
    return true;
  }
}

export const metaOf = (metas: Metas, id: string) => metas?.find((meta) => meta.id === id);

/** Whether a block is what was streamed, by its content. */
function isOf(item: ReplyItem<GrowingText>, block: ContentBlock): boolean {
  if (item.kind === "call") return isToolUse(block) && block.id === item.id;
  if (item.kind === "answer") return isText(block) && item.text.length > 0 && block.text.startsWith(item.text.whole());
  return (
    item.text !== "" && block.type === "thinking" && String(readField(block, "thinking") ?? "").startsWith(item.text)
  );
}
