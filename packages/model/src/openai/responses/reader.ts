// Reads the events of a Responses reply and yields those of the same reply in the Messages API. Pure apart from new
// ids: it is fed parsed events.

import { isObject, NO_USAGE, type JsonObject, type StreamEvent } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { sealThinking } from "../../thinking-envelope.ts";
import { argumentsText } from "../shared/arguments.ts";
import { BlockQueue, type QueuedBlock } from "../shared/block-queue.ts";
import { CallWriter, type CallWriterOptions, type OpenCall } from "../shared/call-writer.ts";
import { streamErrorOf } from "../shared/errors.ts";
import { usageByLength, usageIn, type CountedUsage } from "../shared/usage.ts";
import { RESPONSES_API } from "./input.ts";

export interface ResponsesReaderOptions extends CallWriterOptions {
  readonly model: string;
  /** The size of the prompt, for servers that do not count. */
  estimateInput(): number;
}

type Event = Record<string, unknown>;

/** An item that is being written. */
type OpenItem =
  | { readonly type: "message"; block: QueuedBlock | undefined }
  | { readonly type: "function_call"; readonly call: OpenCall; hasText: boolean }
  | { readonly type: "reasoning"; readonly block: QueuedBlock; part: unknown; hasText: boolean };

export class ResponsesReader {
  readonly #options: ResponsesReaderOptions;
  readonly #queue = new BlockQueue();
  readonly #writer: CallWriter;
  readonly #items = new Map<unknown, OpenItem>();
  #id = "";
  #started = false;
  #characters = 0;
  #isRefusal = false;
  #stop: string | undefined;
  #counted: CountedUsage | undefined;

  constructor(options: ResponsesReaderOptions) {
    this.#options = options;
    this.#writer = new CallWriter(this.#queue, options);
  }

  get isComplete(): boolean {
    return this.#stop !== undefined;
  }

  /** Reads an event. Throws ModelError if it is an error. */
  push(event: Event): StreamEvent[] {
    this.#read(event);
    return this.#take();
  }

  /** Reads a reply that came at once. */
  pushWhole(response: Event): StreamEvent[] {
    const output = Array.isArray(response["output"]) ? response["output"] : [];
    for (const [output_index, item] of output.entries()) {
      this.#read({ type: "response.output_item.added", output_index, item: withoutContent(item) });
      this.#read({ type: "response.output_item.done", output_index, item });
    }
    const status =
      response["status"] === "incomplete" || response["status"] === "failed" ? response["status"] : "completed";
    this.#read({ type: `response.${status}`, response });
    return this.#take();
  }

  /** The events that end the reply. Throws ModelError if it is not complete. */
  end(): StreamEvent[] {
    if (this.#stop === undefined) throw new ModelError("stream_cut", "The reply ended before it was complete");
    for (const item of this.#items.values()) if (item.type === "function_call") item.call.finish();
    this.#queue.finishAll();
    const usage =
      this.#counted?.usage ?? usageByLength(this.#options.estimateInput(), this.#characters + this.#writer.characters);
    const stop_reason = this.#writer.count > 0 ? "tool_use" : this.#isRefusal ? "refusal" : this.#stop;
    return [
      ...this.#take(true),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  }

  #read(event: Event): void {
    const type = event["type"];
    const item = this.#items.get(keyOf(event));
    switch (type) {
      case "response.created":
      case "response.in_progress":
        if (isObject(event["response"]) && typeof event["response"]["id"] === "string")
          this.#id ||= event["response"]["id"];
        return;
      case "response.output_item.added":
        return this.#add(event);
      case "response.output_text.delta":
        return this.#say(item, event["delta"]);
      case "response.refusal.delta":
        this.#isRefusal = true;
        return this.#say(item, event["delta"]);
      case "response.reasoning_summary_text.delta":
        return this.#think(item, `summary ${JSON.stringify(event["summary_index"])}`, event["delta"]);
      case "response.reasoning_text.delta":
        return this.#think(item, `content ${JSON.stringify(event["content_index"])}`, event["delta"]);
      case "response.function_call_arguments.delta":
        if (item?.type === "function_call") this.#argue(item, event["delta"]);
        return;
      case "response.output_item.done":
        return this.#done(event, item);
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#close(isObject(event["response"]) ? event["response"] : {}, type);
      case "error":
        return this.#fail(isObject(event["error"]) ? event["error"] : event);
      default:
        // Events that this program has no use for, and those of later versions.
        return;
    }
  }

  #add(event: Event): void {
    const item = isObject(event["item"]) ? event["item"] : {};
    const key = keyOf(event);
    if (item["type"] === "message") this.#items.set(key, { type: "message", block: undefined });
    else if (item["type"] === "reasoning") {
      const block = this.#queue.open({ type: "thinking", thinking: "", signature: "" });
      this.#items.set(key, { type: "reasoning", block, part: undefined, hasText: false });
    } else if (item["type"] === "function_call") {
      const id = typeof item["call_id"] === "string" ? item["call_id"] : undefined;
      const call = this.#writer.start(id, typeof item["name"] === "string" ? item["name"] : "");
      this.#items.set(key, { type: "function_call", call, hasText: false });
    }
  }

  #say(item: OpenItem | undefined, text: unknown): void {
    if (item?.type !== "message" || typeof text !== "string" || text === "") return;
    this.#characters += text.length;
    item.block ??= this.#queue.open({ type: "text", text: "" });
    item.block.add({ type: "text_delta", text });
  }

  /** The parts of a summary are paragraphs. */
  #think(item: OpenItem | undefined, part: string, text: unknown): void {
    if (item?.type !== "reasoning" || typeof text !== "string" || text === "") return;
    this.#characters += text.length;
    const gap = item.part === undefined || item.part === part ? "" : "\n\n";
    item.part = part;
    item.hasText = true;
    item.block.add({ type: "thinking_delta", thinking: gap + text });
  }

  #argue(item: OpenItem & { type: "function_call" }, text: unknown): void {
    const piece = argumentsText(text);
    if (piece === "") return;
    item.hasText = true;
    item.call.add(piece);
  }

  /** The complete item: what did not come in pieces is in it. */
  #done(event: Event, open: OpenItem | undefined): void {
    const item = isObject(event["item"]) ? event["item"] : {};
    if (!open) {
      this.#add(event);
      open = this.#items.get(keyOf(event));
    }
    if (open?.type === "message") {
      if (!open.block) {
        for (const part of partsIn(item["content"])) {
          if (typeof part["refusal"] === "string") this.#isRefusal = true;
          this.#say(open, part["text"] ?? part["refusal"]);
        }
      }
      open.block?.finish();
    } else if (open?.type === "function_call") {
      if (!open.hasText) this.#argue(open, item["arguments"]);
      open.call.finish();
    } else if (open?.type === "reasoning") {
      const parts = [...partsIn(item["summary"]), ...partsIn(item["content"])];
      if (!open.hasText) for (const [at, part] of parts.entries()) this.#think(open, String(at), part["text"]);
      open.block.add({ type: "signature_delta", signature: this.#seal(item) });
      open.block.finish();
    }
  }

  /** An item that is not encrypted cannot go back: the server keeps nothing. */
  #seal(item: Event): string {
    const { status: _, ...kept } = item as JsonObject;
    const state = typeof item["encrypted_content"] === "string" ? { item: kept } : {};
    return sealThinking({ api: RESPONSES_API, model: this.#options.model, ...state });
  }

  #close(response: Event, type: string): void {
    this.#counted = usageIn(response["usage"]) ?? this.#counted;
    if (typeof response["id"] === "string") this.#id ||= response["id"];
    if (type === "response.failed") return this.#fail(response["error"]);
    const details = response["incomplete_details"];
    const reason = type === "response.incomplete" && isObject(details) ? details["reason"] : undefined;
    if (reason === "content_filter") this.#isRefusal = true;
    this.#stop = reason === "max_output_tokens" ? "max_tokens" : "end_turn";
  }

  /** A window that is full after part of a reply ends it; before, the prompt is too long. */
  #fail(value: unknown): void {
    const error = streamErrorOf(value);
    if (error.kind !== "prompt_too_long" || this.#queue.isEmpty) throw error;
    this.#stop = "model_context_window_exceeded";
  }

  #take(isEnd = false): StreamEvent[] {
    const events = this.#queue.take();
    if (this.#started || (events.length === 0 && !isEnd)) return events;
    this.#started = true;
    const id = this.#id || `resp_${crypto.randomUUID()}`;
    const head = { id, type: "message", role: "assistant", model: this.#options.model, content: [] } as const;
    const message = { ...head, stop_reason: null, stop_sequence: null, usage: NO_USAGE };
    return [{ type: "message_start", message }, ...events];
  }
}

const keyOf = (event: Event) => event["output_index"] ?? event["item_id"];

const partsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

/** The item as it would start. */
function withoutContent(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { content: _, summary: __, arguments: ___, ...rest } = item;
  return rest;
}
