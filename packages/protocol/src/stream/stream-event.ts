// The streaming events of the model API. `stream_event` messages contain them unchanged, so events of other vendors are
// translated into them.

import type { ContentBlock } from "../transcript/content.ts";
import type { Json, JsonObject } from "../json.ts";

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number;
    readonly ephemeral_1h_input_tokens?: number;
  } | null;
  readonly server_tool_use?: {
    readonly web_search_requests?: number;
    readonly web_fetch_requests?: number;
  } | null;
  readonly service_tier?: string | null;
  /** The server did not count; the numbers are our guess, and have no price. */
  readonly estimated?: true;
}

/** The message of `message_start` and of a reply without streaming. */
export interface ReplyMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: Usage;
}

export type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "citations_delta"; readonly citation: Json };

export type StreamEvent =
  | {
      readonly type: "message_start";
      readonly message: ReplyMessage;
      /** From a provider: how its server names the request. Clients get it with each block. */
      readonly requestId?: string;
    }
  | {
      readonly type: "content_block_start";
      readonly index: number;
      readonly content_block: ContentBlock;
      /** From a provider, for a tool call: what it wants back with the call. Clients never see it. */
      readonly callState?: JsonObject;
    }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: "content_block_stop"; readonly index: number }
  | {
      readonly type: "message_delta";
      readonly delta: {
        readonly stop_reason: string | null;
        readonly stop_sequence?: string | null;
        readonly stop_details?: StopDetails | null;
      };
      readonly usage?: Partial<Usage>;
    }
  | { readonly type: "message_stop" }
  | { readonly type: "ping" };

/** What the server says about a refusal. */
export interface StopDetails {
  readonly category?: string | null;
  readonly explanation?: string | null;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
