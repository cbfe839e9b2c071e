// What the engine needs from the outside. Other packages implement these interfaces; the engine only calls them.

import type {
  ContentBlock,
  HookEvent,
  FilePatch,
  HookOutcome,
  JsonObject,
  ModelMessage,
  NewEntry,
  PermissionUpdate,
  PromptMessage,
  Signal,
  StreamEvent,
  TextBlock,
  ToolUseBlock,
  Usage,
} from "@keelson/protocol";
import type { CompactionRules } from "./compaction/when.ts";
import type { Rule } from "./permission/rules/rule.ts";
import type { Access, Tool, ToolContext } from "./tool/tool.ts";

/** A model request in the API's shape, without transport. Messages never change once they are in a request. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly TextBlock[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Tools that the provider runs itself, as its API describes them. Only for providers that have them. */
  readonly serverTools?: readonly JsonObject[];
  readonly tool_choice?: JsonObject;
  readonly thinking?: JsonObject;
  readonly output_config?: JsonObject;
  readonly context_management?: JsonObject;
  readonly metadata?: JsonObject;
  /** Sent as a header, not in the body. */
  readonly betas: readonly string[];
  /** The id of the subagent that asks. Sent as a header. */
  readonly agent?: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  /** Not part of the cached prefix: the model loaded it during the conversation. */
  readonly defer_loading?: true;
}

/** What a provider reports besides the stream itself. */
export type ModelNotice =
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
      readonly error: string;
    }
  /** Discard what was streamed so far; the reply starts over. Never sent after a finished block. */
  | { readonly type: "restart" }
  /** Nothing has arrived for a moment after a finished block. */
  | { readonly type: "pause" }
  | { readonly type: "fallback"; readonly from: string; readonly to: string; readonly reason: string }
  /** What the server says about the limits of the account, whenever that changes. */
  | { readonly type: "rate_limit"; readonly info: JsonObject }
  /** Something in the request that this model cannot be given, such as a picture. Told once per session. */
  | { readonly type: "loss"; readonly text: string };

export type ModelEvent = StreamEvent | { readonly type: "notice"; readonly notice: ModelNotice };

export interface ModelProvider {
  readonly id: string;
  /** Yields events until `message_stop`. Throws only ModelError. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** The input tokens a request would use; undefined if the provider cannot tell. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number | undefined>;
}

/** What we know about a model: how to ask it, and its limits. */
export interface ModelProfile {
  readonly id: string;
  readonly maxTokens: number;
  readonly contextWindow: number;
  readonly thinking: "adaptive" | "budget" | "none";
  readonly effort: boolean;
  /** Asks the server how long the window really is, if it was not asked yet. Absent where the answer is known. */
  measureWindow?(): Promise<void>;
}

/** How this session asks the model; `set_model` and similar requests replace it as a whole. */
export interface ModelChoice {
  readonly provider: ModelProvider;
  readonly profile: ModelProfile;
  readonly effort?: string;
  /** A fixed thinking budget; 0 turns thinking off; if absent, the profile decides. */
  readonly thinkingTokens?: number;
  readonly betas: readonly string[];
  readonly cache: { readonly enabled: boolean; readonly ttl: "5m" | "1h" };
  readonly metadata?: JsonObject;
  /** The id of the subagent that asks. */
  readonly agent?: string;
}

/** A tool call that needs a permission decision. */
export interface PermitRequest {
  readonly call: ToolUseBlock;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly access: Access;
  /** What PreToolUse hooks replied. */
  readonly hook: HookOutcome;
  /** How the call would change a file. Undefined if it changes none, or too much to show. */
  preview?(): Promise<FilePatch | undefined> | undefined;
}

export type Decider = "hook" | "rule" | "mode" | "protected" | "workingDir" | "person" | "other";

/** Whether a call may run. Any `ask` has been answered by now. */
export type Permission = (
  | { readonly behavior: "allow"; readonly input: JsonObject; readonly source: string }
  | {
      readonly behavior: "deny";
      /** For the model. */
      readonly message: string;
      /** What people read instead; absent if it is the same. */
      readonly forPeople?: string;
      readonly interrupt?: boolean;
      /** There was a question, and nobody to answer it. */
      readonly unanswered?: boolean;
    }
) & {
  readonly by: Decider;
  /** What decided, as clients know it; absent if a person did. */
  readonly reasonType?: string;
  /** The message, or what the input was changed to, is what the user said to the client. */
  readonly isUsersWord?: boolean;
};

/** The gate's decision before anyone is asked. `rule` is the rule that decided, if one did. */
export type PermissionDecision =
  | { readonly behavior: "allow"; readonly by: Decider; readonly reason: string; readonly rule?: Rule }
  | {
      readonly behavior: "deny";
      readonly by: Decider;
      readonly message: string;
      readonly forPeople?: string;
      readonly rule?: Rule;
    }
  | {
      readonly behavior: "ask";
      readonly by: Decider;
      readonly reason: string;
      readonly suggestions: readonly PermissionUpdate[];
      readonly blockedPath?: string;
      readonly rule?: Rule;
    };

/** A typed command. Either its text goes to the model, or Keelson answers it itself. */
export type Expansion = PromptExpansion | LocalCommand;

/** A command that stands for a longer prompt, such as a skill or a prompt of an MCP server. */
export interface PromptExpansion {
  readonly kind: "prompt";
  /** For UserPromptExpansion hooks: `expansion_type`, `command_name` and so on. */
  readonly about: JsonObject;
  /** Runs after the hooks agreed. Rejects with an error for the user. */
  render(): Promise<ExpandedPrompt>;
  /** Hooks let the prompt pass: it goes to the model. */
  admitted?(): void;
  /** The next of several that were typed one after the other. */
  readonly next?: PromptExpansion | undefined;
}

export interface ExpandedPrompt {
  /** What the model reads instead. */
  readonly content: readonly ContentBlock[];
  /** Context that goes with it, such as files that the text refers to. */
  readonly attachments?: readonly NewEntry[];
  /** The answer, if a subagent already did the work. The model is not asked; it reads `content` with the next prompt. */
  readonly answer?: string;
}

/** A command that needs no model. */
export interface LocalCommand {
  readonly kind: "local";
  /** Its own name without the slash, even if an alias was typed. */
  readonly name: string;
  readonly args: string;
  /** Returns what the user reads; `prompt` is the id that the client gave. Rejects with an error for the user. */
  run(prompt: string | undefined): Promise<string | LocalAnswer>;
}

export interface LocalAnswer {
  readonly text: string;
  /** What the command adds to the conversation. The conversation has it already; it is recorded before the answer. */
  readonly entries: readonly NewEntry[];
}

export interface Ports {
  readonly model: ModelChoice;
  /** The tools in the next request; they may change between the requests of a run. */
  tools(): readonly Tool[];
  /** Resolves when tools that changed are known, or will not be soon. Undefined if none changed. */
  toolsReady?(): Promise<void> | undefined;
  /** The betas that those tools need, besides the model's own. */
  toolBetas?(): readonly string[];
  /** Tools that can be called although requests do not describe them: the model knows only their names. */
  deferredTools?(): readonly Tool[];
  /** Tools that can be called although the model is not told about them: it may know them from elsewhere. */
  acceptedTools?(): readonly Tool[];
  /** The tool that the client wants for calls of this name; undefined if it is the one of that name. */
  toolAlias?(name: string): string | undefined;
  /** A call of this tool has begun to arrive. */
  announced?(tool: string): void;
  /** Resolves when a tool that is still on its way has come or will not come. Undefined if none of this name is. */
  awaitTool?(name: string): Promise<void> | undefined;
  /** Why there is no tool of this name, if that is known: a sentence for the model. */
  whyMissing?(name: string): string | undefined;
  /** All tools, offered or not. A call to one that is not offered is still recognized by name. */
  readonly allTools?: readonly Tool[];
  readonly system: readonly string[];
  readonly signal: AbortSignal;
  readonly concurrency: number;
  /** Stores entries, then shows them. Resolves when both are done. */
  record(entries: readonly NewEntry[]): void | Promise<void>;
  /** Shows a signal without storing it. A promise means a reader is behind: wait for it. */
  show(signal: Signal): void | Promise<void>;
  /** Whether a client wants every delta now. */
  partial(): boolean;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  /** What a typed command stands for; undefined if the text is not one. */
  expand?(text: string): Promise<Expansion | undefined>;
  /** What the user's own words refer to, such as `@server:uri`, for the model to read before them. */
  mentioned?(text: string): Promise<readonly NewEntry[]>;
  /** Runs a command of the user, as a tool call with this id. Undefined if the user runs none. */
  runShellCommand?(command: string, toolUseId: string): Promise<TypedCommandOutput>;
  /** UserPromptSubmit hooks have run: clients see the run from now on. */
  admitted(): void | Promise<void>;
  /** Instructions that apply because a call touched this. They are shown with its result. */
  instructionsFor(access: Access): readonly string[];
  /**
   * The gate, including whoever answers its questions. Always answers. `withdrawn` aborts a question that no longer
   * matters.
   */
  permit(request: PermitRequest, withdrawn: AbortSignal): Promise<Permission>;
  /** Aborts `signal`: the person asked about one call wants everything to stop. */
  interrupt(): void;
  /** What denies a call no matter who approved it; undefined if nothing does. */
  forbids(request: PermitRequest): Promise<string | undefined>;
  context(call: ToolUseBlock): ToolContext;
  /** Stores text that is too long to show; returns a path the model may read. */
  spill(id: string, text: string): Promise<string>;
  /** The image as Read would show it, of a prompt or a result. Other blocks, and images of a usual size, stay. */
  fitImage?(block: ContentBlock): Promise<ContentBlock>;
  /** How the conversation is kept within the context window. Absent: it is not. */
  readonly compaction?: CompactionPort;
  /** What the model has to hear of, to be added at a safe point. */
  steering(): readonly NewEntry[];
  /** Prompts that came during the run and may join it. Absent: each waits for a run of its own. */
  readonly queue?: PromptQueue | undefined;
  /** Records the usage of one reply. */
  charge(usage: Usage, model: string, durationMs: number): void;
  /** Dollars spent so far in this process; null if a price is unknown. */
  spent(): number | null;
  now(): number;
  /**
   * Begins to time a call that runs. The function ends it and returns how many milliseconds it took, without the time that
   * a person was waited for. Absent where no one is asked: `now` says it.
   */
  timeCall?(id: string): () => number;
  newId(): string;
}

/** What a command of the user printed. */
export interface TypedCommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** What hooks say to it. */
  readonly context?: readonly string[];
  readonly media?: readonly ContentBlock[];
}

/** Prompts that wait while a run goes on. */
export interface PromptQueue {
  /** The next prompt that may join the run, still in the queue. */
  next(): PromptMessage | undefined;
  /** Takes it out of the queue; false if it is no longer there. */
  take(prompt: PromptMessage): boolean;
}

/** What a compaction needs besides the ports of its run. */
export interface CompactionPort {
  rules(contextWindow: number): CompactionRules;
  /** Asks the model beside the conversation, and charges for it. Throws ModelError. */
  ask(request: ModelRequest): Promise<SideReply>;
  /** The file with the whole conversation, if it is kept. */
  transcript(): string | undefined;
  /** The latest entry. */
  leaf(): string | null;
  /** The text before the first prompt, as it would be now. */
  preface(): string | undefined | Promise<string | undefined>;
  /** What the model needs to know again. Called after the conversation was compacted. */
  restore(): Promise<readonly NewEntry[]>;
  /** The summary was written. */
  summarized?(text: string): Promise<void>;
}

/** A reply outside the conversation. */
export interface SideReply {
  readonly text: string;
  readonly stopReason: string | null;
}

export interface Limits {
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly summarizeOnMaxTurns?: boolean;
  readonly structured?: { readonly schema: JsonObject; readonly maxRetries: number };
}

export type Shown = string | readonly ContentBlock[];
