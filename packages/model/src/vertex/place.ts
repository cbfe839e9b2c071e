// Where Vertex AI serves a model: the project, the region, and the address that goes with it. Reads variables only.

import { ModelError } from "@keelson/engine";
import type { Env } from "../profiles/profiles.ts";
import type { CloudPlace } from "../http/server.ts";

export const isClaude = (model: string): boolean => /claude/i.test(model);

/** Where requests for a model go. */
export function vertexPlace(env: Env, model: string): CloudPlace {
  const region = regionOf(env, model);
  const project = PROJECT_VARIABLES.map((name) => env[name]?.trim()).find(Boolean);
  return { region, ...(project ? { project } : {}), ...addressFor(env, model, region) };
}

const PROJECT_VARIABLES = ["ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"];

/** The path of a place, which all its models have in common. Throws ModelError without a project. */
export function placePath({ project, region }: CloudPlace): string {
  if (!project)
    throw new ModelError(
      "invalid_request",
      "No Google Cloud project is set; set ANTHROPIC_VERTEX_PROJECT_ID or GOOGLE_CLOUD_PROJECT",
    );
  return `/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`;
}

function regionOf(env: Env, model: string): string {
  const names = [...regionVariables(model), "CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"];
  return names.map((name) => env[name]?.trim()).find(Boolean) ?? (isClaude(model) ? "us-east5" : "global");
}

/** VERTEX_REGION_CLAUDE_4_5_SONNET for `claude-sonnet-4-5@20250929`; also with the family first. */
export function regionVariables(model: string): readonly string[] {
  const bare = model
    .toLowerCase()
    .replace(/[@[].*$/, "")
    .replace(/-\d{8}$/, "");
  const family = /claude-(?:\d+(?:-\d+)?-)?([a-z]+)/.exec(bare)?.[1];
  const version = /-(\d+(?:-\d+)?)(?:-|$)/.exec(bare)?.[1];
  if (!family || !version) return [];
  const versions = version.includes("-") ? [version] : [version, `${version}-0`];
  return versions
    .flatMap((number) => [`${number}_${family}`, `${family}_${number}`])
    .map((name) => `VERTEX_REGION_CLAUDE_${name.replaceAll("-", "_").toUpperCase()}`);
}

/** Each kind of model has a variable for its address; one alone serves both. */
function addressFor(env: Env, model: string, region: string) {
  const variables = ["ANTHROPIC_VERTEX_BASE_URL", "GOOGLE_VERTEX_BASE_URL"];
  const name = (isClaude(model) ? variables : variables.toReversed()).find((variable) => env[variable]?.trim());
  if (name === undefined) return { baseUrl: `https://${hostOf(region)}/v1`, addressFrom: "CLOUD_ML_REGION" };
  const base = env[name]!.trim().replace(/\/+$/, "");
  // Google's clients add the version to theirs; Anthropic's do not.
  const isWhole = name === "ANTHROPIC_VERTEX_BASE_URL" || /\/v\d+\w*$/.test(base);
  return { baseUrl: isWhole ? base : `${base}/v1`, addressFrom: name };
}

function hostOf(region: string): string {
  if (!/^[a-z0-9-]+$/.test(region))
    throw new ModelError("invalid_request", `"${region}" is not a Google Cloud region; check CLOUD_ML_REGION`);
  if (region === "global") return "aiplatform.googleapis.com";
  if (region === "us" || region === "eu") return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}
