// Token counts of OpenAI's dialects in our terms, and an estimate for servers that do not count.

import { isObject, type Usage } from "@keelson/protocol";

export interface CountedUsage {
  readonly usage: Usage;
  /** Everything in the prompt, cached or not. */
  readonly prompt: number;
}

/** Undefined if the server did not count. */
export function usageIn(value: unknown): CountedUsage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = numberOf(value["prompt_tokens"]) ?? numberOf(value["input_tokens"]);
  const output = numberOf(value["completion_tokens"]) ?? numberOf(value["output_tokens"]);
  if (prompt === undefined && output === undefined) return undefined;
  const details = value["prompt_tokens_details"] ?? value["input_tokens_details"];
  const told = isObject(details) ? details : {};
  // DeepSeek counts hits beside the prompt.
  const cached = numberOf(told["cached_tokens"]) ?? numberOf(value["prompt_cache_hit_tokens"]) ?? 0;
  const written = numberOf(told["cache_write_tokens"]) ?? 0;
  return {
    prompt: prompt ?? 0,
    usage: {
      input_tokens: Math.max(0, (prompt ?? 0) - cached - written),
      output_tokens: output ?? 0,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
    },
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function usageByLength(input: number, outputCharacters: number): Usage {
  return {
    input_tokens: input,
    output_tokens: tokensIn(outputCharacters),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    estimated: true,
  };
}

const CHARACTERS_PER_TOKEN = 3.5;
const TOKENS_PER_PICTURE = 1_500;

const tokensIn = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** About how many tokens a request body has. Pictures and files count the same whatever their size in bytes. */
export function estimatedTokens(body: unknown): number {
  let characters = 0;
  let pictures = 0;
  const visit = (value: unknown): void => {
    if (typeof value === "string") {
      if (value.startsWith("data:")) pictures++;
      else characters += value.length;
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        characters += Array.isArray(value) ? 1 : key.length + 4;
        visit(item);
      }
    } else characters += 4;
  };
  visit(body);
  return tokensIn(characters) + pictures * TOKENS_PER_PICTURE;
}
