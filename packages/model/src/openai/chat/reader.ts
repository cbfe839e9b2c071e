// Reads the chunks of a Chat Completions reply and yields the events of the same reply in the Messages API. Accepts the
// habits of other servers. Pure apart from new ids: it is fed parsed chunks.

import { isObject, NO_USAGE, type StreamEvent } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { sealThinking } from "../../thinking-envelope.ts";
import { BlockQueue, type QueuedBlock } from "../shared/block-queue.ts";
import { CallWriter, type CallWriterOptions } from "../shared/call-writer.ts";
import { streamErrorOf } from "../shared/errors.ts";
import { ThinkTags } from "../shared/think-tags.ts";
import { usageByLength, usageIn, type CountedUsage } from "../shared/usage.ts";
import { CallPieces } from "./call-pieces.ts";
import { mergedDetails, shownDetails } from "./details.ts";
import { CHAT_API } from "./messages.ts";

export interface ChatReaderOptions extends CallWriterOptions {
  readonly model: string;
  readonly contextWindow: number;
  /** The size of the prompt, for servers that do not count. */
  estimateInput(): number;
}

/** DeepSeek names a lack of resources as the reason for the end of a reply. */
const OUT_OF_RESOURCES = { code: "server_overloaded", message: "The server ran out of resources during the reply" };

export class ChatReader {
  readonly #options: ChatReaderOptions;
  readonly #queue = new BlockQueue();
  readonly #writer: CallWriter;
  readonly #calls: CallPieces;
  readonly #tags = new ThinkTags();
  #id = "";
  #started = false;
  #text: QueuedBlock | undefined;
  #thinking: { readonly block: QueuedBlock; readonly details: unknown[] } | undefined;
  /** Thinking so far, if it is only white space. */
  #blank = "";
  /** Thinking has a field of its own. */
  #hasField = false;
  #finish: string | undefined;
  #isRefusal = false;
  #counted: CountedUsage | undefined;
  #characters = 0;
  #isDone = false;

  constructor(options: ChatReaderOptions) {
    this.#options = options;
    this.#writer = new CallWriter(this.#queue, options);
    this.#calls = new CallPieces(this.#writer);
  }

  /** Whether the server said that the reply is complete. */
  get isComplete(): boolean {
    return this.#isDone || this.#finish !== undefined;
  }

  /** Whether nothing more can come: the counts are last. */
  get isOver(): boolean {
    return this.#isDone && this.#finish !== undefined;
  }

  /** Reads a chunk, or a whole reply. Throws ModelError if it is an error. */
  push(chunk: unknown): StreamEvent[] {
    if (!isObject(chunk)) throw new ModelError("stream_cut", "The reply contains an invalid chunk");
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    const choice = choices.find((item) => isObject(item) && (item["index"] ?? 0) === 0) ?? {};
    // Older versions of vLLM send the error itself.
    const failure = chunk["error"] ?? choice["error"] ?? (chunk["object"] === "error" ? chunk : undefined);
    if (failure) throw streamErrorOf(failure);
    if (typeof chunk["id"] === "string") this.#id ||= chunk["id"];
    const counts = usageIn(chunk["usage"]) ?? usageIn(choice["usage"]) ?? usageIn(groqUsage(chunk));
    this.#counted = counts ?? this.#counted;
    if (counts && choices.length === 0) this.#isDone = true;
    const delta = choice["delta"] ?? choice["message"];
    if (isObject(delta)) this.#read(delta);
    const finish = choice["finish_reason"];
    if (typeof finish === "string" && finish !== "") this.#finish = finish;
    if (finish === "error") throw streamErrorOf(undefined);
    if (finish === "insufficient_system_resource") throw streamErrorOf(OUT_OF_RESOURCES);
    return this.#take();
  }

  /** The server's end mark. */
  done(): void {
    this.#isDone = true;
  }

  /** The events that end the reply. Throws ModelError if it is not complete. */
  end(): StreamEvent[] {
    if (!this.isComplete) {
      if (this.#queue.isEmpty) this.#checkWindow();
      throw new ModelError("stream_cut", "The reply ended before it was complete");
    }
    this.#flushTags();
    this.#closeThinking();
    this.#calls.finish();
    this.#queue.finishAll();
    const usage = this.#counted?.usage ?? this.#estimate();
    const stop_reason = this.#stopReason();
    if (this.#queue.isEmpty && stop_reason !== "refusal") this.#checkWindow();
    return [
      ...this.#take(true),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  }

  #read(delta: Record<string, unknown>): void {
    const { content, refusal, tool_calls, function_call } = delta;
    const details = Array.isArray(delta["reasoning_details"]) ? delta["reasoning_details"] : [];
    const reasoning = [delta["reasoning_content"], delta["reasoning"]].find((text) => typeof text === "string" && text);
    if (typeof reasoning === "string" || details.length > 0) {
      this.#hasField = true;
      this.#think(typeof reasoning === "string" ? reasoning : shownDetails(details), details);
    }
    if (typeof content === "string") this.#content(content);
    else if (Array.isArray(content)) this.#contentParts(content);
    if (typeof refusal === "string" && refusal !== "") {
      this.#isRefusal = true;
      this.#say(refusal);
    }
    const pieces = Array.isArray(tool_calls) ? tool_calls : function_call ? [{ function: function_call }] : [];
    if (pieces.length === 0) return;
    this.#flushTags();
    this.#closeThinking();
    this.#text?.finish();
    this.#text = undefined;
    for (const piece of pieces) if (isObject(piece)) this.#calls.add(piece);
  }

  /** Text may begin with thinking between tags, but only if there is no field for thinking. */
  #content(content: string): void {
    if (content === "") return;
    if (this.#hasField || this.#tags.isDone) return this.#say(content);
    const { thinking, text } = this.#tags.push(content);
    this.#think(thinking);
    this.#say(text);
  }

  #flushTags(): void {
    const { thinking, text } = this.#tags.end();
    this.#think(thinking);
    this.#say(text);
  }

  /** Of Mistral: thinking and text as parts. */
  #contentParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      const { text, thinking } = part;
      if (Array.isArray(thinking)) this.#think(shownDetails(thinking));
      else if (typeof thinking === "string") this.#think(thinking);
      else if (typeof text === "string") this.#say(text);
    }
  }

  #think(text: string, details: readonly unknown[] = []): void {
    if (text === "" && details.length === 0) return;
    this.#characters += text.length;
    if (!this.#thinking) {
      // Models that were told not to think send an empty thought.
      this.#blank += text;
      if (this.#blank.trim() === "" && details.length === 0) return;
      this.#text?.finish();
      this.#text = undefined;
      const block = this.#queue.open({ type: "thinking", thinking: "", signature: "" });
      this.#thinking = { block, details: [] };
      text = this.#blank;
      this.#blank = "";
    }
    for (const detail of details) this.#thinking.details.push(detail);
    if (text !== "") this.#thinking.block.add({ type: "thinking_delta", thinking: text });
  }

  #closeThinking(): void {
    if (!this.#thinking) return;
    const { block, details } = this.#thinking;
    this.#thinking = undefined;
    const state = details.length > 0 ? { details: mergedDetails(details) } : {};
    const signature = sealThinking({ api: CHAT_API, model: this.#options.model, ...state });
    block.add({ type: "signature_delta", signature });
    block.finish();
  }

  #say(text: string): void {
    if (text === "") return;
    this.#closeThinking();
    this.#characters += text.length;
    // Many servers send line breaks between calls.
    if (!this.#text && this.#writer.count > 0 && text.trim() === "") return;
    this.#text ??= this.#queue.open({ type: "text", text: "" });
    this.#text.add({ type: "text_delta", text });
  }

  #take(isEnd = false): StreamEvent[] {
    const events = this.#queue.take();
    if (this.#started || (events.length === 0 && !isEnd)) return events;
    this.#started = true;
    const id = this.#id || `chatcmpl-${crypto.randomUUID()}`;
    const head = { id, type: "message", role: "assistant", model: this.#options.model, content: [] } as const;
    const message = { ...head, stop_reason: null, stop_sequence: null, usage: this.#counted?.usage ?? NO_USAGE };
    return [{ type: "message_start", message }, ...events];
  }

  #estimate() {
    return usageByLength(this.#options.estimateInput(), this.#characters + this.#writer.characters);
  }

  #stopReason(): string {
    if (this.#writer.count > 0) return "tool_use";
    if (this.#isRefusal || this.#finish === "content_filter") return "refusal";
    // Mistral's word for the end of the window.
    if (this.#finish === "model_length") return "model_context_window_exceeded";
    return this.#finish === "length" ? "max_tokens" : "end_turn";
  }

  /** Some servers answer a prompt that does not fit with nothing. */
  #checkWindow(): void {
    const { contextWindow, estimateInput } = this.#options;
    const prompt = this.#counted?.prompt || estimateInput();
    if (prompt < contextWindow * NEAR_WINDOW) return;
    throw new ModelError(
      "prompt_too_long",
      `The model sent an empty reply to a prompt of about ${prompt} tokens, which fills its context window of ${contextWindow}`,
    );
  }
}

const NEAR_WINDOW = 0.9;

const groqUsage = (chunk: Record<string, unknown>) =>
  isObject(chunk["x_groq"]) ? chunk["x_groq"]["usage"] : undefined;
