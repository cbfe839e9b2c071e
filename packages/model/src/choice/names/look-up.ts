// Looks up models that are not on Anthropic's own API: limits and price. Loaded only for those.

import type { ModelPrice } from "@keelson/protocol";
import { resolveAlias, type KnownModel } from "../../profiles/profiles.ts";
import { cloudModel, isCloud, overridden } from "./clouds.ts";
import { destinationOf, homeProvider, type Destination, type NameFacts } from "./names.ts";
import { modelOf, type OtherModel } from "../known/traits.ts";

export interface LookUpFacts extends NameFacts {
  readonly modelOverrides?: Readonly<Record<string, string>>;
}

/** Where a name or an alias leads. Throws ModelError for a provider that does not exist. */
export function locate(name: string, facts: LookUpFacts): Destination {
  const { env, modelOverrides } = facts;
  const home = homeProvider(env);
  const id = isCloud(home)
    ? cloudModel(name.trim(), home, env, modelOverrides)
    : overridden(resolveAlias(name.trim(), env), modelOverrides);
  const isLong = LONG.test(id);
  const found = { ...destinationOf(id.replace(LONG, ""), facts), ...(isLong ? { longContext: true as const } : {}) };
  if (!isCloud(found.provider) || found.provider === home) return found;
  // `bedrock/sonnet`: the region matters there, and what the aliases are elsewhere does not.
  const regions = Object.fromEntries(REGION_VARIABLES.map((variable) => [variable, env[variable]]));
  const there = cloudModel(found.id, found.provider, regions, modelOverrides);
  return { ...found, id: there, name: `${found.provider}/${there}` };
}

const REGION_VARIABLES = ["AWS_REGION", "AWS_DEFAULT_REGION", "ANTHROPIC_BEDROCK_REGION_PREFIX"];
const LONG = /\[1m\]$/i;

/** Undefined for a name that stays with Anthropic, or leads nowhere. */
export function lookUpOther(name: string, facts: LookUpFacts): OtherModel | undefined {
  let found: Destination;
  try {
    found = locate(name, facts);
  } catch {
    return undefined;
  }
  return found.provider === "anthropic" ? undefined : modelOf(found, facts);
}

export const otherModel = (name: string, facts: LookUpFacts): KnownModel | undefined => lookUpOther(name, facts)?.known;

export const otherPrice = (name: string, facts: LookUpFacts): ModelPrice | undefined => lookUpOther(name, facts)?.price;
