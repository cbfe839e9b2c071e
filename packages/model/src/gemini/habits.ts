// What a server turned out not to accept, learnt from its errors: the request is sent once more in another form, and
// later requests have that form from the start.

import { ModelError, type ModelRequest } from "@keelson/engine";
import { idsIn } from "../fit/ids.ts";

export type GeminiHabit =
  /** An old proxy, or a schema that the server does not accept: `parameters` instead of `parametersJsonSchema`. */
  | "only parameters"
  /** A model whose name does not tell that its calls need signatures. */
  | "signatures required"
  | "no media in results"
  | "no ids"
  /** Models such as Gemma: the instructions are part of the first message. */
  | "no system"
  | "no level"
  | "no thinking";

export class GeminiHabits {
  readonly #known = new Set<GeminiHabit>();
  readonly #refused = new Set<string>();
  /** The most output that may be asked for, if the server told. */
  maxTokens = Infinity;

  has(habit: GeminiHabit): boolean {
    return this.#known.has(habit);
  }

  /** Whether the signature of a call may be sent back. */
  trusts(callId: string): boolean {
    return !this.#refused.has(callId);
  }

  /** True if the error tells something new, and the request is worth sending in another form. */
  learn(error: unknown, { messages }: ModelRequest): boolean {
    if (!(error instanceof ModelError) || error.kind !== "invalid_request") return false;
    const limit = Number(LIMIT.exec(error.message)?.[1] ?? Number.NaN);
    if (limit - 1 < this.maxTokens && limit > 1) {
      this.maxTokens = limit - 1;
      return true;
    }
    const found = SIGNS.find(([habit, sign]) => !this.has(habit) && sign.test(error.message));
    if (found) this.#known.add(found[0]);
    if (found || !BAD_SIGNATURE.test(error.message)) return found !== undefined;
    const before = this.#refused.size;
    for (const id of idsIn(messages)) this.#refused.add(id);
    return this.#refused.size > before;
  }
}

const BAD_SIGNATURE =
  /(?:corrupted|invalid)[^]{0,20}thought.?signature|thought.?signature[^]{0,40}(?:not valid|invalid)/i;

const LIMIT = /max_?output_?tokens[^]*supported range is from \d+ \(inclusive\) to (\d+) \(exclusive\)/i;

const SIGNS: readonly (readonly [GeminiHabit, RegExp])[] = [
  ["only parameters", /parameters_?json_?schema|function_?declarations?\[\d+\]|(?<!response)json ?schema/i],
  ["signatures required", /missing a `?thought_?signature/i],
  ["no media in results", /unknown name "parts"|multimodal function.?response|function.?response[^]*inline_?data/i],
  ["no ids", /unknown name "id"/i],
  ["no system", /(?:developer|system).?instruction[^]*not (?:enabled|supported)/i],
  ["no level", /thinking.?level/i],
  ["no thinking", /thinking.?(?:config|budget)|thinking is not|include_?thoughts/i],
];
