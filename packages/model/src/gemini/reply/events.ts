// Turns generateContent responses into the events of a Messages stream. A reply has no end mark but its finishReason;
// calls arrive whole.

import { isObject, type JsonObject, type StreamEvent, type Usage } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { newCallId } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { sealThinking } from "../../thinking-envelope.ts";
import type { GenerateContentResponse, Part, UsageMetadata } from "../wire.ts";

export interface ReplyContext {
  readonly api: string;
  readonly model: string;
  readonly names: FittedNames;
  /** The length of the request, to guess its tokens if the server does not count. */
  readonly requestLength: () => number;
  /** Ids of calls that the conversation has already. */
  readonly ids: ReadonlySet<string>;
  /** Ends an attempt that brought no finished block but a call that the server could not read. */
  readonly mayRepeat: boolean;
}

/** Returns true if the request should be sent again: what was yielded so far is void. Throws ModelError. */
export async function* replyEvents(
  responses: AsyncIterable<GenerateContentResponse>,
  context: ReplyContext,
): AsyncGenerator<StreamEvent, boolean> {
  const blocks = new Blocks(context);
  let counted: UsageMetadata | undefined;
  let started = false;
  let finish: string | undefined;
  let blocked = false;
  try {
    for await (const response of responses) {
      counted = response.usageMetadata ? { ...counted, ...response.usageMetadata } : counted;
      if (!started) yield messageStart(response, context, counted);
      started = true;
      const candidate = candidateOf(response);
      for (const part of partsOf(candidate)) yield* blocks.add(part);
      finish = textOf(candidate?.finishReason) ?? finish;
      blocked ||= response.promptFeedback?.blockReason !== undefined && !candidate;
    }
  } catch (error) {
    // A reply that has its reason is complete, whatever happened to the connection after it.
    const isCut = error instanceof ModelError && (error.kind === "stream_cut" || error.kind === "timeout");
    if (!isCut || finish === undefined) throw error;
  }
  if (finish === undefined && !blocked) throw new ModelError("stream_cut", "The reply ended before it was complete");
  if (context.mayRepeat && MALFORMED.has(finish ?? "") && blocks.finished === 0) return true;
  yield* blocks.close();
  const stop = blocks.calls > 0 ? "tool_use" : blocked ? "refusal" : stopReason(finish!);
  const usage = counted ? usageOf(counted) : estimate(context, blocks.length);
  yield { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage };
  yield { type: "message_stop" };
  return false;
}

type Candidate = NonNullable<GenerateContentResponse["candidates"]>[number];

// Nothing has checked what the server sent.
function candidateOf({ candidates }: GenerateContentResponse): Candidate | undefined {
  const first = Array.isArray(candidates) ? (candidates[0] as unknown) : undefined;
  return isObject(first) ? (first as Candidate) : undefined;
}

function partsOf(candidate: Candidate | undefined): readonly Part[] {
  const parts = candidate?.content?.parts;
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const MALFORMED: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
]);

const REFUSED = /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE|IMAGE_.*)$/;

function stopReason(finish: string): string {
  if (finish === "MAX_TOKENS") return "max_tokens";
  return REFUSED.test(finish) ? "refusal" : "end_turn";
}

function messageStart(
  { responseId }: GenerateContentResponse,
  { model }: ReplyContext,
  counted: UsageMetadata | undefined,
): StreamEvent {
  return {
    type: "message_start",
    message: {
      id: textOf(responseId) ?? `msg_${crypto.randomUUID()}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageOf(counted ?? {}), output_tokens: 0 },
    },
  };
}

function usageOf(counted: UsageMetadata): Usage {
  const count = (key: keyof UsageMetadata) => Math.max(0, Number.isFinite(counted[key]) ? counted[key]! : 0);
  const cached = count("cachedContentTokenCount");
  return {
    input_tokens: Math.max(0, count("promptTokenCount") + count("toolUsePromptTokenCount") - cached),
    output_tokens: count("candidatesTokenCount") + count("thoughtsTokenCount"),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

const CHARACTERS_PER_TOKEN = 4;

function estimate({ requestLength }: ReplyContext, length: number): Usage {
  return {
    ...usageOf({}),
    input_tokens: Math.ceil(requestLength() / CHARACTERS_PER_TOKEN),
    output_tokens: Math.ceil(length / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
}

/** The models sometimes write the name of the place where they see tools. */
const plainName = (name: string) => name.replace(/^default_api[.:]/, "");

/** Writes one block after another. */
class Blocks {
  readonly #context: ReplyContext;
  #open: "text" | "thinking" | undefined;
  #index = -1;
  readonly #ids = new Set<string>();
  calls = 0;
  /** How many blocks have ended. */
  finished = 0;
  /** How many characters were written. */
  length = 0;

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  *add(part: Part): Generator<StreamEvent> {
    if (isObject(part.functionCall)) yield* this.#call(part);
    // The last chunk often has an empty text, only to carry a signature. Such signatures are not checked.
    else if (typeof part.text === "string" && part.text !== "")
      yield* this.#text(part.thought === true ? "thinking" : "text", part.text);
  }

  *close(): Generator<StreamEvent> {
    if (!this.#open) return;
    const index = this.#index;
    if (this.#open === "thinking") {
      const { api, model } = this.#context;
      yield {
        type: "content_block_delta",
        index,
        delta: { type: "signature_delta", signature: sealThinking({ api, model }) },
      };
    }
    this.#open = undefined;
    this.finished++;
    yield { type: "content_block_stop", index };
  }

  *#text(type: "text" | "thinking", text: string): Generator<StreamEvent> {
    if (this.#open !== type) {
      yield* this.close();
      this.#open = type;
      this.#index++;
      const block = type === "text" ? { type, text: "" } : { type, thinking: "", signature: "" };
      yield { type: "content_block_start", index: this.#index, content_block: block };
    }
    this.length += text.length;
    const delta =
      type === "text" ? ({ type: "text_delta", text } as const) : ({ type: "thinking_delta", thinking: text } as const);
    yield { type: "content_block_delta", index: this.#index, delta };
  }

  *#call({ functionCall, thoughtSignature }: Part): Generator<StreamEvent> {
    const { api, model, names } = this.#context;
    const { name, args } = functionCall!;
    const [id, signature] = [textOf(functionCall!.id), textOf(thoughtSignature)];
    yield* this.close();
    const index = ++this.#index;
    const json = JSON.stringify(args ?? {});
    const callState: JsonObject = { api, model, ...(id ? { id } : {}), ...(signature ? { signature } : {}) };
    yield {
      type: "content_block_start",
      index,
      content_block: {
        type: "tool_use",
        id: this.#ownId(id),
        name: names.in(plainName(textOf(name) ?? "unknown")),
        input: {},
      },
      callState,
    };
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } };
    this.calls++;
    this.finished++;
    this.length += json.length;
    yield { type: "content_block_stop", index };
  }

  #ownId(given: string | undefined): string {
    const isFree = given && !this.#context.ids.has(given) && !this.#ids.has(given);
    const id = isFree ? given : newCallId();
    this.#ids.add(id);
    return id;
  }
}
