// Where the credentials of each provider come from, without reading them.

import { isVariableOn } from "@keelson/protocol";
import type { ResolveOptions } from "../resolve.ts";
import { providerAddress } from "./server/address.ts";
import { configuredProviders } from "./list.ts";
import { blockOf } from "./names/names.ts";
import { keyFacts } from "./server/open.ts";
import { PROVIDERS } from "./known/providers.ts";

export interface ProviderState {
  readonly provider: string;
  /** A variable, a setting, `keychain`, or how a cloud finds them; null if there are none. */
  readonly credentials: string | null;
  /** The variable that the settings name for a key, if there is no key because it is not set. */
  readonly unset?: string;
  /** Whether `keelson auth login` stored a key. */
  readonly stored: boolean;
  /** Without what is secret in it; null if none is set. */
  readonly address: string | null;
  /** Whether it can be asked: it has credentials, or needs none. */
  readonly ready: boolean;
}

export function providerStates(only: string | undefined, options: ResolveOptions): readonly ProviderState[] {
  const names = only === undefined ? configuredProviders(options) : [only];
  return names.map((provider) => stateOf(provider, options));
}

function stateOf(provider: string, options: ResolveOptions): ProviderState {
  const facts = keyFacts(options);
  const stored = facts.hasStoredKey?.(provider) ?? false;
  const credentials = credentialsOf(provider, options) ?? (stored ? "keychain" : chainOf(provider, options));
  const { address, isVendor } = shownAddress(provider, options);
  const unset = credentials === null ? blockOf(provider, options.settings?.providers)?.apiKeyEnv : undefined;
  return {
    provider,
    credentials,
    ...(unset === undefined ? {} : { unset }),
    stored,
    address,
    ready: credentials !== null || !isVendor,
  };
}

/** In the order in which they are looked for. */
function credentialsOf(provider: string, { env, settings = {} }: ResolveOptions): string | undefined {
  const block = blockOf(provider, settings.providers);
  const isSet = (name: string) => Boolean(env[name]?.trim());
  if (block?.apiKeyEnv !== undefined && isSet(block.apiKeyEnv)) return block.apiKeyEnv;
  if (block?.apiKeyHelper !== undefined) return `apiKeyHelper of providers.${provider}`;
  const keys = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]!.keys : [];
  // A bearer token of Anthropic takes precedence over a key.
  const variable = (provider === "anthropic" ? keys.toReversed() : keys).find(isSet);
  if (variable !== undefined) return variable;
  return provider === "anthropic" && settings.apiKeyHelper !== undefined ? "apiKeyHelper" : undefined;
}

function chainOf(provider: string, { env, settings = {} }: ResolveOptions): string | null {
  if (provider === "bedrock") {
    if (isVariableOn(env["CLAUDE_CODE_SKIP_BEDROCK_AUTH"])) return null;
    if (settings.awsCredentialExport !== undefined) return "awsCredentialExport";
    const variable = ["AWS_PROFILE", "AWS_ACCESS_KEY_ID"].find((name) => env[name]?.trim());
    return variable ?? "AWS's credential chain";
  }
  if (provider !== "vertex" || isVariableOn(env["CLAUDE_CODE_SKIP_VERTEX_AUTH"])) return null;
  return env["GOOGLE_APPLICATION_CREDENTIALS"]?.trim()
    ? "GOOGLE_APPLICATION_CREDENTIALS"
    : "Google's application default credentials";
}

/** Clouds have an address for each region. */
function shownAddress(provider: string, options: ResolveOptions) {
  try {
    const { baseUrl, isVendor } = providerAddress({ provider }, keyFacts(options));
    const url = URL.parse(baseUrl);
    return { address: url && `${url.origin}${url.pathname === "/" ? "" : url.pathname}`, isVendor };
  } catch {
    return { address: null, isVendor: true };
  }
}
