// Models beside the conversation, in a session with a model of another provider: for agents, skills, hooks and side
// questions. Definitions of agents name Claude's aliases, which that provider may not have.

import { familyOf, isClaudeAlias, resolveAlias, type Env, type ModelSettings } from "../../profiles/profiles.ts";
import { ownCredentials } from "../../resolve.ts";
import { isCloud } from "./clouds.ts";
import { providerAddress } from "../server/address.ts";
import { homeProvider } from "./names.ts";
import { smallModelOf } from "../known/registry.ts";

export interface SessionModel {
  /** As the rest of the program calls it. */
  readonly name: string;
  readonly provider: string;
}

export interface BesideFacts extends ModelSettings {
  readonly env: Env;
}

/**
 * The model that a name means there. An alias of Claude is the session's own model, or its provider's small one, so that
 * nothing goes to a provider that the user did not choose; unless a variable says what the alias is.
 */
export function nameBeside(name: string, session: SessionModel, facts: BesideFacts): string {
  const { env } = facts;
  const bare = name.trim().replace(/\[1m\]$/i, "");
  const alias = bare.toLowerCase();
  // Names without a provider go there anyway.
  if (bare.includes("/") || homeProvider(env) === session.provider) return name;
  const isSmall = /haiku/.test(alias);
  if (isClaudeAlias(alias)) {
    const isChosen = resolveAlias(alias, env) !== resolveAlias(alias, {});
    if (isChosen) return name;
    return hasClaude(session) ? `${session.provider}/${name}` : isSmall ? smallModelName(session, facts) : session.name;
  }
  const { apiKey, authToken, baseUrl } = ownCredentials(env);
  if (apiKey || authToken || baseUrl || familyOf(bare) === undefined) return name;
  return isSmall ? smallModelName(session, facts) : session.name;
}

/** The model for small work: a variable, the provider's small model at its own address, or the session's own. */
export function smallModelName(session: SessionModel, facts: BesideFacts): string {
  const { env } = facts;
  const chosen = env["ANTHROPIC_DEFAULT_HAIKU_MODEL"]?.trim() || env["ANTHROPIC_SMALL_FAST_MODEL"]?.trim();
  if (chosen) return chosen;
  if (homeProvider(env) === session.provider) return "haiku";
  if (hasClaude(session)) return `${session.provider}/haiku`;
  const small = smallModelOf(session.provider);
  return small !== undefined && isAtVendor(session.provider, facts) ? `${session.provider}/${small}` : session.name;
}

/** On a cloud, and not one of its other models. */
const hasClaude = ({ provider, name }: SessionModel) => isCloud(provider) && /claude/i.test(name);

/** Other servers that speak a vendor's API have other models. */
function isAtVendor(provider: string, facts: BesideFacts): boolean {
  if (isCloud(provider)) return true;
  try {
    return providerAddress({ provider }, facts).isVendor;
  } catch {
    return false;
  }
}
