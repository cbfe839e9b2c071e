// The ids that clouds give Claude models, and what the aliases mean there.

import { bedrockModelId } from "../../bedrock/model-id.ts";
import { isClaudeAlias, resolveAlias, type Env } from "../../profiles/profiles.ts";

const DEFAULT_REGION = "us-east-1";
const undated = (id: string) => id.replace(/-\d{8}$/, "");

const regionOf = (env: Env) => env["AWS_REGION"]?.trim() || env["AWS_DEFAULT_REGION"]?.trim() || DEFAULT_REGION;

/** By cloud, its id for the vendor's full id of a model. */
const CLOUDS: Readonly<Record<string, (vendorId: string, env: Env) => string>> = {
  bedrock: (id, env) => bedrockModelId(id, regionOf(env), env),
  vertex: (id) => id.replace(/-(\d{8})$/, "@$1"),
  foundry: undated,
  mantle: (id) => `anthropic.${undated(id)}`,
  "anthropic-aws": (id) => id,
};

export const isCloud = (provider: string): boolean => Object.hasOwn(CLOUDS, provider);

/**
 * The id to send for a name on a cloud: an alias becomes the cloud's id, other names stay. A variable such as
 * ANTHROPIC_DEFAULT_OPUS_MODEL takes precedence; it may lead to another provider.
 */
export function cloudModel(name: string, provider: string, env: Env, overrides: Overrides = {}): string {
  const bare = name.replace(LONG, "");
  const idOf = CLOUDS[provider]!;
  if (!isClaudeAlias(bare)) {
    const other = overridden(name, overrides);
    // The vendor's names of models are none there.
    return other === name && provider === "bedrock" ? idOf(bare, env) + name.slice(bare.length) : other;
  }
  const chosen = resolveAlias(bare, env, provider);
  const vendorId = resolveAlias(bare, {}, provider);
  const suffix = LONG.test(name) && !LONG.test(chosen) ? "[1m]" : "";
  if (chosen !== vendorId) return overridden(chosen, overrides) + suffix;
  return (Object.hasOwn(overrides, vendorId) ? overrides[vendorId]! : idOf(vendorId, env)) + suffix;
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
