// Entry point `@keelson/runtime/skills`: what a session would offer and tell the model, without opening one.

import type { Snapshot } from "@keelson/config";
import { isListed } from "@keelson/config/skill-groups";
import type { Skill } from "@keelson/protocol";
import { windowFor } from "../model/window.ts";
import { findBuiltInCommand } from "../commands/registry.ts";
import { bundledFor, bundledSkills } from "./bundled/bundled.ts";
import { listingFor } from "./session-skills.ts";
import { asListed, invocableSkills } from "./whole-skills.ts";

export { bundledText } from "./bundled/texts.ts";

export const bundledNames = (): readonly string[] => bundledSkills().map(({ name }) => name);

export interface SkillView {
  /** Everything that can be invoked, bundled skills last. */
  readonly skills: readonly Skill[];
  /** What the model sees in every conversation; empty if there is nothing. */
  readonly listing: string;
  /** The line of each skill in the listing. Absent: it is not listed, or there is no room for it. */
  readonly lines: ReadonlyMap<Skill, string>;
  /** The model may invoke these, but is not told of them. */
  readonly undescribed: readonly Skill[];
  /** Cannot be typed: the name is that of a built-in command, and the folder is not trusted. */
  readonly replaced: readonly Skill[];
}

/** `found` are the skills of files. */
export function viewSkills(found: readonly Skill[], snapshot: Snapshot): SkillView {
  const skills = [...invocableSkills(found, bundledFor(snapshot), snapshot).values()];
  const told = skills.filter(isListed);
  const bundled = told.filter(({ source }) => source === "bundled");
  const names = told.filter((skill) => !bundled.includes(skill)).map(({ name }) => name);
  const listing = listingFor({ names, bundled, whole: () => told }, snapshot, windowFor(snapshot)) ?? "";
  const byHead = new Map(listing.split("\n").flatMap((line) => (line.startsWith("- ") ? [[headOf(line), line]] : [])));
  const lines = new Map(
    told.flatMap((skill) => {
      const { name, label = name } = asListed(skill, snapshot.cwd);
      const line = byHead.get(label) ?? byHead.get(name);
      return line === undefined ? [] : [[skill, line]];
    }),
  );
  const replaced = skills.filter(({ name, untrusted }) => untrusted && findBuiltInCommand(name) !== undefined);
  const undescribed = skills.filter((skill) => skill.modelInvocable && !isListed(skill));
  return { skills, listing, lines, undescribed, replaced };
}

const headOf = (line: string) => line.slice(2).split(": ", 1)[0]!;
