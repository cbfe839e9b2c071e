// What an error teaches about a server: the same request is sent once more in another form, and later requests have that
// form from the start. Pure.

import type { ModelError } from "@keelson/engine";
import { roomForOutput } from "../../http/overflow.ts";
import type { Optional, ServerHabits } from "./habits.ts";

/** What an attempt was made with. */
export interface Sent {
  /** Optional parts that were in the request. */
  readonly parts: readonly Optional[];
  readonly maxTokens: number | undefined;
  /** How many tools were offered. */
  readonly toolCount: number;
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
  const schemas = toolLesson(message, sent, habits);
  if (schemas && (kind === "invalid_request" || kind === "server_error")) return { habits: schemas };
  if (kind !== "invalid_request") return undefined;
  const limit = outputLimit(message, sent);
  if (limit !== undefined) return { habits: { ...habits, maxTokens: limit } };
  const part = sent.parts.find((name) => name !== "images" && names(message, name));
  if (part) return { habits: without(part, habits) };
  if (!habits.bridgesResults && ROLE_ORDER.test(message)) return { habits: { ...habits, bridgesResults: true } };
  if (!habits.noSystem && NO_SYSTEM.test(message)) return { habits: { ...habits, noSystem: true } };
  const misses = !habits.wantsReasoning && /missing.*reasoning_content|reasoning_content.*missing/i.test(message);
  return misses ? { habits: { ...habits, wantsReasoning: true } } : undefined;
}

const ROLE_ORDER = /unexpected role '?user'? after role '?tool|roles must alternate/i;
const NO_SYSTEM = /system (?:role|messages?|prompts?) (?:is |are )?not supported|not support (?:the )?system/i;
const LONG_DESCRIPTION = /description[^]*(?:too long|maximum length|at most)/i;
const MANY_TOOLS =
  /\btools\b[^]{0,40}(?:too long|too many|maximum|at most|more than)|(?:too many|at most|maximum)[^]{0,40}\btools\b/i;
const BAD_SCHEMA =
  /(?:invalid|unsupported|unrecognized) (?:json )?schema|schema conversion failed|schema is (?:invalid|not supported)|(?:parse|generate|compile|build)[^]{0,20}(?:grammar|parser)|pattern must start/i;

/** What the server does not accept about the tools themselves. */
function toolLesson(message: string, { toolCount }: Sent, habits: ServerHabits): ServerHabits | undefined {
  if (toolCount === 0) return undefined;
  const numbers = [...message.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
  if (LONG_DESCRIPTION.test(message)) {
    const { descriptionLength = Infinity } = habits;
    const longest = Math.min(...numbers.filter((number) => number >= SHORTEST_DESCRIPTION));
    return longest < descriptionLength ? { ...habits, descriptionLength: longest } : undefined;
  }
  if (MANY_TOOLS.test(message)) {
    const most = Math.max(...numbers.filter((number) => number > 0 && number < toolCount));
    return Number.isFinite(most) ? { ...habits, toolCount: most } : undefined;
  }
  return BAD_SCHEMA.test(message) && !habits.plainSchemas ? { ...habits, plainSchemas: true } : undefined;
}

/** Other numbers in such an error are the place of a tool in the list. */
const SHORTEST_DESCRIPTION = 200;

function without(part: Optional, habits: ServerHabits): ServerHabits {
  return { ...habits, refused: new Set([...habits.refused, part]) };
}

const NO_IMAGES = /image|vision|multimodal|multi-modal|mmproj/i;

function names(message: string, part: Optional): boolean {
  if (part === "include" && /encrypted content is not supported/i.test(message)) return true;
  // Everyday words name a parameter only where the text is about one.
  if (WORDS.has(part) && !/parameter|argument|field|property/i.test(message)) return false;
  // Some spell it in camel case.
  return new RegExp(`(?<![a-z_])${part.replaceAll("_", "_?")}(?![a-z_])`, "i").test(message);
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
