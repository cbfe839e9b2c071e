// The skills of a session, each whole. A first request may need only their names, so this is loaded when more is needed.

import type { Snapshot } from "@keelson/config";
import { groupSkills } from "@keelson/config/skill-groups";
import type { Skill, SkillSource } from "@keelson/protocol";
import type { ListedCommand } from "../commands/registry.ts";
import { yieldsToBuiltIn, type KnownSkills } from "./session-skills.ts";

/** By name: the skills of files before bundled ones, as settings allow. */
export function invocableSkills(
  found: readonly Skill[],
  bundled: readonly Skill[],
  { settings: { skillOverrides = {} } }: Pick<Snapshot, "settings">,
): ReadonlyMap<string, Skill> {
  const all = new Map<string, Skill>();
  for (const skill of [...found, ...bundled]) {
    const state = skillOverrides[skill.name];
    if (all.has(skill.name) || state === "off") continue;
    all.set(skill.name, state === undefined ? skill : overridden(skill, state));
  }
  return all;
}

function overridden(skill: Skill, state: unknown): Skill {
  if (state === "user-invocable-only") return { ...skill, modelInvocable: false };
  return state === "name-only" ? { ...skill, nameOnly: true } : skill;
}

/** The same, as far as a first request needs them. */
export function knownSkills(invocable: ReadonlyMap<string, Skill>): KnownSkills {
  const all = [...invocable.values()];
  return {
    groups: groupSkills(all.filter(({ source }) => source !== "bundled")),
    bundled: all.filter(({ source }) => source === "bundled"),
  };
}

/** What a client lists for the user to type. */
export function listedCommands(invocable: ReadonlyMap<string, Skill>): readonly ListedCommand[] {
  const listed: ListedCommand[] = [];
  for (const skill of invocable.values()) {
    const { name, argumentHint = "", source, userInvocable } = skill;
    if (!userInvocable || yieldsToBuiltIn(skill)) continue;
    const command = { name, description: withOrigin(skill), argumentHint };
    listed.push(source === "bundled" ? { ...command, builtin: true } : command);
  }
  return listed;
}

/** Clients show where a command comes from. */
function withOrigin({ description, source, plugin }: Skill): string {
  if (plugin) return `(${plugin.name}) ${description}`;
  const places: Partial<Record<SkillSource, string>> = { user: "user", project: "project", nested: "project" };
  const place = places[source];
  return place === undefined ? description : `${description} (${place})`;
}
