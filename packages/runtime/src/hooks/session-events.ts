// What a session tells hooks about itself: its start and end, where it stands, what it is configured with.

import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";

type Fire = (event: HookEvent, input: JsonObject) => Promise<HookOutcome>;

export interface SessionStartFacts {
  readonly source: "startup" | "resume" | "fork";
  readonly model: string;
  readonly title?: string;
  /** Asked for on the command line; comes before everything. */
  readonly setup?: "init" | "maintenance";
}

/** What start hooks want the model to know, and a prompt one of them wants to begin with. */
export interface StartHookResult {
  readonly context: readonly string[];
  readonly initialUserMessage?: string;
}

export async function fireSessionStart(
  fire: Fire,
  { source, model, title, setup }: SessionStartFacts,
): Promise<StartHookResult> {
  const prepared = setup ? (await fire("Setup", { trigger: setup })).context : [];
  const said = await fire("SessionStart", {
    source,
    model,
    ...(title === undefined ? {} : { session_title: title }),
  });
  const first = said.fields?.["initialUserMessage"];
  return {
    context: [...prepared, ...said.context],
    ...(typeof first === "string" && first !== "" ? { initialUserMessage: first } : {}),
  };
}

/** Whether hooks let a model be changed to another; the reason when not. */
export async function firePreModelSwitch(fire: Fire, change: ModelSwitchFacts): Promise<string | undefined> {
  const said = await fire("PreModelSwitch", modelSwitchInput(change));
  // Nobody but the one who wants the change could be asked, so what asks refuses.
  if (said.verdict !== "deny" && said.verdict !== "ask" && said.stop === undefined) return undefined;
  return said.reasons.join("\n") || said.stop || `A PreModelSwitch hook refused ${change.to}`;
}

export interface ModelSwitchFacts {
  readonly from: string;
  readonly to: string;
  readonly requested: string;
  readonly source: string;
  readonly cacheTtl: "5m" | "1h";
}

export async function firePostModelSwitch(fire: Fire, change: ModelSwitchFacts): Promise<readonly string[]> {
  return (await fire("PostModelSwitch", modelSwitchInput(change))).context;
}

function modelSwitchInput({ from, to, requested, source, cacheTtl }: ModelSwitchFacts): JsonObject {
  return { from_model: from, to_model: to, requested_model: requested, source, cache_ttl: cacheTtl };
}

/** Tells of every settings file that changed. False: a hook wants the settings to stay as they were. */
export async function fireConfigChange(fire: Fire, before: Snapshot, after: Snapshot): Promise<boolean> {
  const old = new Map(before.sources.map(({ path, stamp }) => [path, stamp]));
  let refused = false;
  let policy = false;
  for (const { path, stamp } of after.sources) {
    const source = settingsSource(path, after);
    if (source === undefined || old.get(path) === stamp) continue;
    const said = await fire("ConfigChange", { source, file_path: path });
    if (source === "policy_settings") policy = true;
    else if (said.verdict === "deny" || said.stop !== undefined) refused = true;
  }
  // An administrator's policy is nobody's to refuse.
  return policy || !refused;
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
