// What a dialect is: a translation between our requests, which have the shape of the Messages API, and those of another
// kind of server. One folder each; loaded only when a session uses it.

import type { ModelProfile } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import type { Caller } from "./messages/headers.ts";
import type { PlainProvider } from "./wrappers/retry.ts";
import type { Server } from "./http/server.ts";

export type DialectName = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "vertex";

/** Translates between requests of the engine and a server. */
export interface Dialect {
  provider(server: Server, options: DialectOptions): PlainProvider;
  /** The models that the server offers. Throws ModelError. */
  list(server: Server, options: ListOptions): Promise<readonly ListedModel[]>;
}

export interface DialectOptions extends Caller {
  /** What is known about a model, by the id that requests use. */
  traits(model: string): ModelTraits;
  readonly compat?: Compat;
  /** Groups requests for the server's cache. */
  readonly sessionId?: string;
  /** Merged into every body in the format of the Messages API. */
  readonly extraBody?: JsonObject;
}

export interface ListOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** What a model can do, beyond what the engine needs to know (`ModelProfile`). */
export interface ModelTraits {
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly images: boolean;
  readonly documents: boolean;
  readonly thinking: ModelProfile["thinking"];
  /** The levels of effort that the model knows, lowest first; empty if it knows none. */
  readonly efforts: readonly string[];
  /** The model thinks before it answers, and refuses what other models accept, such as a temperature. */
  readonly reasons: boolean;
}

/** A model in a server's list. What the server does not say is absent. */
export interface ListedModel {
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly images?: boolean;
  readonly thinking?: boolean;
  readonly price?: { readonly input: number; readonly output: number; readonly cacheRead?: number };
}

/** Habits of a server that its answers do not show. Everything absent is found out or assumed. */
export interface Compat {
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  readonly developerRole?: boolean;
  readonly streamUsage?: boolean;
  readonly reasoningField?: "reasoning_content" | "reasoning";
  readonly stringToolContent?: boolean;
}
