// The ids that clouds give Claude models, and what the aliases mean there.

import { bedrockModelId } from "../../bedrock/model-id.ts";
import { resolveAlias, type Env } from "../../profiles/profiles.ts";

interface Cloud {
  /** By alias, the vendor's full id. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The cloud's id for one of those. */
  idOf(vendorId: string, env: Env): string;
}

const DEFAULT_REGION = "us-east-1";
const SONNET = "claude-sonnet-4-5-20250929";
const HAIKU = "claude-haiku-4-5-20251001";
const OPUS = "claude-opus-5-5";
const FABLE = "claude-fable-5";
const aliases = { default: OPUS, opus: OPUS, sonnet: SONNET, haiku: HAIKU, fable: FABLE };
const undated = (id: string) => id.replace(/-\d{8}$/, "");

const regionOf = (env: Env) => env["AWS_REGION"]?.trim() || env["AWS_DEFAULT_REGION"]?.trim() || DEFAULT_REGION;

const CLOUDS: Readonly<Record<string, Cloud>> = {
  bedrock: { aliases, idOf: (id, env) => bedrockModelId(id, regionOf(env), env) },
  vertex: { aliases, idOf: (id) => id.replace(/-(\d{8})$/, "@$1") },
  foundry: { aliases: { ...aliases, default: SONNET }, idOf: undated },
  mantle: { aliases, idOf: (id) => `anthropic.${undated(id)}` },
  "anthropic-aws": { aliases, idOf: undated },
};

export const isCloud = (provider: string): boolean => Object.hasOwn(CLOUDS, provider);

/**
 * The id to send for a name on a cloud: an alias becomes the cloud's id, other names stay. A variable such as
 * ANTHROPIC_DEFAULT_OPUS_MODEL takes precedence; it may lead to another provider.
 */
export function cloudModel(name: string, provider: string, env: Env, overrides: Overrides = {}): string {
  const bare = name.replace(LONG, "");
  const cloud = CLOUDS[provider]!;
  const alias = bare.toLowerCase();
  if (!Object.hasOwn(cloud.aliases, alias)) {
    const other = overridden(name, overrides);
    // The vendor's names of models are none there.
    return other === name && provider === "bedrock" ? cloud.idOf(bare, env) + name.slice(bare.length) : other;
  }
  const chosen = resolveAlias(bare, env);
  const isChosen = chosen !== resolveAlias(bare, {});
  const suffix = LONG.test(name) && !LONG.test(chosen) ? "[1m]" : "";
  if (isChosen) return overridden(chosen, overrides) + suffix;
  const vendorId = cloud.aliases[alias]!;
  return (Object.hasOwn(overrides, vendorId) ? overrides[vendorId]! : cloud.idOf(vendorId, env)) + suffix;
}

type Overrides = Readonly<Record<string, string>>;

const LONG = /\[1m\]$/i;

/** By the vendor's full id; anything else is not matched. */
export function overridden(name: string, overrides: Overrides = {}): string {
  const id = name.replace(LONG, "");
  return Object.hasOwn(overrides, id) ? name.replace(id, () => overrides[id]!) : name;
}

/** The vendor's id of a model that is sent under another one. */
export function vendorIdOf(id: string, overrides: Overrides = {}): string {
  return Object.keys(overrides).find((vendorId) => overrides[vendorId] === id) ?? id;
}
