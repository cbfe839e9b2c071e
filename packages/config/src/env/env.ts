// The environment of the session, and the part of it that child processes inherit. Pure.

import { isVariableOn } from "@keelson/protocol";
import type * as Scrub from "./scrub.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Applies the `env` blocks of the settings, lowest scope first. */
export function applyBlocks(env: Environment, blocks: readonly unknown[]): Record<string, string | undefined> {
  return Object.assign({}, env, ...blocks) as Record<string, string | undefined>;
}

/**
 * The variables that the files inside a folder set, with the values that they have without those; undefined if there
 * are none.
 */
export function beneathFolder(
  env: Environment,
  scopes: readonly { readonly source: string; readonly settings: { readonly env?: object } }[],
): Environment | undefined {
  const isFolder = ({ source }: { readonly source: string }) => /^(?:project|local)Settings$/.test(source);
  const names = scopes.filter(isFolder).flatMap(({ settings }) => Object.keys(settings.env ?? {}));
  if (names.length === 0) return undefined;
  const own = applyBlocks(
    env,
    scopes.filter((scope) => !isFolder(scope)).map(({ settings }) => settings.env ?? {}),
  );
  return Object.fromEntries(names.map((name) => [name, own[name]]));
}

/**
 * What shell commands, hooks and servers inherit: everything except our credentials and Bun's switches. With
 * CLAUDE_CODE_SUBPROCESS_ENV_SCRUB, also without the credentials of every other provider; `keys` are more of those.
 */
export function inheritedEnvironment(env: Environment, keys: readonly string[] = []): Record<string, string> {
  // Loaded late: few use it.
  const isScrubbed =
    isVariableOn(env["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"]) && (require("./scrub.ts") as typeof Scrub).isCredential;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !reachesChildren(name)) continue;
    if (isScrubbed && (isScrubbed(name) || keys.includes(name))) continue;
    kept[name] = value;
  }
  return kept;
}

/** Whether child processes inherit a variable, wherever it was set. */
export function reachesChildren(name: string): boolean {
  const upper = name.toUpperCase();
  return !OURS.has(upper) && !SECRET_ENDING.test(upper) && !COLLECTOR_HEADERS.test(upper);
}

const SECRET_ENDING = /^(ANTHROPIC|CLAUDE|KEELSON)_.*(KEY|TOKEN|SECRET|HEADERS|PASSPHRASE|CREDENTIALS)$/;
const COLLECTOR_HEADERS = /^OTEL_EXPORTER_OTLP_(.*_)?HEADERS$/;
const OURS = new Set([
  "AWS_BEARER_TOKEN_BEDROCK",
  "MCP_CLIENT_SECRET",
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  "CLAUDE_AGENT_SDK_VERSION",
]);
