// What a scripted model replies, as events and messages. Pure: other code decides when and how they are sent.

import type { ModelErrorKind } from "@keelson/engine";
import {
  isText,
  isToolUse,
  type BlockDelta,
  type ContentBlock,
  type JsonObject,
  type ReplyMessage,
  type StreamEvent,
  type ThinkingBlock,
  type Usage,
} from "@keelson/protocol";

/** A position in the stream: just after this event, or after this many events. */
export type StreamPoint = "message_start" | "first_delta" | "first_block" | number;

export interface Timing {
  /** Milliseconds before anything is sent. */
  readonly waitMs?: number;
  /** Nothing more is sent until this settles: from the start, or after `holdAfter`. */
  readonly hold?: Promise<unknown>;
  readonly holdAfter?: StreamPoint;
  /** Nothing is ever sent; with `cutAfter`, nothing more from there on. The connection stays open. */
  readonly hang?: true;
}

export interface ScriptedCall {
  readonly name: string;
  readonly input: JsonObject;
  /** `call_<request>_<index>` if absent, both counted from one. */
  readonly id?: string;
}

export interface Cut {
  /** The connection breaks here. 0: before the first event. */
  readonly cutAfter: StreamPoint;
}

/** One reply. Blocks come in this order: thinking, text, `blocks`, calls. */
export interface ScriptedReply extends Timing, Partial<Cut> {
  /** One text block; a list gives its deltas. */
  readonly text?: string | readonly string[];
  /** Splits a `text` string into about this many deltas. */
  readonly deltas?: number;
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Sent instead of the last call's input, for JSON that does not parse. Only visible in a streamed reply. */
  readonly brokenJson?: string;
  /** Content blocks of any type, sent as they are. */
  readonly blocks?: readonly ContentBlock[];
  /** `tool_use` with calls, otherwise `end_turn`. */
  readonly stopReason?: string;
  readonly usage?: Partial<Usage>;
  /** An `error` event in the middle of the stream. */
  readonly errorAfter?: { readonly after: StreamPoint; readonly type: string; readonly message?: string };
}

/** A request that is refused. */
export interface Failure extends Timing {
  readonly status: number;
  /** The API's name for it, such as `overloaded_error`; derived from the status if absent. */
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What an in-process model throws; derived from status, type and message if absent. */
  readonly kind?: ModelErrorKind;
}

/** One step of a script: fixed, or computed from the request and its number (counted from one). */
export type ScriptStep<R> =
  | ScriptedReply
  | Failure
  | ((request: R, number: number) => ScriptedReply | Failure | Promise<ScriptedReply | Failure>);

const USAGE: Usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The whole stream of a reply, as if nothing went wrong. The same arguments always give the same events. */
export function toEvents(reply: ScriptedReply, number: number, model = "scripted"): StreamEvent[] {
  const message = toMessage(reply, number, model);
  const { usage } = message;
  return [
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...message.content.flatMap((block, index) => blockEvents(block, index, deltasOf(reply, block, message))),
    { type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

/** The reply as one message: the answer to a request without `stream`. */
export function toMessage(reply: ScriptedReply, number: number, model = "scripted"): ReplyMessage {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content: contentOf(reply, number),
    stop_reason: reply.stopReason ?? (reply.calls?.length ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { ...USAGE, ...reply.usage },
  };
}

/** How many of these events come before the point. A point that is never reached is after the last event. */
export function eventsBefore(point: StreamPoint, events: readonly StreamEvent[]): number {
  if (typeof point === "number") return Math.min(point, events.length);
  const type = {
    message_start: "message_start",
    first_delta: "content_block_delta",
    first_block: "content_block_stop",
  };
  const found = events.findIndex((event) => event.type === type[point]);
  return found < 0 ? events.length : found + 1;
}

export function isFailure(step: ScriptedReply | Failure): step is Failure {
  return "status" in step;
}

/** The body of a refusal, and of an `error` event. */
export function errorBody(type: string, message: string): JsonObject {
  return { type: "error", error: { type, message } };
}

/** The API's name for a status. */
export function errorType(status: number): string {
  const names: Record<number, string> = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
  };
  return names[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** The status an `error` event would have as a refusal. */
export function errorStatus(type: string): number {
  const statuses = [400, 401, 402, 403, 404, 413, 429, 504, 529];
  return statuses.find((status) => errorType(status) === type) ?? 500;
}

function contentOf(reply: ScriptedReply, number: number): readonly ContentBlock[] {
  const text = typeof reply.text === "object" ? reply.text.join("") : reply.text;
  return [
    ...(reply.thinking === undefined
      ? []
      : [{ type: "thinking" as const, thinking: reply.thinking, signature: `sig_${number}` }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...(reply.blocks ?? []),
    ...(reply.calls ?? []).map((call, index) => ({
      type: "tool_use" as const,
      id: call.id ?? `call_${number}_${index + 1}`,
      name: call.name,
      input: call.input,
    })),
  ];
}

/** The chunks in which a block's text or input arrives. */
function deltasOf(reply: ScriptedReply, block: ContentBlock, message: ReplyMessage): readonly string[] {
  if (isToolUse(block)) {
    const broken = reply.brokenJson !== undefined && reply.calls?.length && block === message.content.at(-1);
    return [broken ? reply.brokenJson! : JSON.stringify(block.input)];
  }
  if (!isText(block)) return [];
  if (typeof reply.text === "object" && !reply.blocks?.includes(block)) return reply.text;
  return split(block.text, reply.deltas ?? 1);
}

function blockEvents(block: ContentBlock, index: number, pieces: readonly string[]): StreamEvent[] {
  const { started, deltas } = unfold(block, pieces);
  return [
    { type: "content_block_start", index, content_block: started },
    ...deltas.map((delta) => ({ type: "content_block_delta" as const, index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block at its start, and what is added to it. Blocks of other types start complete, as in the API. */
function unfold(
  block: ContentBlock,
  pieces: readonly string[],
): { readonly started: ContentBlock; readonly deltas: readonly BlockDelta[] } {
  if (isText(block))
    return { started: { ...block, text: "" }, deltas: pieces.map((text) => ({ type: "text_delta", text })) };
  if (isToolUse(block)) {
    const deltas = pieces.map((partial_json) => ({ type: "input_json_delta" as const, partial_json }));
    return { started: { ...block, input: {} }, deltas };
  }
  if (isThinking(block)) {
    const { thinking, signature } = block;
    return {
      started: { ...block, thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking },
        { type: "signature_delta", signature },
      ],
    };
  }
  return { started: block, deltas: [] };
}

function isThinking(block: ContentBlock): block is ThinkingBlock {
  return block.type === "thinking";
}

/** Splits between characters, never inside one. */
function split(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  if (count <= 1 || characters.length <= 1) return [text];
  const size = Math.ceil(characters.length / count);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(""),
  );
}
