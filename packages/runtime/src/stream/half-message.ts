// The message in progress, as the events that lead to it: all deltas of one kind in a block are one. For clients that
// come amid it, or that did not read for a while. A block that is complete is not part of it: those clients get it whole.

import type { BlockDelta, StreamEvent, StreamEventMessage } from "@keelson/protocol";

interface Block {
  readonly start: StreamEvent;
  /** The text of each kind of delta, in the order the kinds came. */
  readonly texts: Map<BlockDelta["type"], string>;
  readonly others: BlockDelta[];
}

export class HalfMessage {
  #first: StreamEventMessage | undefined;
  readonly #blocks = new Map<number, Block>();
  #last: StreamEvent | undefined;

  add(message: StreamEventMessage): void {
    const { event } = message;
    switch (event.type) {
      case "message_start":
        this.#clear();
        this.#first = message;
        return;
      case "message_stop":
        return this.#clear();
      case "content_block_start":
        return void this.#blocks.set(event.index, { start: event, texts: new Map(), others: [] });
      case "content_block_delta":
        return addDelta(this.#blocks.get(event.index), event.delta);
      case "content_block_stop":
        return void this.#blocks.delete(event.index);
      case "message_delta":
        this.#last = event;
        return;
      default:
        return;
    }
  }

  /** A block was sent whole. Its end follows, as for each before it, so it is the oldest one. */
  settle(): void {
    for (const index of this.#blocks.keys()) return void this.#blocks.delete(index);
  }

  /** Empty if there is no message in progress. */
  events(): readonly StreamEvent[] {
    return this.messages(() => "").map(({ event }) => event);
  }

  /** The same, for clients that know no snapshots. */
  messages(newId: () => string): readonly StreamEventMessage[] {
    const first = this.#first;
    if (!first) return [];
    const { session_id } = first;
    const rest = [...this.#blocks].flatMap(([index, block]) => eventsOf(index, block));
    if (this.#last) rest.push(this.#last);
    const later = rest.map((event): StreamEventMessage => ({
      type: "stream_event",
      event,
      parent_tool_use_id: null,
      session_id,
      uuid: newId(),
    }));
    return [first, ...later];
  }

  #clear(): void {
    this.#first = this.#last = undefined;
    this.#blocks.clear();
  }
}

function addDelta(block: Block | undefined, delta: BlockDelta): void {
  if (!block) return;
  const text = textIn(delta);
  if (text === undefined) block.others.push(delta);
  else block.texts.set(delta.type, (block.texts.get(delta.type) ?? "") + text);
}

function textIn(delta: BlockDelta): string | undefined {
  switch (delta.type) {
    case "text_delta":
      return delta.text;
    case "input_json_delta":
      return delta.partial_json;
    case "thinking_delta":
      return delta.thinking;
    case "signature_delta":
      return delta.signature;
    default:
      return undefined;
  }
}

function eventsOf(index: number, { start, texts, others }: Block): StreamEvent[] {
  const joined = [...texts].map(([type, text]) => deltaOf(type, text));
  const deltas = [...joined, ...others].map((delta): StreamEvent => ({ type: "content_block_delta", index, delta }));
  return [start, ...deltas];
}

function deltaOf(type: BlockDelta["type"], text: string): BlockDelta {
  switch (type) {
    case "input_json_delta":
      return { type, partial_json: text };
    case "thinking_delta":
      return { type, thinking: text };
    case "signature_delta":
      return { type, signature: text };
    default:
      return { type: "text_delta", text };
  }
}
