// The skills of a session, each whole. A first request may need only their names, so this is loaded when more is needed.

import type { Snapshot } from "@keelson/config";
import { groupSkills, isListed, isTypable } from "@keelson/config/skill-groups";
import type * as Config from "@keelson/config/skills";
import type { SkillSet } from "@keelson/config/skills";
import { folderSuffix, type ListedSkill } from "@keelson/engine";
import type { ListedCommand, Skill, SkillSource } from "@keelson/protocol";
import { relative } from "node:path";
import { besideBuiltIn, findBuiltInCommand } from "../commands/registry.ts";
import type { KnownSkills } from "./session-skills.ts";

/** The user's own file may replace a built-in command; that of a folder which is not trusted may not. */
export const yieldsToBuiltIn = ({ untrusted, name }: Skill) =>
  untrusted === true && findBuiltInCommand(name) !== undefined;

/** The skill as one of a folder that is not trusted, if its file grants what the user has not been asked about. */
export function asTrusted(skill: Skill, snapshot: Snapshot, warn: (text: string) => void): Skill {
  const { allowedTools, hooks, model, effort, untrusted, file } = skill;
  const folder = folderOf(skill, snapshot);
  const grants = allowedTools.length > 0 || hooks.length > 0 || model !== undefined || effort !== undefined;
  if (untrusted || !grants || folder === undefined) return skill;
  // Loaded late: few skills of a project grant anything.
  const { whyTextHeld } = require("@keelson/config/skills") as typeof Config;
  const why = whyTextHeld(file, folder, snapshot);
  if (why === undefined) return skill;
  warn(`${file}: ${why}`);
  return { ...skill, untrusted: true };
}

/** The folder that must be trusted for what the skill grants; undefined if it is the user's own. */
function folderOf({ source, base, file }: Skill, { cwd, flags }: Snapshot): string | undefined {
  if (source === "project" || source === "nested" || source === "directory") return base;
  const root = flags.projectConfigRoot ?? cwd;
  return source === "plugin" && file.startsWith(`${root}/.claude/`) ? root : undefined;
}

/** What can be invoked, and by which names. */
export class WholeSkills {
  /** In the order they are listed. */
  readonly byName: ReadonlyMap<string, Skill>;
  readonly #hidden: readonly Skill[];
  #others: ReadonlyMap<string, Skill> | undefined;

  constructor(set: SkillSet | undefined, bundled: readonly Skill[], snapshot: Pick<Snapshot, "settings">) {
    this.byName = invocableSkills(set?.skills ?? [], bundled, snapshot);
    this.#hidden = set?.hidden ?? [];
  }

  /** For the model, a command that only people invoke does not hide the skill of its plugin that has its name. */
  find(name: string, by: "user" | "model"): Skill | undefined {
    const skill = this.byName.get(name) ?? (this.#others ??= otherNames(this.byName, this.#hidden)).get(name);
    if (!skill || skill.modelInvocable || by === "user") return skill;
    return this.#hidden.find((each) => each.name === skill.name && isListed(each)) ?? skill;
  }

  /** Names that the model is told of though they are those of commands that only people invoke. */
  unhidden(): readonly string[] {
    const listed = this.#hidden.filter(
      (each) => isListed(each) && this.byName.get(each.name)?.modelInvocable === false,
    );
    return [...new Set(listed.map(({ name }) => name))];
  }
}

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

/**
 * By other names: the `name` field of a skill, and in a plugin also the name without the plugin. They never stand for
 * something that has the name itself. `hidden`: skills of plugins that are behind a command of their name.
 */
function otherNames(invocable: ReadonlyMap<string, Skill>, hidden: readonly Skill[]): ReadonlyMap<string, Skill> {
  const found = new Map<string, Skill>();
  for (const skill of [...invocable.values(), ...hidden]) {
    const beside = yieldsToBuiltIn(skill) ? [besideBuiltIn(skill.name)] : [];
    for (const other of [...beside, ...otherNamesOf(skill)]) {
      const isFree = !invocable.has(other) && !found.has(other);
      if (isFree && findBuiltInCommand(other) === undefined) found.set(other, skill);
    }
  }
  return found;
}

/** Commands have no other names. */
export function otherNamesOf(skill: Skill): readonly string[] {
  if (skill.kind !== "skill") return [];
  const short = skill.plugin && skill.name.slice(skill.name.lastIndexOf(":") + 1);
  return [otherName(skill), typableName(skill), short].filter((name) => name !== undefined);
}

/** As the model sees it. */
export function asListed(skill: Skill, cwd: string): ListedSkill {
  const suffix = skill.source === "nested" && folderSuffix(relative(cwd, skill.base));
  const other = otherName(skill);
  return { ...skill, ...(suffix && { suffix }), ...(other !== undefined && { label: `${skill.name} (${other})` }) };
}

function otherName(skill: Skill): string | undefined {
  const named = typableName(skill);
  return named !== undefined && skill.plugin ? `${skill.plugin.name}:${named}` : named;
}

const typableName = ({ displayName }: Skill) =>
  displayName !== undefined && isTypable(displayName) ? displayName : undefined;

/** The same, as far as a first request needs them. */
export function knownSkills(invocable: ReadonlyMap<string, Skill>): KnownSkills {
  const all = [...invocable.values()];
  return {
    groups: groupSkills(all.filter(({ source }) => source !== "bundled")),
    bundled: all.filter(({ source }) => source === "bundled"),
  };
}

/** What a client lists for the user to type. */
export function listedCommands(
  invocable: ReadonlyMap<string, Skill>,
  bundled: readonly Skill[],
): readonly ListedCommand[] {
  const listed: ListedCommand[] = [];
  for (const skill of invocable.values()) {
    const { argumentHint = "", source, userInvocable } = skill;
    if (!userInvocable) continue;
    const name = yieldsToBuiltIn(skill) ? besideBuiltIn(skill.name) : skill.name;
    const command = { name, description: withOrigin(skill, bundled), argumentHint };
    listed.push(source === "bundled" ? { ...command, builtin: true } : command);
  }
  return listed;
}

/** Clients show where a command comes from, and which one a name means that two have. */
function withOrigin(skill: Skill, bundled: readonly Skill[]): string {
  const { description, source, plugin } = skill;
  if (plugin) return `(${plugin.name}) ${description}`;
  const places: Partial<Record<SkillSource, string>> = { user: "user", project: "project", nested: "project" };
  const notes = [places[source], meaningOf(skill, bundled)].filter((note) => note !== undefined);
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

function meaningOf(skill: Skill, bundled: readonly Skill[]): string | undefined {
  const { name, source } = skill;
  if (yieldsToBuiltIn(skill)) return `/${name} is the built-in command`;
  if (findBuiltInCommand(name)) return "replaces the built-in command";
  const isReplaced = source !== "bundled" && bundled.some((each) => each.name === name);
  return isReplaced ? "replaces the built-in skill" : undefined;
}
