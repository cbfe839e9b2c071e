// The parts of Bedrock's Converse API that we send and read. A block has exactly one member.

import type { JsonObject } from "@keelson/protocol";

export interface ConverseMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ConverseBlock[];
}

export type ConverseBlock =
  | TextMember
  | MediaBlock
  | CachePoint
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonObject } }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly status: "success" | "error";
        readonly content: readonly (TextMember | MediaBlock)[];
      };
    }
  | { readonly reasoningContent: ReasoningContent };

export interface TextMember {
  readonly text: string;
}

export type MediaBlock =
  | { readonly image: { readonly format: string; readonly source: { readonly bytes: string } } }
  | {
      readonly document: {
        readonly format: string;
        readonly name: string;
        readonly source: { readonly bytes: string };
      };
    };

export interface CachePoint {
  readonly cachePoint: { readonly type: "default"; readonly ttl?: string };
}

export type ReasoningContent =
  | { readonly reasoningText: { readonly text: string; readonly signature: string } }
  | { readonly redactedContent: string };

export interface ToolSpec {
  readonly toolSpec: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: JsonObject };
  };
}

export interface ConverseTools {
  readonly tools: readonly (ToolSpec | CachePoint)[];
  readonly toolChoice?: JsonObject;
}

/** What a request says; its model is part of the address. */
export interface ConverseBody {
  readonly messages: readonly ConverseMessage[];
  readonly system?: readonly (TextMember | CachePoint)[];
  readonly inferenceConfig?: { readonly maxTokens: number };
  readonly toolConfig?: ConverseTools;
  readonly additionalModelRequestFields?: JsonObject;
  readonly outputConfig?: JsonObject;
}
