// List prices, and the cost of a reply. The cost is null, not zero, for a model without a known price.

import type { ModelPrice, Usage } from "@keelson/protocol";
import { familyOf, OFFLINE_ID, otherModels, type Env, type ModelSettings } from "./profiles.ts";

/**
 * The cost in dollars, or null if the price is unknown. `extraPrices`, by model id, override the tables. `settings` and
 * `env` say what a name with a provider means.
 */
export function costOf(
  model: string,
  usage: Usage,
  extraPrices: Readonly<Record<string, ModelPrice>> = {},
  settings: ModelSettings = {},
  env: Env = {},
): number | null {
  const family = familyOf(model);
  const usual =
    lookUp(extraPrices, model) ??
    lookUp(extraPrices, family) ??
    lookUp(extraPrices, model.slice(model.indexOf("/") + 1)) ??
    lookUp(PRICES, family) ??
    (model.includes("/") ? otherModels().otherPrice(model, { ...settings, env }) : undefined);
  if (!usual || usage.estimated) return null;
  const written = writtenTokens(usage);
  const prompt = usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + written.short + written.long;
  const price = usual.longPrompt && prompt > usual.longPrompt.above ? usual.longPrompt : usual;
  // Without cache prices, cached tokens cost the same as plain input.
  const dollars =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    (usage.cache_read_input_tokens ?? 0) * (price.cacheRead ?? price.input) +
    written.short * (price.cacheWrite5m ?? price.input) +
    written.long * (price.cacheWrite1h ?? price.cacheWrite5m ?? price.input);
  const searches = usage.server_tool_use?.web_search_requests ?? 0;
  return dollars / 1_000_000 + searches * DOLLARS_PER_SEARCH;
}

/** The list price of a family of Claude models. */
export const priceOfFamily = (family: string): ModelPrice | undefined => lookUp(PRICES, family);

const DOLLARS_PER_SEARCH = 0.01;

// Published prices. Cache writes are multiples of the input price; cache reads differ from model to model.
const price = (input: number, output: number, cacheRead: number): ModelPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite5m: input * 1.25,
  cacheWrite1h: input * 2,
});

/** These charge more for prompts of more than 200,000 tokens. */
const priceByLength = (input: number, output: number, cacheRead: number): ModelPrice => ({
  ...price(input, output, cacheRead),
  longPrompt: { above: 200_000, ...price(input * 2, output * 1.5, cacheRead * 2) },
});

const PRICES: Readonly<Record<string, ModelPrice>> = {
  "claude-fable-5-2": price(8, 40, 0.2),
  "claude-fable-5-1": price(10, 50, 0.25),
  "claude-fable-5": price(10, 50, 1),
  "claude-opus-5-5": price(4, 20, 0.2),
  "claude-opus-5": price(5, 25, 0.5),
  "claude-opus-4-8": price(5, 25, 0.5),
  "claude-opus-4-7": price(5, 25, 0.5),
  "claude-opus-4-6": price(5, 25, 0.5),
  "claude-opus-4-5": price(5, 25, 0.5),
  "claude-opus-4-1": price(15, 75, 1.5),
  "claude-opus-4-0": price(15, 75, 1.5),
  "claude-opus-4": price(15, 75, 1.5),
  "claude-sonnet-5-5": price(2, 10, 0.1),
  "claude-sonnet-5": price(2, 10, 0.2),
  "claude-sonnet-4-6": price(3, 15, 0.3),
  "claude-sonnet-4-5": priceByLength(3, 15, 0.3),
  "claude-sonnet-4-0": priceByLength(3, 15, 0.3),
  "claude-sonnet-4": priceByLength(3, 15, 0.3),
  "claude-3-7-sonnet": price(3, 15, 0.3),
  "claude-3-5-sonnet": price(3, 15, 0.3),
  "claude-haiku-5-5": { ...price(0.1, 0.5, 0.01), longPrompt: { above: 100_000, ...price(0.5, 2.5, 0.05) } },
  "claude-haiku-4-5": price(1, 5, 0.1),
  "claude-3-5-haiku": price(0.8, 4, 0.08),
  [OFFLINE_ID]: { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
};

function lookUp(prices: Readonly<Record<string, ModelPrice>>, key: string | undefined): ModelPrice | undefined {
  return key !== undefined && Object.hasOwn(prices, key) ? prices[key] : undefined;
}

/** Tokens written to the five-minute and one-hour cache; without a breakdown, all count as five-minute. */
function writtenTokens({ cache_creation, cache_creation_input_tokens }: Usage) {
  const all = cache_creation_input_tokens ?? 0;
  const long = cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return { short: cache_creation?.ephemeral_5m_input_tokens ?? Math.max(0, all - long), long };
}
