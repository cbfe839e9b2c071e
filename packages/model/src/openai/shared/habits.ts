// What a server refused before, by server and model, so that it is not sent again.

import type { ModelError } from "@keelson/engine";
import { roomForOutput } from "../../http/overflow.ts";

/** Parts of a request that can be left out. */
export type Optional =
  | "stream_options"
  | "max_tokens"
  | "max_completion_tokens"
  | "max_output_tokens"
  | "reasoning_effort"
  | "reasoning"
  | "summary"
  | "include"
  | "parallel_tool_calls"
  | "strict"
  | "prompt_cache_key"
  | "response_format"
  | "developer"
  | "reasoning_content"
  | "reasoning_details"
  | "images";

export interface ServerHabits {
  readonly refused: ReadonlySet<Optional>;
  /** The most output that the server allows. */
  readonly maxTokens?: number;
  /** The server misses the model's own thinking in the tool loop. */
  readonly wantsReasoning?: boolean;
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

/** What an attempt was made with. */
export interface Sent {
  /** Optional parts that were in the request. */
  readonly parts: readonly Optional[];
  readonly maxTokens: number | undefined;
}

/**
 * What to do differently after an error; undefined if nothing would help. `once` is for this request only: another
 * prompt has another length.
 */
export function learn(
  { kind, message }: ModelError,
  sent: Sent,
  habits: ServerHabits,
): { readonly habits: ServerHabits; readonly once?: { readonly maxTokens: number } } | undefined {
  if (kind === "prompt_too_long") {
    const room = sent.maxTokens === undefined ? undefined : roomForOutput(message, sent.maxTokens);
    return room === undefined ? undefined : { habits, once: { maxTokens: room } };
  }
  const isImageTrouble = sent.parts.includes("images") && NO_IMAGES.test(message);
  if (isImageTrouble && (kind === "invalid_request" || kind === "server_error" || kind === "model_not_found"))
    return { habits: without("images", habits) };
  if (kind !== "invalid_request") return undefined;
  const limit = outputLimit(message, sent);
  if (limit !== undefined) return { habits: { ...habits, maxTokens: limit } };
  const part = sent.parts.find((name) => name !== "images" && names(message, name));
  if (part) return { habits: without(part, habits) };
  const misses = !habits.wantsReasoning && /missing.*reasoning_content|reasoning_content.*missing/i.test(message);
  return misses ? { habits: { ...habits, wantsReasoning: true } } : undefined;
}

function without(part: Optional, habits: ServerHabits): ServerHabits {
  return { ...habits, refused: new Set([...habits.refused, part]) };
}

const NO_IMAGES = /image|vision|multimodal|multi-modal|mmproj/i;

function names(message: string, part: Optional): boolean {
  if (part === "include" && /encrypted content is not supported/i.test(message)) return true;
  // Words of every day name a parameter only where one is spoken of.
  if (WORDS.has(part) && !/parameter|argument|field|property/i.test(message)) return false;
  return new RegExp(`(?<![a-z_])${part}(?![a-z_])`, "i").test(message);
}

const WORDS = new Set<Optional>(["reasoning", "include", "strict"]);

const TOO_LARGE = /too large|at most|less than or equal|<=|exceed|maximum|must be between|range/i;

/** "max_tokens is too large: 32000. This model supports at most 16384 completion tokens" */
function outputLimit(message: string, { maxTokens, parts }: Sent): number | undefined {
  const isNamed = parts.some((part) => part.startsWith("max_") && names(message, part));
  if (maxTokens === undefined || !isNamed || !TOO_LARGE.test(message)) return undefined;
  const numbers = [...message.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
  const limit = Math.max(...numbers.filter((number) => number < maxTokens && number >= 16));
  return Number.isFinite(limit) ? limit : undefined;
}
