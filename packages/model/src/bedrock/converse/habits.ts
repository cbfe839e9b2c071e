// What a model on Converse turned out not to accept, learnt from the service's errors: the request is sent once more in
// another form, and later requests have that form from the start.

import { ModelError } from "@keelson/engine";
import { outputLimit } from "../../http/overflow.ts";

export type ConverseHabit =
  /** Tools work only without streaming. */
  "no streaming" | "no tool choice" | "no cache" | "no output format" | "no system";

const SIGNS: readonly (readonly [RegExp, ConverseHabit])[] = [
  [/tool ?use in streaming|streaming mode/i, "no streaming"],
  [/tool_?\s?choice/i, "no tool choice"],
  [/cache ?point|prompt caching/i, "no cache"],
  [/output_?config|output format|text_?format|structured output/i, "no output format"],
  [/support system (?:messages|prompts?)/i, "no system"],
];

const MAX_TOKENS = /max(?:imum)?[ _]?tokens/i;

export class ConverseHabits {
  readonly #known = new Set<ConverseHabit>();
  /** The most output that may be asked for, if the service told. */
  maxTokens = Infinity;

  has(habit: ConverseHabit): boolean {
    return this.#known.has(habit);
  }

  /** True if the error says something new, and the request is worth another attempt. */
  learn(error: unknown, askedTokens: number): boolean {
    // A model without a cache is refused as if access to it were denied.
    if (!(error instanceof ModelError) || (error.status !== 400 && error.status !== 403)) return false;
    // The numbers of a prompt that is too long are not limits.
    const isAboutOutput = error.kind === "invalid_request" && MAX_TOKENS.test(error.message);
    const limit = isAboutOutput ? outputLimit(error.message, askedTokens) : undefined;
    if (limit !== undefined) {
      this.maxTokens = limit;
      return true;
    }
    const habit = SIGNS.find(([sign]) => sign.test(error.message))?.[1];
    if (habit === undefined || this.#known.has(habit)) return false;
    this.#known.add(habit);
    return true;
  }
}
