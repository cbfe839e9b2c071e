// Hook events of changes to a session (PreModelSwitch, PostModelSwitch, ConfigChange), and what their outcomes mean. Loaded
// with the first change.

import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import type { JsonObject } from "@keelson/protocol";
import type { FireSessionEvent } from "./session-events.ts";

/** Returns why hooks block the switch, or undefined if they allow it. */
export async function firePreModelSwitch(
  fire: FireSessionEvent,
  change: ModelSwitchFacts,
): Promise<string | undefined> {
  const outcome = await fire("PreModelSwitch", modelSwitchInput(change));
  // `ask` blocks too: the only one to ask is the client, which requested the switch.
  if (outcome.verdict !== "deny" && outcome.verdict !== "ask" && outcome.stop === undefined) return undefined;
  return outcome.reasons.join("\n") || outcome.stop || `A PreModelSwitch hook blocked the switch to "${change.to}"`;
}

export interface ModelSwitchFacts {
  readonly from: string;
  readonly to: string;
  /** Undefined for the default. */
  readonly requested: string | undefined;
  readonly source: string;
  readonly cacheTtl: "5m" | "1h";
  /** What the next request sends again. */
  readonly contextTokens: number;
  /** Of writing that to the cache of the new model; null without a known price. */
  readonly cacheWriteUsd: number | null;
  /** Whether the user's settings price the new model. */
  readonly ownPrice: boolean;
}

export async function firePostModelSwitch(
  fire: FireSessionEvent,
  change: ModelSwitchFacts,
): Promise<readonly string[]> {
  return (await fire("PostModelSwitch", modelSwitchInput(change))).context;
}

function modelSwitchInput(change: ModelSwitchFacts): JsonObject {
  const { from, to, requested = null, source, cacheTtl, contextTokens, cacheWriteUsd, ownPrice } = change;
  return {
    from_model: from,
    to_model: to,
    requested_model: requested,
    source,
    context_tokens: contextTokens,
    cache_ttl: cacheTtl,
    estimated_cache_write_usd: cacheWriteUsd,
    pricing: ownPrice ? "configured" : cacheWriteUsd === null ? "default" : "catalog",
  };
}

/** Fires ConfigChange for every changed settings file. Returns false if a hook blocks the change. */
export async function fireConfigChange(fire: FireSessionEvent, before: Snapshot, after: Snapshot): Promise<boolean> {
  const old = new Map(before.sources.map(({ path, stamp }) => [path, stamp]));
  let blocked = false;
  let policyChanged = false;
  for (const { path, stamp } of after.sources) {
    const source = settingsSource(path, after);
    if (source === undefined || old.get(path) === stamp) continue;
    const outcome = await fire("ConfigChange", { source, file_path: path });
    if (source === "policy_settings") policyChanged = true;
    else if (outcome.verdict === "deny" || outcome.stop !== undefined) blocked = true;
  }
  // Hooks cannot block managed settings.
  return policyChanged || !blocked;
}

function settingsSource(path: string, { configDir, cwd, flags, origin }: Snapshot): string | undefined {
  const root = flags.projectConfigRoot ?? cwd;
  if (path === join(configDir, "settings.json")) return "user_settings";
  if (path === join(root, ".claude", "settings.json")) return "project_settings";
  if (path === join(root, ".claude", "settings.local.json")) return "local_settings";
  const managed = origin.managedDir;
  if (path.includes("managed-settings") && (managed === undefined || path.startsWith(managed)))
    return "policy_settings";
  return undefined;
}
