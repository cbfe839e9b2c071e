// The messages and content blocks of a conversation, in the format of the model API. Blocks of unknown types pass through
// unchanged.

import { isFolded, isObject, type Json, type JsonObject } from "../json.ts";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: CacheControl;
}

export interface ImageBlock {
  readonly type: "image";
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
}

export interface DocumentBlock {
  readonly type: "document";
  readonly source: { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string };
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly ContentBlock[];
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl;
}

/** In the result of a tool search: the API adds the named tool, whose schema was withheld, to the conversation. */
export interface ToolReferenceBlock {
  readonly type: "tool_reference";
  readonly tool_name: string;
}

export interface UnknownBlock {
  readonly type: string & { readonly unknown?: never };
  readonly [key: string]: Json | undefined;
}

export type KnownBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ToolReferenceBlock;

export type ContentBlock = KnownBlock | UnknownBlock;

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}

export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentBlock[];
  /** Where an assistant message comes from. Never sent; providers decide by it what they may send back. */
  readonly reply?: ReplyOrigin;
  /** The user's own words in a user message, as their entries record them. Never sent. */
  readonly byUser?: readonly string[];
}

export interface ReplyOrigin {
  /** As the server named it. */
  readonly model: string;
  /** By id of the call: what the provider wants back with it, such as a signature. */
  readonly callState?: Readonly<Record<string, JsonObject>>;
}

export function isToolUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool_use";
}

export function isToolResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === "tool_result";
}

export function isText(block: ContentBlock): block is TextBlock {
  return block.type === "text";
}

/** The API rejects text of only whitespace. */
export function isBlank(block: ContentBlock): boolean {
  return isText(block) && !isFolded(block, "text") && !(typeof block.text === "string" && /\S/.test(block.text));
}

/** Whether a value has the fields that the API requires of a block. Does not read a long text that was not read yet. */
export function isWholeBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "text":
      return isString(value, "text");
    case "image":
    case "document":
      return isWholeSource(value["source"]);
    case "tool_use":
      return isString(value, "id") && isString(value, "name") && isObject(value["input"]);
    case "tool_result":
      return isString(value, "tool_use_id") && isWholeContent(value);
    default:
      return isString(value, "type");
  }
}

function isWholeContent(result: object): boolean {
  if (!("content" in result) || isString(result, "content")) return true;
  return Array.isArray(result.content) && result.content.every(isWholeBlock);
}

/** Of the usual kinds, what they name; documents have more. */
function isWholeSource(source: unknown): boolean {
  if (!isObject(source)) return false;
  if (source["type"] === "base64") return isString(source, "data") && isString(source, "media_type");
  return source["type"] === "url" ? isString(source, "url") : isString(source, "type");
}

/** A field that is read from the transcript when it is needed is a text. */
function isString(value: object, field: string): boolean {
  return isFolded(value, field) || (field in value && typeof Reflect.get(value, field) === "string");
}

/** Content may be a string or a list of blocks. */
export function blocksOf(content: ModelMessage["content"]): readonly ContentBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The text blocks, joined. */
export function textOf(content: ModelMessage["content"]): string {
  return typeof content === "string"
    ? content
    : content
        .filter(isText)
        .map((block) => block.text)
        .join("");
}
