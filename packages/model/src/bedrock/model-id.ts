// Ids of models on Bedrock: foundation models, inference profiles with the prefix of a region, and ARNs.

import { bareId, type Env } from "../profiles/profiles.ts";

/** Claude, whose requests and replies have the format of the Messages API. */
export function speaksMessages(id: string): boolean {
  return id.includes("anthropic.");
}

/** An ARN that does not tell which model it stands for. */
export function isOpaque(id: string): boolean {
  return id.startsWith("arn:") && !speaksMessages(id) && !/:(?:foundation-model|inference-profile)\//.test(id);
}

/** The same for every spelling of a model. */
export function bedrockFamily(id: string): string {
  return bareId(id.replace(/^arn:[^/]*\//, ""));
}

/** The model of an inference profile: `anthropic.claude-…` for `eu.anthropic.claude-…`. */
export function withoutRegion(id: string): string {
  return id.replace(/^(?:us-gov|us|eu|apac|jp|au|ca|sa|me|af|il|mx|global)\.(?=[a-z0-9-]+\.)/, "");
}

/** The prefix of the inference profiles that a region has. */
export function regionPrefix(region: string, env: Env): string {
  const named = env["ANTHROPIC_BEDROCK_REGION_PREFIX"]?.trim().replace(/\.$/, "");
  if (named) return named;
  if (region.startsWith("us-gov-")) return "us-gov";
  if (region.startsWith("us-")) return "us";
  if (region.startsWith("eu-")) return "eu";
  return region.startsWith("ap-") ? "apac" : "global";
}

// Bedrock's names of models that have a date or a version in them.
const DATED: Readonly<Record<string, string>> = {
  "claude-haiku-4-5": "claude-haiku-4-5-20251001-v1:0",
  "claude-sonnet-4-5": "claude-sonnet-4-5-20250929-v1:0",
  "claude-opus-4-6": "claude-opus-4-6-v1",
  "claude-opus-4-5": "claude-opus-4-5-20251101-v1:0",
  "claude-opus-4-1": "claude-opus-4-1-20250805-v1:0",
  "claude-opus-4": "claude-opus-4-20250514-v1:0",
  "claude-opus-4-0": "claude-opus-4-20250514-v1:0",
  "claude-sonnet-4": "claude-sonnet-4-20250514-v1:0",
  "claude-sonnet-4-0": "claude-sonnet-4-20250514-v1:0",
  "claude-3-7-sonnet": "claude-3-7-sonnet-20250219-v1:0",
  "claude-3-5-sonnet": "claude-3-5-sonnet-20241022-v2:0",
  "claude-3-5-haiku": "claude-3-5-haiku-20241022-v1:0",
  "claude-3-opus": "claude-3-opus-20240229-v1:0",
  "claude-3-sonnet": "claude-3-sonnet-20240229-v1:0",
  "claude-3-haiku": "claude-3-haiku-20240307-v1:0",
};

/** The id on Bedrock of a model that the vendor calls `claude-…`. Others stay. */
export function bedrockModelId(name: string, region: string, env: Env): string {
  if (!name.startsWith("claude-")) return name;
  return `${regionPrefix(region, env)}.anthropic.${DATED[bareId(name)] ?? name}`;
}
