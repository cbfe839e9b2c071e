// What an error teaches about a server: the same request is sent once more in another form, and later requests have that
// form from the start. Pure.

import type { ModelError } from "@keelson/engine";
import { outputLimit, roomForOutput } from "../../http/overflow.ts";
import type { Optional, ReasoningSpan, ServerHabits } from "./habits.ts";

/** What an attempt was made with. */
export interface Sent {
  /** Optional parts that were in the request. */
  readonly parts: readonly Optional[];
  readonly maxTokens: number | undefined;
  /** How many tools were offered. */
  readonly toolCount: number;
  /** For how long thinking went back, if it did. */
  readonly reasoning?: ReasoningSpan;
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
  const limit = outputLimitOf(message, sent);
  if (limit !== undefined) return { habits: { ...habits, maxTokens: limit } };
  if (MISSES_REASONING.test(message)) return wantsReasoning(message, sent, habits);
  const part = sent.parts.find((name) => name !== "images" && names(message, name));
  if (part === "reasoning_content" && sent.reasoning === "session") return { habits: { ...habits, reasoning: "loop" } };
  if (part) return { habits: without(part, habits) };
  if (!habits.bridgesResults && ROLE_ORDER.test(message)) return { habits: { ...habits, bridgesResults: true } };
  return !habits.noSystem && NO_SYSTEM.test(message) ? { habits: { ...habits, noSystem: true } } : undefined;
}

/** DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API." */
const PASS_BACK = /reasoning_content[^]*(?:must|should|needs? to) be (?:passed|sent) back/i;
const MISSES_REASONING = new RegExp(
  `missing[^]*reasoning_content|reasoning_content[^]*missing|${PASS_BACK.source}`,
  "i",
);

function wantsReasoning(message: string, { reasoning }: Sent, habits: ServerHabits) {
  if (reasoning === "session") return undefined;
  const wanted = reasoning === "loop" || PASS_BACK.test(message) ? "session" : "loop";
  return { habits: { ...habits, reasoning: wanted } as const };
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

const WORDS = new Set<Optional>(["reasoning", "thinking", "include", "strict"]);

/** "max_tokens is too large: 32000. This model supports at most 16384 completion tokens" */
function outputLimitOf(message: string, { maxTokens, parts }: Sent): number | undefined {
  const isNamed = parts.some((part) => part.startsWith("max_") && names(message, part));
  return maxTokens === undefined || !isNamed ? undefined : outputLimit(message, maxTokens);
}
