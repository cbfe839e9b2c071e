// What a scripted server answers, and what it understood of a request, in terms that belong to no dialect. Each dialect
// has a server beside this file that speaks them on the wire.

import type { JsonObject } from "@keelson/protocol";

/** One answer. Blocks arrive in this order; thinking has a state that the server wants back. */
export interface DialectReply {
  readonly blocks: readonly DialectBlock[];
  /** Why it ended, if not because the model was done. */
  readonly stop?: "max_tokens" | "refusal";
  /** Null if the server does not tell. */
  readonly usage?: DialectUsage | null;
  /** The pieces of all calls arrive in turn, where the dialect can express that. */
  readonly interleaved?: true;
  /** The connection breaks here. */
  readonly cut?: StreamPlace;
  /** The server reports an error here, after a start that looked well. */
  readonly fails?: DialectFailure & { readonly after: StreamPlace };
}

export type DialectBlock = { readonly text: string } | { readonly thinking: string } | { readonly call: DialectCall };

export interface DialectCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Made by the server if absent. */
  readonly id?: string;
  /** Sent instead of the input, where arguments are text. */
  readonly broken?: string;
}

/** `input` counts everything, cached or not; `output` includes reasoning. */
export interface DialectUsage {
  readonly input: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output: number;
  readonly reasoning?: number;
}

/** After the first piece of the first block, or as soon as the second block has begun. */
export type StreamPlace = "in_block" | "after_block";

export interface DialectFailure {
  readonly failure:
    | "authentication_failed"
    | "rate_limit"
    | "billing_error"
    | "overloaded"
    | "server_error"
    | "model_not_found"
    | "prompt_too_long"
    | "timeout"
    | "invalid_request";
  /** The vendor's usual words if absent. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/** Bytes as they are, for what only one server does. */
export interface RawAnswer {
  readonly raw: ScriptedAnswer;
}

export type DialectStep = DialectReply | DialectFailure | RawAnswer;

/** One step per request; a function sees the request first. */
export type DialectScript = readonly (DialectStep | ((request: SeenRequest) => DialectStep))[];

export type ScriptedAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string | object }
  | {
      readonly headers: Readonly<Record<string, string>>;
      readonly frames: readonly (string | Uint8Array)[];
      /** Break the connection after the last frame. */
      readonly cut?: boolean;
    };

/** What the server understood of a request. */
export interface SeenRequest {
  readonly model: string;
  readonly system: string;
  /** The names, as sent. */
  readonly tools: readonly string[];
  readonly maxTokens: number | undefined;
  readonly parts: readonly SeenPart[];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
}

/** A part of the conversation. Pictures and documents are base64; `state` is what the server gave with thinking. */
export type SeenPart =
  | { readonly from: "user" | "assistant"; readonly text: string }
  | { readonly from: "user"; readonly image: string }
  | { readonly from: "user"; readonly document: string }
  | { readonly from: "assistant"; readonly state: string }
  | {
      readonly from: "assistant";
      readonly call: { readonly id: string; readonly name: string; readonly input: unknown };
    }
  | {
      readonly from: "tool";
      /** `isError` is false in dialects that cannot say it; the text says it then. */
      readonly result: { readonly id: string; readonly text: string; readonly isError: boolean };
    };

/** The state that a server gives with the n-th block (from zero) of the n-th reply (from one). */
export function thinkingStateOf(reply: number, block: number): string {
  return `state-${reply}-${block}`;
}

/** A text in pieces, so that streams have more than one delta. */
export function textPieces(text: string): readonly string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return [text];
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle).join(""), characters.slice(middle).join("")];
}
