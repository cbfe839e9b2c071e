// Hook events the session fires itself (Setup, SessionStart, PreModelSwitch, PostModelSwitch, ConfigChange), and what
// their outcomes mean. The engine fires the events of a run.

import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";

type Fire = (event: HookEvent, input: JsonObject) => Promise<HookOutcome>;

export interface SessionStartFacts {
  readonly source: "startup" | "resume" | "fork" | "clear" | "compact";
  readonly model: string;
  readonly title?: string;
  /** Set by --init or --maintenance: runs Setup hooks first. */
  readonly setup?: "init" | "maintenance" | undefined;
}

/** Context for the model and, if a hook set one, the first prompt. */
export interface StartHookResult {
  readonly context: readonly string[];
  readonly initialUserMessage?: string;
}

export async function fireSessionStart(
  fire: Fire,
  { source, model, title, setup }: SessionStartFacts,
): Promise<StartHookResult> {
  const prepared = setup ? (await fire("Setup", { trigger: setup })).context : [];
  const outcome = await fire("SessionStart", {
    source,
    model,
    ...(title === undefined ? {} : { session_title: title }),
  });
  const first = outcome.fields?.["initialUserMessage"];
  return {
    context: [...prepared, ...outcome.context],
    ...(typeof first === "string" && first !== "" ? { initialUserMessage: first } : {}),
  };
}

/** Returns why hooks block the switch, or undefined if they allow it. */
export async function firePreModelSwitch(fire: Fire, change: ModelSwitchFacts): Promise<string | undefined> {
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

export async function firePostModelSwitch(fire: Fire, change: ModelSwitchFacts): Promise<readonly string[]> {
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
export async function fireConfigChange(fire: Fire, before: Snapshot, after: Snapshot): Promise<boolean> {
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
