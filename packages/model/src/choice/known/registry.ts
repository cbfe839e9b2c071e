// Models of other providers: window, output limit, what they read, how they think, and the list price. The first model of
// a provider is its default. Users add to it with `providers.NAME.models` in their settings. Data only.

import type { ModelPrice } from "@keelson/protocol";
import type { ModelTraits } from "../../dialect.ts";

export interface RegisteredModel extends ModelTraits {
  readonly price?: ModelPrice;
}

interface Entry extends Partial<ModelTraits> {
  readonly contextWindow: number;
  readonly maxTokens: number;
  /** Dollars per million tokens: input, output, cached input. */
  readonly price?: ListPrice;
  /** The same for prompts of more than 200,000 tokens, where they cost more. */
  readonly longPrice?: ListPrice;
}

type ListPrice = readonly [input: number, output: number, cacheRead?: number];

const K128 = 131_072;
const K400 = { contextWindow: 400_000, maxTokens: 128_000 } as const;
const M1 = { contextWindow: 1_048_576, maxTokens: 65_536 } as const;
const seeing = { images: true, documents: true } as const;
const reasoning = (...efforts: readonly string[]) => ({ thinking: "adaptive", efforts, reasons: true }) as const;

const GPT5 = { ...K400, ...seeing, ...reasoning("minimal", "low", "medium", "high") };
const GPT51 = { ...K400, ...seeing, ...reasoning("none", "low", "medium", "high") };
const GPT52 = { ...K400, ...seeing, ...reasoning("none", "low", "medium", "high", "xhigh") };
const GPT41 = { contextWindow: 1_047_576, maxTokens: 32_768, ...seeing };
const O_SERIES = { contextWindow: 200_000, maxTokens: 100_000, ...seeing, ...reasoning("low", "medium", "high") };
const GEMINI_THINKING = { ...M1, ...seeing, ...reasoning("low", "medium", "high") };
const DEEPSEEK4 = { contextWindow: 1_048_576, maxTokens: 393_216, ...reasoning("low", "high", "max") };
const GPT_OSS = { contextWindow: K128, maxTokens: 32_768, ...reasoning("low", "medium", "high") };

const OPENAI: Readonly<Record<string, Entry>> = {
  "gpt-5.4": { ...GPT52, contextWindow: 272_000, price: [2.5, 15, 0.25] },
  "gpt-5.3-codex": { ...GPT52, price: [1.75, 14, 0.175] },
  "gpt-5.2": { ...GPT52, price: [1.75, 14, 0.175] },
  "gpt-5.2-codex": { ...GPT52, price: [1.75, 14, 0.175] },
  "gpt-5.1": { ...GPT51, price: [1.25, 10, 0.125] },
  "gpt-5.1-codex": { ...GPT51, price: [1.25, 10, 0.125] },
  "gpt-5.1-codex-max": { ...GPT52, price: [1.25, 10, 0.125] },
  "gpt-5.1-codex-mini": { ...GPT51, price: [0.25, 2, 0.025] },
  "gpt-5": { ...GPT5, price: [1.25, 10, 0.125] },
  "gpt-5-codex": { ...GPT5, price: [1.25, 10, 0.125] },
  "gpt-5-mini": { ...GPT5, price: [0.25, 2, 0.025] },
  "gpt-5-nano": { ...GPT5, price: [0.05, 0.4, 0.005] },
  "gpt-4.1": { ...GPT41, price: [2, 8, 0.5] },
  "gpt-4.1-mini": { ...GPT41, price: [0.4, 1.6, 0.1] },
  "gpt-4.1-nano": { ...GPT41, price: [0.1, 0.4, 0.025] },
  "gpt-4o": { contextWindow: 128_000, maxTokens: 16_384, ...seeing, price: [2.5, 10, 1.25] },
  "gpt-4o-mini": { contextWindow: 128_000, maxTokens: 16_384, ...seeing, price: [0.15, 0.6, 0.075] },
  o3: { ...O_SERIES, price: [2, 8, 0.5] },
  "o4-mini": { ...O_SERIES, price: [1.1, 4.4, 0.275] },
};

const GEMINI: Readonly<Record<string, Entry>> = {
  "gemini-3.1-pro-preview": { ...GEMINI_THINKING, price: [2, 12, 0.2], longPrice: [4, 18, 0.4] },
  "gemini-3-pro-preview": { ...GEMINI_THINKING, price: [2, 12, 0.2], longPrice: [4, 18, 0.4] },
  "gemini-3-flash-preview": { ...GEMINI_THINKING, price: [0.5, 3, 0.05] },
  "gemini-3.1-flash-lite-preview": { ...GEMINI_THINKING, price: [0.25, 1.5, 0.025] },
  "gemini-2.5-pro": { ...GEMINI_THINKING, price: [1.25, 10, 0.125], longPrice: [2.5, 15, 0.25] },
  "gemini-2.5-flash": { ...GEMINI_THINKING, price: [0.3, 2.5, 0.03] },
  "gemini-2.5-flash-lite": { ...GEMINI_THINKING, price: [0.1, 0.4, 0.01] },
  "gemini-2.0-flash": { contextWindow: 1_048_576, maxTokens: 8_192, ...seeing, price: [0.1, 0.4, 0.025] },
};

const REGISTRY: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  openai: OPENAI,
  azure: OPENAI,
  gemini: GEMINI,
  vertex: GEMINI,
  deepseek: {
    "deepseek-flash": { ...DEEPSEEK4, images: true },
    "deepseek-v4-pro": DEEPSEEK4,
    "deepseek-v4-flash": DEEPSEEK4,
    "deepseek-chat": { contextWindow: K128, maxTokens: 8_192, price: [0.28, 0.42, 0.028] },
    "deepseek-reasoner": { contextWindow: K128, maxTokens: 65_536, ...reasoning(), price: [0.28, 0.42, 0.028] },
  },
  xai: {
    "grok-4": { contextWindow: 256_000, maxTokens: 64_000, images: true, ...reasoning(), price: [3, 15, 0.75] },
    "grok-4-1-fast": {
      contextWindow: 2_000_000,
      maxTokens: 30_000,
      images: true,
      ...reasoning(),
      price: [0.2, 0.5, 0.05],
    },
    "grok-4-fast": {
      contextWindow: 2_000_000,
      maxTokens: 30_000,
      images: true,
      ...reasoning(),
      price: [0.2, 0.5, 0.05],
    },
    "grok-code-fast-1": { contextWindow: 256_000, maxTokens: 10_000, ...reasoning(), price: [0.2, 1.5, 0.02] },
  },
  mistral: {
    "devstral-medium-latest": { contextWindow: 262_144, maxTokens: 32_768, price: [0.4, 2] },
    "mistral-large-latest": { contextWindow: 262_144, maxTokens: 32_768, images: true, price: [0.5, 1.5] },
    "mistral-medium-latest": { contextWindow: 128_000, maxTokens: 16_384, images: true, price: [0.4, 2] },
    "mistral-small-latest": { contextWindow: 128_000, maxTokens: 16_384, images: true, price: [0.1, 0.3] },
    "codestral-latest": { contextWindow: 256_000, maxTokens: 16_384, price: [0.3, 0.9] },
    "magistral-medium-latest": { contextWindow: 128_000, maxTokens: 16_384, ...reasoning(), price: [2, 5] },
  },
  groq: {
    "openai/gpt-oss-120b": { ...GPT_OSS, maxTokens: 65_536, price: [0.15, 0.6] },
    "openai/gpt-oss-20b": { ...GPT_OSS, maxTokens: 65_536, price: [0.075, 0.3] },
    "moonshotai/kimi-k2-instruct-0905": { contextWindow: 262_144, maxTokens: 16_384, price: [1, 3] },
    "llama-3.3-70b-versatile": { contextWindow: K128, maxTokens: 32_768, price: [0.59, 0.79] },
    "qwen/qwen3-32b": { contextWindow: K128, maxTokens: 16_384, ...reasoning(), price: [0.29, 0.59] },
  },
  cerebras: {
    "zai-glm-4.7": { contextWindow: K128, maxTokens: 40_000, price: [2.25, 2.75] },
    "gpt-oss-120b": { ...GPT_OSS, price: [0.25, 0.69] },
    "qwen-3-235b-a22b-instruct-2507": { contextWindow: 131_000, maxTokens: 32_000, price: [0.6, 1.2] },
  },
  zai: {
    "glm-5": { contextWindow: 204_800, maxTokens: 131_072, ...reasoning(), price: [1, 3.2, 0.2] },
    "glm-4.7": { contextWindow: 204_800, maxTokens: 131_072, ...reasoning(), price: [0.6, 2.2, 0.11] },
    "glm-4.6": { contextWindow: 204_800, maxTokens: 131_072, ...reasoning(), price: [0.6, 2.2, 0.11] },
    "glm-4.5-air": { contextWindow: K128, maxTokens: 98_304, ...reasoning(), price: [0.2, 1.1, 0.03] },
  },
  bedrock: {
    "amazon.nova-pro-v1:0": { contextWindow: 300_000, maxTokens: 10_000, ...seeing, price: [0.8, 3.2, 0.2] },
    "amazon.nova-lite-v1:0": { contextWindow: 300_000, maxTokens: 10_000, ...seeing, price: [0.06, 0.24, 0.015] },
    "amazon.nova-micro-v1:0": { contextWindow: 128_000, maxTokens: 10_000, price: [0.035, 0.14, 0.00875] },
  },
};

const SMALL: Readonly<Record<string, string>> = {
  openai: "gpt-5-mini",
  gemini: "gemini-2.5-flash",
  vertex: "gemini-2.5-flash",
  deepseek: "deepseek-flash",
  xai: "grok-4-1-fast",
  mistral: "mistral-small-latest",
  groq: "openai/gpt-oss-20b",
  cerebras: "gpt-oss-120b",
  zai: "glm-4.5-air",
};

/** Routers name models by their vendor. Whether they also have the vendor's price. */
const VENDORS: Readonly<Record<string, readonly [provider: string, samePrice: boolean]>> = {
  openai: ["openai", true],
  google: ["gemini", true],
  "x-ai": ["xai", true],
  deepseek: ["deepseek", false],
  mistralai: ["mistral", false],
  "z-ai": ["zai", false],
};

const PLAIN: Omit<ModelTraits, "contextWindow" | "maxTokens"> = {
  images: false,
  documents: false,
  thinking: "none",
  efforts: [],
  reasons: false,
};

/** The model for everyday work; undefined if the registry knows none. */
export const defaultModelOf = (provider: string): string | undefined => registeredIds(provider)[0];

/** A cheaper model for work beside the conversation. */
export const smallModelOf = (provider: string): string | undefined => SMALL[provider];

export function registeredIds(provider: string): readonly string[] {
  // Deployments on Azure have names of their own.
  if (provider === "azure" || !Object.hasOwn(REGISTRY, provider)) return [];
  return Object.keys(REGISTRY[provider]!);
}

/** Finds a model by id, without the date or the region in it. */
export function registered(provider: string, id: string): RegisteredModel | undefined {
  const slash = id.indexOf("/");
  const vendor = id.slice(0, Math.max(slash, 0));
  if (provider === "openrouter" && Object.hasOwn(VENDORS, vendor)) {
    const [owner, samePrice] = VENDORS[vendor]!;
    const { price, ...traits } = registered(owner, id.slice(slash + 1).replace(/:\w+$/, "")) ?? {};
    if (!("contextWindow" in traits)) return undefined;
    return { ...(traits as ModelTraits), ...(samePrice && price && !id.includes(":") ? { price } : {}) };
  }
  const models = Object.hasOwn(REGISTRY, provider) ? REGISTRY[provider]! : {};
  const key = [id, withoutDate(id), withoutRegion(id)].find((each) => Object.hasOwn(models, each));
  if (key === undefined) return undefined;
  const { price, longPrice, ...traits } = models[key]!;
  const longPrompt = longPrice && { longPrompt: { above: 200_000, ...priceOf(longPrice) } };
  return { ...PLAIN, ...traits, ...(price ? { price: { ...priceOf(price), ...longPrompt } } : {}) };
}

const withoutDate = (id: string) => id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$/, "");
const withoutRegion = (id: string) => id.replace(/^(?:us|eu|apac|us-gov|global)\./, "");

const priceOf = ([input, output, cacheRead]: ListPrice): ModelPrice => ({
  input,
  output,
  ...(cacheRead === undefined ? {} : { cacheRead }),
});
