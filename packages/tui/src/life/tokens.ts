// How much was read and written: in the run, as it continues, and in the context of the model.

import {
  isObject,
  isResult,
  readField,
  type AssistantMessage,
  type Outbound,
  type ResultMessage,
  type StreamEventMessage,
  type Usage,
} from "@keelson/protocol";

/** Until the server has counted. */
const CHARS_PER_TOKEN = 4;

export class TokenCounter {
  /** Written by the model in this run. */
  #written = 0;
  /** Of the reply that is being written, estimated. */
  #chars = 0;
  #counted = 0;
  #read = 0;
  #last: Usage | undefined;
  #window: number | undefined;
  #cost: number | null | undefined;
  #models: ResultMessage["modelUsage"] = {};

  take(message: Outbound): void {
    if (isResult(message)) this.#ended(message);
    else if (message.type === "stream_event") this.#event(message);
    else if (message.type === "assistant") this.#assistant(message);
    else if (message.type === "conversation_reset") this.#last = undefined;
    else if (message.type === "system" && message.subtype === "compact_boundary") {
      this.#last = undefined;
    }
  }

  /** A run begins. */
  begin(): void {
    this.#written = this.#chars = this.#counted = this.#read = 0;
  }

  /** Tokens of this run, growing while a reply is written. */
  get written(): number {
    return this.#written + Math.max(this.#counted, Math.round(this.#chars / CHARS_PER_TOKEN));
  }

  get read(): number {
    return this.#read;
  }

  /** Dollars; null if a price is not known, undefined before the first result. */
  get cost(): number | null | undefined {
    return this.#cost;
  }

  get models(): ResultMessage["modelUsage"] {
    return this.#models;
  }

  /** The usage of the last reply of the main conversation. */
  get last(): Usage | undefined {
    return this.#last;
  }

  /** The size of the model's context, if it is known. */
  get window(): number | undefined {
    return this.#window;
  }

  /** What `get_context_usage` answered. */
  setWindow(tokens: number): void {
    if (tokens > 0) this.#window = tokens;
  }

  /** Tokens in the context; undefined until a reply was counted. */
  get inContext(): number | undefined {
    return this.#last && readTokens(this.#last) + this.#last.output_tokens;
  }

  /** 0 to 100. */
  get usedPercent(): number | undefined {
    const used = this.inContext;
    if (used === undefined || this.#window === undefined) return undefined;
    return Math.min(100, Math.round((used / this.#window) * 100));
  }

  #event({ event, parent_tool_use_id: parent }: StreamEventMessage): void {
    if (parent !== null) return;
    if (event.type === "message_start") {
      this.#fold();
      this.#count(event.message.usage);
      return;
    }
    if (event.type === "message_delta") {
      if (event.usage?.output_tokens !== undefined) this.#counted = event.usage.output_tokens;
      if (this.#last && event.usage) this.#last = { ...this.#last, ...event.usage };
      return;
    }
    if (event.type !== "content_block_delta") return;
    const { delta } = event;
    if (delta.type === "text_delta") this.#chars += delta.text.length;
    else if (delta.type === "thinking_delta") this.#chars += delta.thinking.length;
    else if (delta.type === "input_json_delta") this.#chars += delta.partial_json.length;
  }

  #assistant({ message, parent_tool_use_id: parent, is_api_error_message: failed }: AssistantMessage): void {
    if (parent !== null || failed || message.model === "<synthetic>") return;
    const usage = readField(message, "usage");
    if (isObject(usage) && typeof usage["input_tokens"] === "number") this.#count(message.usage);
  }

  #count(usage: Usage): void {
    if (readTokens(usage) === 0) return;
    this.#read = readTokens(usage);
    this.#last = { ...usage, output_tokens: Math.max(usage.output_tokens, this.#counted) };
  }

  /** The reply before is complete. */
  #fold(): void {
    this.#written = this.written;
    this.#chars = this.#counted = 0;
  }

  #ended({ modelUsage, total_cost_usd: cost }: ResultMessage): void {
    this.#fold();
    this.#cost = cost;
    this.#models = modelUsage;
    const windows = Object.values(modelUsage).map(({ contextWindow }) => contextWindow);
    if (this.#window === undefined && windows.length === 1) this.#window = windows[0];
  }
}

const readTokens = (usage: Usage) =>
  usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
