// Where a model name leads: `PROVIDER/ID` to that provider, any other name to Anthropic or the cloud that a switch
// chooses. Pure.

import { ModelError } from "@keelson/engine";
import type { ProviderBlock } from "@keelson/protocol";
import type * as NearestWord from "@keelson/protocol/nearest-word";
import { isVariableOn } from "@keelson/protocol";
import { CLOUD_SWITCHES, type Env } from "../../profiles/profiles.ts";
import { providerNamed, PROVIDERS } from "../known/providers.ts";

/** What is configured, as far as it matters for names. */
export interface NameFacts {
  readonly env: Env;
  /** From the settings. */
  readonly providers?: Readonly<Record<string, ProviderBlock>>;
  hasStoredKey?(provider: string): boolean;
}

export interface Destination {
  readonly provider: string;
  /** As the server spells it. */
  readonly id: string;
  /** What the rest of the program calls the model: with the provider, unless that is where names go anyway. */
  readonly name: string;
  /** Asked for with the suffix `[1m]`, which is not part of the id. */
  readonly longContext?: true;
}

/** Where names without a provider go. */
export function homeProvider(env: Env): string {
  return CLOUD_SWITCHES.find(([variable]) => isVariableOn(env[variable]))?.[1] ?? "anthropic";
}

/** `name` is not an alias. Throws ModelError for a provider that does not exist. */
export function destinationOf(name: string, facts: NameFacts): Destination {
  const home = homeProvider(facts.env);
  const slash = name.indexOf("/");
  // The slash of an ARN is part of the id.
  if (slash <= 0 || /^arn:/i.test(name)) return { provider: home, id: name, name };
  const prefix = name.slice(0, slash);
  const provider = ownProvider(prefix, facts) ?? providerNamed(prefix);
  // Gateways and clouds have ids with slashes.
  const isGateway = home !== "anthropic" || Boolean(facts.env["ANTHROPIC_BASE_URL"]?.trim());
  if (isGateway && (provider === undefined || !isConfigured(provider, facts) || isGatewayItself(provider, facts)))
    return { provider: home, id: name, name };
  if (provider === undefined) throw unknownProvider(prefix, facts);
  const id = name.slice(slash + 1);
  if (id === "") throw new ModelError("invalid_request", `"${name}" has no model after the slash`);
  return { provider, id, name: provider === "anthropic" && home === "anthropic" ? id : `${provider}/${id}` };
}

/** A provider that only the settings know; its capitals are the user's. */
function ownProvider(prefix: string, { providers = {} }: NameFacts): string | undefined {
  if (Object.hasOwn(providers, prefix)) return providerNamed(prefix) ?? prefix;
  return undefined;
}

/** Behind ANTHROPIC_BASE_URL there may be a gateway that calls its models `anthropic/…`. */
const isGatewayItself = (provider: string, { env }: NameFacts) =>
  provider === "anthropic" && Boolean(env["ANTHROPIC_BASE_URL"]?.trim());

/** Whether the user set something up for a provider: a block in the settings, a variable, or a stored key. */
export function isConfigured(provider: string, facts: NameFacts): boolean {
  return (
    blockOf(provider, facts.providers) !== undefined || isInVariables(provider, facts.env) || isStored(provider, facts)
  );
}

const isStored = (provider: string, { hasStoredKey }: NameFacts) => hasStoredKey?.(provider) ?? false;

export function isInVariables(provider: string, env: Env): boolean {
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  return known !== undefined && [...known.keys, ...known.addresses].some((variable) => env[variable]?.trim());
}

/** The user's block for a provider, under its name or an alias. */
export function blockOf(
  provider: string,
  providers: Readonly<Record<string, ProviderBlock>> = {},
): ProviderBlock | undefined {
  const names = [provider, ...(Object.hasOwn(PROVIDERS, provider) ? (PROVIDERS[provider]!.aliases ?? []) : [])];
  const name = names.find((each) => Object.hasOwn(providers, each));
  return name === undefined ? undefined : providers[name];
}

export function unknownProvider(name: string, { providers = {} }: Pick<NameFacts, "providers">): ModelError {
  const known = [...new Set([...Object.keys(PROVIDERS), ...Object.keys(providers)])].toSorted();
  const { nearestWord } = require("@keelson/protocol/nearest-word") as typeof NearestWord;
  const close = nearestWord(name, known, 2);
  const fix =
    close === undefined
      ? `known providers are ${known.join(", ")}. Add others to "providers" in your user settings`
      : `did you mean "${close}"?`;
  return new ModelError("invalid_request", `Unknown provider "${name}"; ${fix}`);
}
