// What a server refused before, by server and model, so that it is not sent again.

/** Parts of a request that can be left out. */
export type Optional =
  | "stream_options"
  | "max_tokens"
  | "max_completion_tokens"
  | "max_output_tokens"
  | "reasoning_effort"
  | "reasoning"
  | "thinking"
  | "summary"
  | "include"
  | "parallel_tool_calls"
  | "tool_choice"
  | "strict"
  | "prompt_cache_key"
  | "response_format"
  | "developer"
  | "reasoning_content"
  | "reasoning_details"
  | "images";

/** How long the thinking that led to calls goes back: until the next prompt, or always. */
export type ReasoningSpan = "loop" | "session";

export interface ServerHabits {
  readonly refused: ReadonlySet<Optional>;
  /** The most output that the server allows. */
  readonly maxTokens?: number;
  /** The server wants the model's own thinking back. */
  readonly reasoning?: ReasoningSpan;
  /** The longest description of a tool, in characters. */
  readonly descriptionLength?: number;
  readonly toolCount?: number;
  /** Schemas of tools may have the most common keywords only. */
  readonly plainSchemas?: boolean;
  /** A user message must not follow the result of a call: a word of the assistant goes between. */
  readonly bridgesResults?: boolean;
  /** There is no system message: the instructions are part of the first prompt. */
  readonly noSystem?: boolean;
}

const NONE: ServerHabits = { refused: new Set() };

const remembered = new Map<string, ServerHabits>();

const keyOf = (baseUrl: string, model: string) => `${baseUrl}\n${model}`;

export function habitsOf(baseUrl: string, model: string): ServerHabits {
  return remembered.get(keyOf(baseUrl, model)) ?? NONE;
}

export function rememberHabits(baseUrl: string, model: string, habits: ServerHabits): void {
  remembered.set(keyOf(baseUrl, model), habits);
}
