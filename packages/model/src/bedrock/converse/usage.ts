// The tokens of a reply: as the service counts them, or as an estimate.

import { isObject, NO_USAGE, type Usage } from "@keelson/protocol";

/** The service counts as the Messages API does: input is without what the cache had. */
export function converseUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const number = (name: string) => Math.max(0, Number.isFinite(value[name]) ? (value[name] as number) : 0);
  const details = Array.isArray(value["cacheDetails"]) ? value["cacheDetails"].filter(isObject) : [];
  const written = (ttl: string) =>
    details.filter((one) => one["ttl"] === ttl).reduce((sum, { inputTokens }) => sum + Number(inputTokens), 0);
  return {
    input_tokens: number("inputTokens"),
    output_tokens: number("outputTokens"),
    cache_read_input_tokens: number("cacheReadInputTokens"),
    cache_creation_input_tokens: number("cacheWriteInputTokens"),
    ...(details.length > 0
      ? { cache_creation: { ephemeral_5m_input_tokens: written("5m"), ephemeral_1h_input_tokens: written("1h") } }
      : {}),
  };
}

const CHARACTERS_PER_TOKEN = 4;

/** By the length of the texts. */
export function usageEstimate(input: number, output: number): Usage {
  const tokens = (length: number) => Math.max(1, Math.ceil(length / CHARACTERS_PER_TOKEN));
  return { ...NO_USAGE, input_tokens: tokens(input), output_tokens: tokens(output), estimated: true };
}
