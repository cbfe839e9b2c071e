// Entry point `@keelson/runtime/skills`: what a session would offer and tell the model, without opening one.

import type { Snapshot } from "@keelson/config";
import { renderSkillListing, skillListingLines } from "@keelson/engine";
import { lookUpModel } from "@keelson/model";
import type { Skill } from "@keelson/protocol";
import { bundledFor, bundledSkills } from "./bundled/bundled.ts";
import { invocableSkills, listingOf } from "./session-skills.ts";

export { bundledText } from "./bundled/texts.ts";

export const bundledNames = (): readonly string[] => bundledSkills().map(({ name }) => name);

export interface SkillView {
  /** Everything that can be invoked, bundled skills last. */
  readonly skills: readonly Skill[];
  /** What the model is told in every conversation; undefined if there is nothing. */
  readonly listing: string | undefined;
  /** The line of each skill in the listing. Absent: it may not be invoked by the model, or there is no room for it. */
  readonly lines: ReadonlyMap<Skill, string>;
  /** The most characters for all lines. */
  readonly budget: number;
}

/** `found` are the skills of files. */
export function viewSkills(found: readonly Skill[], snapshot: Snapshot): SkillView {
  const { flags, settings, env } = snapshot;
  const skills = [...invocableSkills(found, bundledFor(snapshot), snapshot).values()];
  const told = skills.filter(({ modelInvocable }) => modelInvocable);
  const model = flags.model ?? (env["ANTHROPIC_MODEL"] || (settings.model ?? "default"));
  const { listed, limits } = listingOf(told, snapshot, lookUpModel(model, env).profile.contextWindow);
  const lines = new Map<Skill, string>();
  for (const [at, line] of skillListingLines(listed, limits).entries()) {
    if (line !== undefined) lines.set(told[at]!, line);
  }
  return { skills, listing: renderSkillListing(listed, limits), lines, budget: limits.budget };
}
