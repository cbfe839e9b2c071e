// The skills that a session in this folder would have. Opens no session and runs nothing.

import type { Snapshot } from "@keelson/config";
import type { SkillSet } from "@keelson/config/skills";
import type { SkillView } from "@keelson/runtime/skills";
import { snapshotFor, type Invoked } from "../group.ts";
import { shortenFrom, type Shorten } from "../permissions/words.ts";

export interface OpenedSkills {
  readonly snapshot: Snapshot;
  /** What is in files. */
  readonly set: SkillSet;
  /** What a session makes of it, with bundled skills. */
  readonly view: SkillView;
  readonly short: Shorten;
}

export async function findSkills(call: Invoked): Promise<OpenedSkills> {
  const snapshot = await snapshotFor(call);
  const set = await load(snapshot);
  const touched = call.given.text("for");
  if (touched !== undefined) set.touched(touched);
  const { viewSkills } = await import("@keelson/runtime/skills");
  return { snapshot, set, view: viewSkills(set.skills, snapshot), short: shortenFrom(snapshot.cwd, snapshot.home) };
}

/** The gate is asynchronous, loading is not: ask about unknown files afterwards, then load again. */
async function load(snapshot: Snapshot): Promise<SkillSet> {
  const { loadSkills } = await import("@keelson/config/skills");
  if (!snapshot.rules.some(({ behavior }) => behavior === "deny")) return loadSkills(snapshot);
  const denied = new Map<string, boolean>();
  for (;;) {
    const unknown = new Set<string>();
    const set = loadSkills(snapshot, { isDenied: (path) => denied.get(path) ?? unknown.add(path).has(path) });
    if (unknown.size === 0) return set;
    const { openExplainer } = await import("@keelson/runtime/explain");
    const explainer = openExplainer(snapshot);
    for (const path of unknown) {
      const judged = await explainer.judge({ tool: "Read", input: { file_path: path } });
      denied.set(path, !judged.ok || judged.decision.behavior === "deny");
    }
  }
}
