// The parts of messages, in the model API's spelling. Callers build and change these freely, so nothing is readonly,
// and the unions are closed so that `block.type === "text"` narrows.

export type CacheControlEphemeral = { type: "ephemeral"; ttl?: "5m" | "1h" };

export type TextBlock = { type: "text"; text: string; citations?: unknown[] | null };
export type ThinkingBlock = { type: "thinking"; thinking: string; signature: string };
export type RedactedThinkingBlock = { type: "redacted_thinking"; data: string };
export type ToolUseBlock = { type: "tool_use"; id: string; name: string; input: unknown };
export type ServerToolUseBlock = { type: "server_tool_use"; id: string; name: string; input: unknown };
export type WebSearchToolResultBlock = { type: "web_search_tool_result"; tool_use_id: string; content: unknown };
export type WebFetchToolResultBlock = { type: "web_fetch_tool_result"; tool_use_id: string; content: unknown };
export type McpToolUseBlock = { type: "mcp_tool_use"; id: string; name: string; server_name: string; input: unknown };
export type McpToolResultBlock = {
  type: "mcp_tool_result";
  tool_use_id: string;
  is_error: boolean;
  content: string | TextBlock[];
};

/** A block of a model's reply. */
export type BetaContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ServerToolUseBlock
  | WebSearchToolResultBlock
  | WebFetchToolResultBlock
  | McpToolUseBlock
  | McpToolResultBlock;

export type TextBlockParam = { type: "text"; text: string; cache_control?: CacheControlEphemeral | null };
export type ImageBlockParam = {
  type: "image";
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
  cache_control?: CacheControlEphemeral | null;
};
export type DocumentBlockParam = {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string | null;
  context?: string | null;
  cache_control?: CacheControlEphemeral | null;
};
export type ToolResultBlockParam = {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (TextBlockParam | ImageBlockParam | DocumentBlockParam)[];
  is_error?: boolean;
  cache_control?: CacheControlEphemeral | null;
};

/** A block of a message to the model. */
export type ContentBlockParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | ToolResultBlockParam
  | ToolUseBlock
  | ThinkingBlock
  | RedactedThinkingBlock;

export type MessageParam = { role: "user" | "assistant"; content: string | ContentBlockParam[] };

export type Usage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } | null;
  server_tool_use?: { web_search_requests: number; web_fetch_requests: number } | null;
  service_tier?: "standard" | "priority" | "batch" | null;
};

export type NonNullableUsage = { [Key in keyof Usage]-?: NonNullable<Usage[Key]> };

export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
  | "compaction";

/** A model's reply. */
export type BetaMessage = {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: BetaContentBlock[];
  stop_reason: StopReason | null;
  stop_sequence: string | null;
  usage: Usage;
  context_management?: unknown;
  container?: unknown;
};

export type BetaRawContentBlockDelta =
  | { type: "text_delta"; text: string }
  | { type: "input_json_delta"; partial_json: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "citations_delta"; citation: unknown };

export type BetaRawMessageStreamEvent =
  | { type: "message_start"; message: BetaMessage }
  | { type: "content_block_start"; index: number; content_block: BetaContentBlock }
  | { type: "content_block_delta"; index: number; delta: BetaRawContentBlockDelta }
  | { type: "content_block_stop"; index: number }
  | {
      type: "message_delta";
      delta: { stop_reason: StopReason | null; stop_sequence: string | null };
      usage: Partial<Usage> & { output_tokens: number };
    }
  | { type: "message_stop" };
