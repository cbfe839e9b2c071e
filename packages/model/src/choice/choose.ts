// Chooses the provider of a session and of its fallback models. Loaded only if that may not be Anthropic's own API with a
// key or token from a variable.

import { ModelError } from "@keelson/engine";
import { anthropicProvider } from "../messages/anthropic.ts";
import { lookUpClaude, type KnownModel } from "../profiles/profiles.ts";
import {
  anthropicOptions,
  assembleModel,
  fallbackNames,
  ownCredentials,
  resolveOffline,
  wantedModel,
  type ResolvedModel,
  type ResolveOptions,
} from "../resolve.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import { isCloud, vendorIdOf } from "./names/clouds.ts";
import { findKey, HELPER, STORED } from "./server/credentials.ts";
import { defaultName, readyProviders } from "./default-model.ts";
import { locate } from "./names/look-up.ts";
import { homeProvider, type Destination } from "./names/names.ts";
import { checkCredentials, keyFacts, openDestination, openModelServer } from "./server/open.ts";
import { providerNamed } from "./known/providers.ts";
import { routed } from "./server/router.ts";
import { modelOf } from "./known/traits.ts";
import { withServerWindow } from "./server/window.ts";

/** Throws ModelError if a name leads nowhere, or a provider is not configured. */
export async function chooseProvider(given: ResolveOptions): Promise<ResolvedModel> {
  const options = await withRegion(given);
  const asked = wantedModel(options);
  const wanted = asked?.toLowerCase() === "default" ? undefined : asked;
  const named = wanted === undefined ? undefined : locate(wanted, keyFacts(options));
  const hasOwn = named === undefined || named.provider === "anthropic" ? await hasAnthropic(options) : false;
  const name = wanted ?? (hasOwn ? "default" : await defaultName(options));
  if (name === undefined) return resolveOffline({ wanted: false, ...ownProvider(options) });
  const main = named ?? locate(name, keyFacts(options));
  if (main.provider === "anthropic" && !hasOwn) {
    const { misplacedName } = await import("./names/misplaced.ts");
    const problem = misplacedName(name, keyFacts(options), readyProviders(keyFacts(options)));
    if (problem) throw problem;
    if (!options.needsCredentials) return resolveOffline({ wanted: false });
    throw new ModelError(
      "authentication_failed",
      `"${name}" is a model of Anthropic: set ANTHROPIC_API_KEY, or choose another with PROVIDER/ID`,
    );
  }
  if (main.provider === "anthropic" && !ownCredentials(options.env).baseUrl) {
    const { modelOfAnother } = await import("./names/misplaced.ts");
    const problem = modelOfAnother(name, readyProviders(keyFacts(options)));
    if (problem) throw problem;
  }

  const opened = await openModel(main, options);
  const { usable, unused } = await fallbackDestinations(options);
  const fallbacks = usable.map((destination) => ({
    destination,
    known: knownModel(destination, options),
  }));
  // Opened when they are needed: most sessions never need them.
  const others = new Map(
    fallbacks.map(({ destination, known }) => [
      known.profile.id,
      async () => (await openModel(destination, options)).provider,
    ]),
  );
  return assembleModel(options, {
    known: opened.known,
    provider: others.size === 0 ? opened.provider : routed(opened.provider, opened.known.profile.id, others),
    fallbacks: fallbacks.map(({ known }) => known),
    source: opened.source,
    apiKeySource: opened.apiKeySource,
    unusedFallbacks: unused.map(({ name: each }) => each),
    ...(main.provider === "anthropic" ? {} : { providerName: main.provider }),
  });
}

/** A provider that only the settings know is asked for by name. */
function ownProvider({ settings }: ResolveOptions): { readonly provider?: string } {
  const [provider] = Object.keys(settings?.providers ?? {}).filter((name) => providerNamed(name) === undefined);
  return provider === undefined ? {} : { provider };
}

/** Those of Anthropic are unused if they cannot be asked: settings name them for every session. Throws ModelError. */
async function fallbackDestinations(
  options: ResolveOptions,
): Promise<{ readonly usable: readonly Destination[]; readonly unused: readonly Destination[] }> {
  const found = fallbackNames(options).map((name) => locate(name, keyFacts(options)));
  const isOwn = ({ provider }: Destination) => provider === "anthropic";
  const hasOwn = found.some(isOwn) && (await hasAnthropic(options));
  for (const destination of found) if (!isOwn(destination)) await checkCredentials(destination, options);
  const unused = hasOwn ? [] : found.filter(isOwn);
  return { usable: found.filter((destination) => !unused.includes(destination)), unused };
}

/** Names of models on Bedrock have the region in them. */
async function withRegion(options: ResolveOptions): Promise<ResolveOptions> {
  const { env } = options;
  const names = [wantedModel(options) ?? "", ...fallbackNames(options)];
  const isBedrock = homeProvider(env) === "bedrock" || names.some((name) => name.toLowerCase().startsWith("bedrock/"));
  if (!isBedrock || env["AWS_REGION"]?.trim()) return options;
  const { withAwsRegion } = await import("./server/cloud-servers.ts");
  return { ...options, env: await withAwsRegion(env) };
}

/** Whether names without a provider lead to something that can be asked. */
async function hasAnthropic(options: ResolveOptions): Promise<boolean> {
  const { env } = options;
  if (isCloud(homeProvider(env))) return true;
  const { apiKey, authToken, baseUrl } = ownCredentials(env);
  return Boolean(apiKey || authToken || baseUrl) || (await findKey("anthropic", keyFacts(options))) !== undefined;
}

interface OpenedModel {
  readonly provider: PlainProvider;
  readonly known: KnownModel;
  readonly source: ResolvedModel["source"];
  readonly apiKeySource: string;
}

async function openModel(destination: Destination, options: ResolveOptions): Promise<OpenedModel> {
  const known = knownModel(destination, options);
  if (destination.provider === "anthropic") return { known, ...(await openAnthropic(options)) };
  const opened = await openDestination(destination, options);
  const asked = opened.tellsWindow ? withServerWindow(opened, destination, known, options) : { ...opened, known };
  return { provider: asked.provider, known: asked.known, source: "provider", apiKeySource: opened.keyFrom };
}

function knownModel(destination: Destination, { env, settings = {} }: ResolveOptions): KnownModel {
  const { provider, id, longContext } = destination;
  if (provider !== "anthropic") return modelOf(destination, { ...settings, env }).known;
  const vendorId = vendorIdOf(id, settings.modelOverrides);
  const known = lookUpClaude(longContext ? `${vendorId}[1m]` : vendorId, env);
  return vendorId === id ? known : { ...known, profile: { ...known.profile, id } };
}

/** Anthropic's own API: a key or token from a variable, a command, or the keychain. */
async function openAnthropic(options: ResolveOptions): Promise<Omit<OpenedModel, "known">> {
  const { env } = options;
  const { apiKey, authToken, baseUrl } = ownCredentials(env);
  const provider = () => anthropicProvider(anthropicOptions(options));
  if (authToken) return { provider: provider(), source: "auth-token", apiKeySource: "none" };
  if (apiKey) return { provider: provider(), source: "api-key", apiKeySource: "ANTHROPIC_API_KEY" };
  const found = await findKey("anthropic", keyFacts(options));
  // A key that was stored for Anthropic does not go to another address.
  const key = baseUrl && found?.from === STORED ? undefined : found;
  if (key === undefined) {
    if (baseUrl) return { provider: provider(), source: "base-url", apiKeySource: "none" };
    throw new ModelError("authentication_failed", "No key for Anthropic: set ANTHROPIC_API_KEY");
  }
  const { server, dialect } = await openModelServer({ provider: "anthropic", id: "" }, options);
  const { headers } = anthropicOptions(options);
  const traits = (id: string) => modelOf({ provider: "anthropic", id, name: id }, { env }).traits;
  return {
    provider: dialect.provider({ ...server, headers: { ...server.headers, ...headers } }, { traits }),
    source: key.from === HELPER ? "helper" : "stored",
    apiKeySource: key.from === HELPER ? HELPER : STORED,
  };
}
