// The address of a provider: from the settings, a variable, or its own. Pure.

import { ModelError } from "@keelson/engine";
import type { ProviderApi } from "@keelson/protocol";
import type { Env } from "../../profiles/profiles.ts";
import { blockOf, type Destination, type NameFacts } from "../names/names.ts";
import { PROVIDERS } from "../known/providers.ts";

export interface Address {
  readonly api: ProviderApi;
  readonly baseUrl: string;
  /** The variable or setting to check if it is wrong. */
  readonly from: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The vendor's own: it is not asked without a key. */
  readonly isVendor: boolean;
}

const AZURE_API_VERSION = "2024-10-21";

/** Throws ModelError if there is none. Clouds with regions find theirs in another way. */
export function providerAddress({ provider }: Pick<Destination, "provider">, facts: NameFacts): Address {
  const { env } = facts;
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  const block = blockOf(provider, facts.providers);
  const variable = known?.addresses.find((name) => env[name]?.trim());
  const given = block?.baseUrl ?? (variable === undefined ? undefined : env[variable]!.trim());
  const from = block?.baseUrl === undefined ? (variable ?? known?.addresses[0]) : undefined;
  const addressFrom = from ?? `"baseUrl" of providers.${provider}`;
  const isVendor = given === undefined || isSame(given, known?.baseUrl);
  const api = block?.api ?? (isVendor ? known?.api : (known?.apiElsewhere ?? known?.api));
  if (api === undefined) throw incomplete(provider, "api");
  if (provider === "azure" && given !== undefined) return azureAddress(given, env, addressFrom, block?.api);
  const baseUrl = given === undefined ? known?.baseUrl : spelledOut(provider, given);
  if (baseUrl === undefined) {
    if (known === undefined) throw incomplete(provider, "baseUrl");
    throw new ModelError("invalid_request", `No address for "${provider}": set ${known.addresses[0]}`);
  }
  return { api, baseUrl: baseUrl.replace(/\/+$/, ""), from: addressFrom, isVendor: isVendor && known?.key !== "none" };
}

const incomplete = (provider: string, field: string) =>
  new ModelError(
    "invalid_request",
    `Provider "${provider}" has no "${field}"; add it to providers.${provider} in your settings`,
  );

/** Local servers are often given as a host, or without the path of the API. */
function spelledOut(provider: string, given: string): string {
  if (provider !== "ollama" && provider !== "lmstudio") return given;
  const port = provider === "ollama" ? 11_434 : 1234;
  const hasScheme = /^https?:\/\//i.test(given);
  const url = URL.parse(hasScheme ? given : `http://${given}`);
  // The error about it names the variable.
  if (!url) return given;
  if (!hasScheme && url.port === "" && !given.endsWith(":80")) url.port = String(port);
  // What a server listens on is not what a client connects to.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  if (url.pathname === "/" || url.pathname === "") url.pathname = "/v1";
  return url.href;
}

/** Azure has an address for each deployment, which follows this one, and a newer form that is like the vendor's. */
function azureAddress(given: string, env: Env, from: string, own: ProviderApi | undefined): Address {
  const baseUrl = given.replace(/\/+$/, "");
  if (baseUrl.endsWith("/openai/v1")) return { api: own ?? "openai-responses", baseUrl, from, isVendor: true };
  const version = env["OPENAI_API_VERSION"]?.trim() || env["AZURE_OPENAI_API_VERSION"]?.trim() || AZURE_API_VERSION;
  return { api: own ?? "openai-chat", baseUrl, from, query: { "api-version": version }, isVendor: true };
}

function isSame(given: string, own: string | undefined): boolean {
  const [a, b] = [URL.parse(given), URL.parse(own ?? "")];
  return a !== null && b !== null && a.host === b.host && a.protocol === b.protocol;
}
