// What a person can do about each provider: use the key that is there, give one, or what is missing for that. A key is
// checked with one request before it is kept.

import { ModelError } from "@keelson/engine";
import { callServer, type Server } from "../http/server.ts";
import { responseError } from "../http/http-error.ts";
import type { ResolveOptions } from "../resolve.ts";
import { configuredProviders, modelsOf } from "./list.ts";
import { isCloud } from "./names/clouds.ts";
import { isConfigured } from "./names/names.ts";
import { PROVIDERS } from "./known/providers.ts";
import { defaultModelOf } from "./known/registry.ts";
import { providerAddress } from "./server/address.ts";
import { keyFacts, openModelServer } from "./server/open.ts";
import { providerStates } from "./state.ts";

export interface ProviderLogin {
  readonly provider: string;
  /** For people. */
  readonly title: string;
  /** A variable, a setting, `keychain`; null if there are none. */
  readonly credentials: string | null;
  /** A key can be given. A variable or a command counts before it, so then there is no use in one. */
  readonly takesKey: boolean;
  /** What has to be done before it can be asked. */
  readonly missing?: string;
}

/** Every provider that is known or in the settings: those that can be asked first. */
export function providerLogins(options: ResolveOptions): readonly ProviderLogin[] {
  const configured = configuredProviders(options);
  const names = [...new Set([...configured, ...Object.keys(PROVIDERS)])];
  const logins = names.map((name) => loginOf(name, configured.includes(name), options));
  return [...logins.filter(({ missing }) => missing === undefined), ...logins.filter(({ missing }) => missing)];
}

function loginOf(provider: string, configured: boolean, options: ResolveOptions): ProviderLogin {
  const [state] = providerStates(provider, options);
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  const title = known?.title ?? provider;
  const isChain = known?.key === "chain";
  const credentials = isChain && !configured ? null : state!.credentials;
  const base = { provider, title, credentials };
  const address = isChain ? undefined : addressProblem(provider, options);
  if (address !== undefined) return { ...base, takesKey: false, missing: address };
  if (isChain) return { ...base, takesKey: false, ...(configured ? {} : { missing: CHAINS[provider]! }) };
  if (known?.key === "none")
    return { ...base, takesKey: false, ...(configured ? {} : { missing: `${title} does not run here` }) };
  const takesKey = (credentials === null || credentials === "keychain") && !isElsewhere(provider, options);
  if (credentials !== null || (state!.ready && isConfigured(provider, keyFacts(options)))) return { ...base, takesKey };
  const variable = state!.unset ?? known?.keys[0];
  return { ...base, takesKey, missing: variable === undefined ? "no key" : `no key: ${variable} is not set` };
}

const CHAINS: Readonly<Record<string, string>> = {
  bedrock: "sign in to AWS, and set CLAUDE_CODE_USE_BEDROCK=1",
  vertex: "run gcloud auth application-default login, and set CLAUDE_CODE_USE_VERTEX=1",
};

/** A key that was stored for Anthropic does not go to another address. */
const isElsewhere = (provider: string, { env }: ResolveOptions) =>
  provider === "anthropic" && Boolean(env["ANTHROPIC_BASE_URL"]?.trim());

function addressProblem(provider: string, options: ResolveOptions): string | undefined {
  try {
    if (!isCloud(provider)) providerAddress({ provider }, keyFacts(options));
    const { addresses = [], baseUrl } = PROVIDERS[provider] ?? {};
    const isSet = addresses.some((name) => options.env[name]?.trim());
    return baseUrl === undefined && isCloud(provider) && !isSet ? `no address: set ${addresses[0]}` : undefined;
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
}

export interface CheckedKey {
  /** As `--model` takes them. */
  readonly models: readonly string[];
  /** The one for everyday work, if one is known to be. */
  readonly standard?: string;
}

/**
 * Asks a provider once, with this key or, without one, with what is there. Throws ModelError: `authentication_failed` if the
 * key was refused. Aborting `signal` ends the request. Nothing is stored.
 */
export async function checkLogin(
  provider: string,
  key: string | undefined,
  options: ResolveOptions,
  signal?: AbortSignal,
): Promise<CheckedKey> {
  const given = key === undefined ? options : withKey(provider, key, options);
  const { server } = await openModelServer({ provider, id: "" }, given);
  // Its list of models is public, so that it says nothing about a key.
  if (provider === "openrouter") await askAboutKey(server, signal);
  const ids = (await modelsOf(provider, given, signal)).map(({ id }) => id);
  if (provider === "anthropic") return { models: ids, standard: "default" };
  const known = defaultModelOf(provider);
  const standard = known !== undefined && (ids.length === 0 || ids.includes(known)) ? known : undefined;
  const named = (id: string) => `${provider}/${id}`;
  return { models: ids.map(named), ...(standard === undefined ? {} : { standard: named(standard) }) };
}

function withKey(provider: string, key: string, options: ResolveOptions): ResolveOptions {
  const { sources } = options;
  return {
    ...options,
    sources: {
      runCommand: (...command) =>
        sources === undefined ? Promise.resolve({ code: 1, stdout: "" }) : sources.runCommand(...command),
      storedKey: async (name) => (name === provider ? key : sources?.storedKey(name)),
      hasStoredKey: (name) => name === provider || (sources?.hasStoredKey(name) ?? false),
    },
  };
}

const CHECK_MS = 10_000;

async function askAboutKey(server: Server, stop: AbortSignal | undefined): Promise<void> {
  const limit = AbortSignal.timeout(CHECK_MS);
  const signal = stop ? AbortSignal.any([stop, limit]) : limit;
  const request = {
    path: "/key",
    timeoutMs: CHECK_MS,
    errorOf: (response: Parameters<typeof responseError>[0]) => responseError(response, []),
  };
  const call = await callServer(server, request, signal);
  await call.response.body?.cancel();
}
