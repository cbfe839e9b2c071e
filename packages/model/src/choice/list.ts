// Lists the models of the providers that are set up, all of them at once and each with a short limit.

import { ModelError } from "@keelson/engine";
import type { ModelPrice } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";
import type { ListedModel, ModelTraits } from "../dialect.ts";
import { CLOUD_SWITCHES } from "../profiles/profiles.ts";
import type { ResolveOptions } from "../resolve.ts";
import { blockOf, isConfigured, unknownProvider } from "./names/names.ts";
import { keyFacts, openModelServer } from "./server/open.ts";
import { providerNamed, PROVIDERS } from "./known/providers.ts";
import { registeredIds } from "./known/registry.ts";
import { modelOf } from "./known/traits.ts";

/** A model that can be asked, in the words of a block in the settings. What is not known is null. */
export interface ReachableModel {
  readonly id: string;
  readonly provider: string;
  readonly contextWindow: number | null;
  readonly maxTokens: number | null;
  readonly images: boolean | null;
  readonly thinking: ModelTraits["thinking"] | null;
  readonly price: Pick<ModelPrice, "input" | "output" | "cacheRead"> | null;
}

export interface ProviderModels {
  readonly provider: string;
  readonly models: readonly ReachableModel[];
  /** Why there are none. */
  readonly problem?: string;
}

const LIMIT_MS = 5_000;
/** Servers that may run on this machine without being set up. No one needs to hear that they do not. */
const LOCAL = ["ollama", "lmstudio"];

/** Throws ModelError if no provider has this name. */
export function knownProvider(name: string, options: ResolveOptions): string {
  const providers = options.settings?.providers ?? {};
  const found = providerNamed(name) ?? (Object.hasOwn(providers, name) ? name : undefined);
  if (found === undefined) throw unknownProvider(name, { providers });
  return found;
}

/** Providers that the user set up: by variables, in the settings, or with `keelson auth login`. */
export function configuredProviders(options: ResolveOptions): readonly string[] {
  const facts = keyFacts(options);
  const switched = CLOUD_SWITCHES.filter(([variable]) => isVariableOn(options.env[variable])).map(([, name]) => name);
  const own = Object.keys(options.settings?.providers ?? {}).map((name) => providerNamed(name) ?? name);
  const known = Object.keys(PROVIDERS).filter((name) => isConfigured(name, facts) && !isShared(name, options));
  const helped = options.settings?.apiKeyHelper ? ["anthropic"] : [];
  return [...new Set([...helped, ...known, ...switched, ...own])];
}

/** The key for Bedrock is also the one for its other address, which then must be set. */
const isShared = (name: string, { env }: ResolveOptions) =>
  name === "mantle" && !env["ANTHROPIC_BEDROCK_MANTLE_BASE_URL"]?.trim();

/** Lists one provider, or all that are set up and those that run on this machine. Never throws ModelError. */
export async function reachableModels(
  only: string | undefined,
  options: ResolveOptions,
): Promise<readonly ProviderModels[]> {
  const names = only === undefined ? configuredProviders(options) : [only];
  const local = only === undefined ? LOCAL.filter((name) => !names.includes(name)) : [];
  const lists = await Promise.all([...names, ...local].map((name) => listProvider(name, options)));
  return lists.filter(({ provider, problem }) => problem === undefined || !local.includes(provider));
}

async function listProvider(provider: string, options: ResolveOptions): Promise<ProviderModels> {
  try {
    return { provider, models: await modelsOf(provider, options) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { provider, models: [], problem: error.message };
  }
}

/** Throws ModelError. */
export async function modelsOf(
  provider: string,
  options: ResolveOptions,
  stop?: AbortSignal,
): Promise<readonly ReachableModel[]> {
  const own = Object.keys(blockOf(provider, options.settings?.providers)?.models ?? {});
  const { server, dialect, isVendor } = await openModelServer({ provider, id: "" }, options);
  const ask = (signal: AbortSignal) => dialect.list(server, { signal, timeoutMs: LIMIT_MS });
  const listed = await limited(ask, stop).catch((error) => {
    // Not every server has a list.
    const known = [...own, ...(isVendor ? registeredIds(provider) : [])];
    if (!(error instanceof ModelError) || error.kind !== "model_not_found" || known.length === 0) throw error;
    return known.map((id) => ({ id }));
  });
  const ids = new Set(listed.map(({ id }) => id));
  const all = [...listed, ...own.filter((id) => !ids.has(id)).map((id) => ({ id }))];
  return all.map((model) => described(provider, model, options));
}

async function limited<T>(ask: (signal: AbortSignal) => Promise<T>, stop: AbortSignal | undefined): Promise<T> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    return await ask(stop ? AbortSignal.any([stop, limit]) : limit);
  } catch (error) {
    if (limit.aborted && !stop?.aborted) throw new ModelError("timeout", `No answer within ${LIMIT_MS / 1000} s`);
    throw error;
  }
}

/** The user's word counts more than the server's, and that more than the registry's. */
function described(provider: string, listed: ListedModel, { env, settings = {} }: ResolveOptions): ReachableModel {
  const { id } = listed;
  const { traits, price, isKnown } = modelOf({ provider, id, name: id }, { ...settings, env });
  const blocks = blockOf(provider, settings.providers)?.models ?? {};
  const own = Object.hasOwn(blocks, id) ? blocks[id]! : {};
  const known = isKnown ? traits : undefined;
  const isListed = !isKnown || PROVIDERS[provider]?.key === "none" || !Object.hasOwn(PROVIDERS, provider);
  /** A server of one's own knows better than a table what it can do. */
  const pick = <T>(mine: T | undefined, theirs: T | undefined, table: T | undefined): T | null =>
    mine ?? (isListed ? (theirs ?? table) : (table ?? theirs)) ?? null;
  return {
    id,
    provider,
    contextWindow: pick(own.contextWindow, listed.contextWindow, known?.contextWindow),
    maxTokens: pick(own.maxTokens, listed.maxTokens, known?.maxTokens),
    images: pick(own.images, listed.images, known?.images),
    thinking: pick(own.thinking, thinkingOf(listed), known?.thinking),
    price: shownPrice(own.price ?? listed.price ?? price),
  };
}

/** Servers say only whether a model thinks; how much is up to it. */
function thinkingOf({ thinking }: ListedModel): ModelTraits["thinking"] | undefined {
  return thinking === undefined ? undefined : thinking ? "adaptive" : "none";
}

function shownPrice(price: ModelPrice | ListedModel["price"]): ReachableModel["price"] {
  if (!price) return null;
  const { input, output, cacheRead } = price;
  return { input, output, ...(cacheRead === undefined ? {} : { cacheRead }) };
}
