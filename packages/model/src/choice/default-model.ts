// The model of a session that names none and has no credentials for Anthropic: that of the one provider that is set up.

import { ModelError } from "@keelson/engine";
import type { ResolveOptions } from "../resolve.ts";
import { providerAddress } from "./server/address.ts";
import { keyFacts, openModelServer } from "./server/open.ts";
import type { NameFacts } from "./names/names.ts";
import { PROVIDERS } from "./known/providers.ts";
import { defaultModelOf } from "./known/registry.ts";

const LIST_MS = 5_000;

/** Undefined if none is set up. Throws ModelError if several are, or if the one has several models. */
export async function defaultName(options: ResolveOptions): Promise<string | undefined> {
  const facts = keyFacts(options);
  const ready = readyProviders(facts);
  const [provider, ...more] = ready;
  if (provider === undefined) return undefined;
  if (more.length > 0)
    throw new ModelError(
      "invalid_request",
      `Several providers are set up: ${ready.join(", ")}; choose a model with --model PROVIDER/ID, ANTHROPIC_MODEL or "model" in your settings (keelson models lists them)`,
    );
  return `${provider}/${await modelOfOnly(provider, facts, options)}`;
}

async function modelOfOnly(provider: string, facts: NameFacts, options: ResolveOptions): Promise<string> {
  const registered = defaultModelOf(provider);
  const { isVendor } = hasRegions(provider) ? { isVendor: true } : providerAddress({ provider }, facts);
  if (isVendor && registered !== undefined) return registered;
  const { server, dialect } = await openModelServer({ provider, id: "" }, options);
  const listed = await listModels(provider, () =>
    dialect.list(server, { signal: AbortSignal.timeout(LIST_MS), timeoutMs: LIST_MS }),
  );
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0) return only.id;
  const choice = listed.length === 0 ? "it lists no models" : `it has ${listed.length} models`;
  throw new ModelError(
    "invalid_request",
    `No model is chosen for "${provider}", and ${choice}; use --model ${provider}/ID (keelson models ${provider} lists them)`,
  );
}

async function listModels<T>(provider: string, list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new ModelError(error.kind, `No model is chosen, and "${provider}" cannot list its own: ${error.message}`);
  }
}

const hasRegions = (provider: string) => PROVIDERS[provider]!.key === "chain";

/** The providers besides Anthropic that could be asked. */
export const readyProviders = (facts: NameFacts): readonly string[] =>
  Object.keys(PROVIDERS).filter((provider) => provider !== "anthropic" && isReady(provider, facts));

/** Set up by variables, or by `keelson auth login`, so that it could be asked. */
function isReady(provider: string, { env, hasStoredKey }: NameFacts): boolean {
  const { key, keys, addresses, baseUrl } = PROVIDERS[provider]!;
  const isSet = (names: readonly string[]) => names.some((name) => env[name]?.trim());
  if (key !== "needed") return isSet(key === "none" ? addresses : [...keys, ...addresses]);
  const hasKey = isSet(keys) || (hasStoredKey?.(provider) ?? false);
  return baseUrl === undefined ? hasKey && isSet(addresses) : hasKey || isSet(addresses);
}
