// The ids that clouds give Claude models, and what the aliases mean there.

import { resolveAlias, type Env } from "../profiles.ts";

interface Cloud {
  /** By alias, the vendor's full id. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The cloud's id for one of those. */
  idOf(vendorId: string, env: Env): string;
}

const SONNET = "claude-sonnet-4-5-20250929";
const HAIKU = "claude-haiku-4-5-20251001";
const OPUS = "claude-opus-5-5";
const FABLE = "claude-fable-5";
const aliases = { default: OPUS, opus: OPUS, sonnet: SONNET, haiku: HAIKU, fable: FABLE };
const undated = (id: string) => id.replace(/-\d{8}$/, "");

const bedrock: Cloud = {
  aliases,
  idOf: (id, env) => `${regionPrefix(env)}.anthropic.${id}${/-\d{8}$/.test(id) ? "-v1:0" : ""}`,
};
const CLOUDS: Readonly<Record<string, Cloud>> = {
  bedrock,
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
  if (!Object.hasOwn(cloud.aliases, alias)) return overridden(name, overrides);
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

/** Bedrock serves models in groups of regions. */
export function regionPrefix(env: Env): string {
  const fixed = env["ANTHROPIC_BEDROCK_REGION_PREFIX"]?.trim();
  if (fixed) return fixed;
  const region = env["AWS_REGION"]?.trim() || env["AWS_DEFAULT_REGION"]?.trim() || "us-east-1";
  if (region.startsWith("us-gov-")) return "us-gov";
  const [area] = region.split("-");
  return area === "us" || area === "eu" ? area : area === "ap" ? "apac" : "global";
}
