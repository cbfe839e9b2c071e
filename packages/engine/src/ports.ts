// What the engine needs from the world. Others implement; the engine only calls.

import type {
  ContentBlock,
  HookEvent,
  HookOutcome,
  JsonObject,
  ModelMessage,
  NewEntry,
  PermissionUpdate,
  Signal,
  StreamEvent,
  TextBlock,
  ToolUseBlock,
  Usage,
} from "@keelson/protocol";
import type { Rule } from "./permission/rule.ts";
import type { Access, Tool, ToolContext } from "./tool.ts";

/** A model request in the API's own shape, without transport. Messages are never changed once in a request. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly TextBlock[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly tool_choice?: JsonObject;
  readonly thinking?: JsonObject;
  readonly output_config?: JsonObject;
  readonly context_management?: JsonObject;
  readonly metadata?: JsonObject;
  /** Sent as a header, not in the body. */
  readonly betas: readonly string[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** Things a provider has to say besides the stream itself. */
export type ModelNotice =
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
      readonly error: string;
    }
  /** What was streamed so far is void; the reply starts over. Never after a finished block. */
  | { readonly type: "restart" }
  /** After a finished block nothing more has come for a moment. */
  | { readonly type: "pause" }
  | { readonly type: "fallback"; readonly from: string; readonly to: string; readonly reason: string };

export type ModelEvent = StreamEvent | { readonly type: "notice"; readonly notice: ModelNotice };

export interface ModelProvider {
  readonly id: string;
  /** Yields events until `message_stop`. Throws ModelError and nothing else. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Input tokens a request would use; undefined when the provider cannot tell. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}

/** What is known of a model: how to ask it, and what fits. */
export interface ModelProfile {
  readonly id: string;
  readonly maxTokens: number;
  readonly contextWindow: number;
  readonly thinking: "adaptive" | "budget" | "none";
  readonly effort: boolean;
}

/** How this session asks the model; replaced whole by `set_model` and friends. */
export interface ModelChoice {
  readonly provider: ModelProvider;
  readonly profile: ModelProfile;
  readonly effort?: string;
  /** A fixed thinking budget; 0 turns thinking off; absent leaves it to the profile. */
  readonly thinkingTokens?: number;
  readonly betas: readonly string[];
  readonly cache: { readonly enabled: boolean; readonly ttl: "5m" | "1h" };
  readonly metadata?: JsonObject;
}

/** A tool call on its way to the gate. */
export interface PermitRequest {
  readonly call: ToolUseBlock;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly access: Access;
  /** What PreToolUse hooks said. */
  readonly hook: HookOutcome;
}

export type Decider = "hook" | "rule" | "mode" | "protected" | "workingDir" | "person" | "other";

/** A call that may run, or may not. `ask` has been answered by then. */
export type Permission =
  | { readonly behavior: "allow"; readonly input: JsonObject; readonly by: Decider; readonly source: string }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean; readonly by: Decider };

/** What the gate says before anybody is asked. `rule` is the one that decided, where a rule did. */
export type PermissionDecision =
  | { readonly behavior: "allow"; readonly by: Decider; readonly reason: string; readonly rule?: Rule }
  | { readonly behavior: "deny"; readonly by: Decider; readonly message: string; readonly rule?: Rule }
  | {
      readonly behavior: "ask";
      readonly by: Decider;
      readonly reason: string;
      readonly suggestions: readonly PermissionUpdate[];
      readonly blockedPath?: string;
      readonly rule?: Rule;
    };

export interface Ports {
  readonly model: ModelChoice;
  readonly tools: readonly Tool[];
  /** Those there are, offered or not: one that was taken away is called by its name all the same. */
  readonly allTools?: readonly Tool[];
  readonly system: readonly string[];
  readonly signal: AbortSignal;
  readonly concurrency: number;
  /** Durable, then shown. Resolves when both are done. */
  record(entries: readonly NewEntry[]): void | Promise<void>;
  /** Shown, never stored. A promise means a watcher is behind: wait for it. */
  show(signal: Signal): void | Promise<void>;
  /** True when somebody wants every delta. */
  readonly partial: boolean;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  /** Hooks have heard the prompt: from here on clients see the run. */
  admitted(): void | Promise<void>;
  /** Instructions that begin to hold because a call touched this. They are shown with its result. */
  instructionsFor(access: Access): readonly string[];
  /** The gate, and whoever answers its questions. Always answers; a question nobody needs any more is `withdrawn`. */
  permit(request: PermitRequest, withdrawn: AbortSignal): Promise<Permission>;
  /** Aborts `signal`: whoever was asked about one call wants everything to stop. */
  interrupt(): void;
  /** What forbids a call outright, whoever agreed to it; undefined when nothing does. */
  forbids(request: PermitRequest): Promise<string | undefined>;
  context(call: ToolUseBlock): ToolContext;
  /** Keeps text that is too long to show; returns a path the model may read. */
  spill(id: string, text: string): Promise<string>;
  /** What was typed while we worked, to be added at a safe boundary. */
  steering(): readonly NewEntry[];
  /** Books the usage of one reply. */
  charge(usage: Usage, model: string, durationMs: number): void;
  /** Dollars spent so far in this process; null when a price is unknown. */
  spent(): number | null;
  now(): number;
  newId(): string;
}

export interface Limits {
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly summarizeOnMaxTurns?: boolean;
  readonly structured?: { readonly schema: JsonObject; readonly maxRetries: number };
}

export type Shown = string | readonly ContentBlock[];
