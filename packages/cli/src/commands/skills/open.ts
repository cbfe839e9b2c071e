// The skills that a session in this folder would have. Opens no session and runs nothing.

import type { Snapshot } from "@keelson/config";
import type { SkillSet } from "@keelson/config/skills";
import type { SkillView } from "@keelson/runtime/skills";
import { snapshotFor, type Invoked } from "../group.ts";
import { readGuarded } from "../read-guarded.ts";
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
  const { loadSkills } = await import("@keelson/config/skills");
  const set = await readGuarded(snapshot, (isDenied) => loadSkills(snapshot, { isDenied }));
  const touched = call.given.text("for");
  if (touched !== undefined) set.touched(touched);
  const { viewSkills } = await import("@keelson/runtime/skills");
  return { snapshot, set, view: viewSkills(set.skills, snapshot), short: shortenFrom(snapshot.cwd, snapshot.home) };
}
