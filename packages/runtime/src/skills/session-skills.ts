// The skills and commands of a session: which there are, what the model has been told of, and what can be typed.

import type { Snapshot } from "@keelson/config";
import type { SkillSet } from "@keelson/config/skills";
import { asReminder, listingLimits, renderSkillListing, type Access } from "@keelson/engine";
import type { NewEntry, Skill, SkillSource } from "@keelson/protocol";
import { relative } from "node:path";
import { findBuiltInCommand, type ListedCommand } from "../commands/registry.ts";

export interface SessionSkillsOptions {
  snapshot(): Snapshot;
  /** Reads the skill files; undefined if there are none. */
  load(): SkillSet | undefined;
  readonly bundled: readonly Skill[];
  contextWindow(): number;
  /** Whether the model is offered the Skill tool. */
  isOffered(): boolean;
  newId(): string;
}

/** The user's own file may replace a built-in command; that of a folder which is not trusted may not. */
export const yieldsToBuiltIn = ({ untrusted, name }: Skill) =>
  untrusted === true && findBuiltInCommand(name) !== undefined;

/** Without a description, that of a plugin is not: it may be a note among commands. The model can still invoke it. */
export const isListed = ({ modelInvocable, plugin, describedByText, whenToUse }: Skill) =>
  modelInvocable && (plugin === undefined || !describedByText || whenToUse !== undefined);

const isClientSkill = ({ kind, describedByText }: Skill) => kind === "skill" && !describedByText;

export class SessionSkills {
  readonly #options: SessionSkillsOptions;
  #set: SkillSet | undefined;
  #texts: readonly string[] = [];
  #isFresh = true;
  /** What clients list; made when it is needed. */
  #listed: readonly ListedCommand[] | undefined;
  /** By name, in the order they are listed. */
  #all: ReadonlyMap<string, Skill> = new Map();
  /** Names the model has been told. */
  readonly #told: Set<string>;
  /** The model has been told of these. */
  #known: ReadonlyMap<string, Skill> | undefined;
  /** The listing for a subagent, and what it was made from. */
  #whole: { readonly from: readonly unknown[]; readonly skills: readonly Skill[]; readonly text: string | undefined } =
    {
      from: [],
      skills: [],
      text: undefined,
    };
  /** The client wants the model to have only these. */
  #only: ReadonlySet<string> | undefined;

  /** `told` are the names that a resumed conversation already lists. */
  constructor(options: SessionSkillsOptions, told: Iterable<string> = []) {
    this.#options = options;
    this.#told = new Set(told);
    this.reload();
  }

  /** Every skill and command that can be invoked now. */
  get all(): readonly Skill[] {
    return [...this.#all.values()];
  }

  get set(): SkillSet | undefined {
    return this.#set;
  }

  /** Its file is looked at again: what a skill may use must be what the file says now. */
  find(name: string): Skill | undefined {
    const skill = this.#all.get(name);
    if (!skill || skill.source === "bundled" || this.#set?.isCurrent(skill)) return skill;
    this.reload();
    return this.#all.get(name);
  }

  /** Whether the model may invoke it. */
  isForModel({ name, modelInvocable }: Skill): boolean {
    return modelInvocable && (this.#only?.has(name) ?? true);
  }

  /** Limits the model to these names. */
  limitTo(names: readonly string[]): void {
    this.#only = new Set(names);
    this.#known = undefined;
  }

  /** The skills that the model knows, and the text that listed them in this process. */
  told(): { readonly skills: readonly Skill[]; readonly listing: string } {
    return { skills: this.all.filter(({ name }) => this.#told.has(name)), listing: this.#texts.join("\n") };
  }

  /** Another conversation knows only the skills that it lists. */
  restart(told: Iterable<string> = []): void {
    this.#told.clear();
    this.#known = undefined;
    for (const name of told) this.#told.add(name);
    this.#texts = [];
  }

  /** Reads the files again, in the places that the snapshot now has. */
  reload(): void {
    this.#set = this.#set?.reload(this.#options.snapshot()) ?? this.#options.load();
    this.#collect();
  }

  /** Whether files were added, changed or removed. Not looked up again right after they were read. */
  areChanged(): boolean {
    if (this.#isFresh) return (this.#isFresh = false);
    return this.#set?.changed() ?? false;
  }

  /** Reads the files again. Returns whether what can be typed changed. */
  refresh(): boolean {
    if (!this.#set) return false;
    const before = JSON.stringify(this.clientCommands());
    this.#set = this.#set.reload();
    this.#collect();
    return JSON.stringify(this.clientCommands()) !== before;
  }

  /** The skills that the model does not know yet, to be put into the conversation; undefined if it knows all. */
  takeListing(): NewEntry | undefined {
    if (this.#known === this.#all || !this.#options.isOffered()) return undefined;
    this.#known = this.#all;
    const isInitial = this.#told.size === 0;
    const fresh = this.#untold(this.all);
    return this.#listingEntry(this.#render(fresh), fresh, isInitial);
  }

  /** For a subagent, which knows none; undefined if there are none. */
  wholeListing(): NewEntry | undefined {
    const snapshot = this.#options.snapshot();
    const window = this.#options.contextWindow();
    const from = [this.#all, this.#only, snapshot, window];
    if (from.some((each, at) => each !== this.#whole.from[at])) {
      const skills = this.all.filter((skill) => this.isForModel(skill) && isListed(skill));
      this.#whole = { from, skills, text: listingFor(skills, snapshot, window) };
    }
    return this.#listingEntry(this.#whole.text, this.#whole.skills, true);
  }

  #listingEntry(content: string | undefined, skills: readonly Skill[], isInitial: boolean): NewEntry | undefined {
    if (content === undefined) return undefined;
    return {
      type: "attachment",
      uuid: this.#options.newId(),
      attachment: {
        type: "skill_listing",
        content,
        skillCount: skills.length,
        isInitial,
        names: skills.map(({ name }) => name),
      },
      rendered: [{ content: asReminder(content) }],
      renderedRole: "user",
    };
  }

  /** The text about skills that apply because a call touched a file. */
  touched(access: Access): readonly string[] {
    if (!this.#set || (access.kind !== "read" && access.kind !== "edit")) return [];
    if (this.#set.touched(access.path).length === 0) return [];
    this.#collect();
    if (!this.#options.isOffered()) return [];
    const text = this.#render(this.#untold(this.all));
    return text === undefined ? [] : [text];
  }

  /** What a client lists for the user to type. */
  clientCommands(): readonly ListedCommand[] {
    return (this.#listed ??= this.#list());
  }

  #list(): readonly ListedCommand[] {
    const listed: ListedCommand[] = [];
    for (const skill of this.#all.values()) {
      const { name, argumentHint = "", source, userInvocable } = skill;
      if (!userInvocable || yieldsToBuiltIn(skill)) continue;
      const command = { name, description: withOrigin(skill), argumentHint };
      listed.push(source === "bundled" ? { ...command, builtin: true } : command);
    }
    return listed;
  }

  /** Those that are skills, not commands, and say themselves what they are for. */
  clientSkills(): readonly ListedCommand[] {
    return this.clientCommands().filter(({ name }) => isClientSkill(this.#all.get(name)!));
  }

  /** The same as names alone: there may be a thousand before the first request. */
  clientNames(): { readonly commands: readonly string[]; readonly skills: readonly string[] } {
    const commands: string[] = [];
    const skills: string[] = [];
    for (const skill of this.#all.values()) {
      const { name } = skill;
      if (!skill.userInvocable || yieldsToBuiltIn(skill)) continue;
      commands.push(name);
      if (isClientSkill(skill)) skills.push(name);
    }
    // Typed, the name is the command's, but the skill is there.
    for (const skill of this.#set?.hidden ?? []) {
      if (skill.userInvocable && isClientSkill(skill)) skills.push(skill.name);
    }
    return { commands, skills };
  }

  #collect(): void {
    const { bundled, snapshot } = this.#options;
    this.#all = invocableSkills(this.#set?.skills ?? [], bundled, snapshot());
    this.#listed = undefined;
  }

  #untold(skills: readonly Skill[]): readonly Skill[] {
    const fresh = skills.filter((skill) => this.isForModel(skill) && isListed(skill) && !this.#told.has(skill.name));
    for (const { name } of fresh) this.#told.add(name);
    return fresh;
  }

  #render(skills: readonly Skill[]): string | undefined {
    const text = listingFor(skills, this.#options.snapshot(), this.#options.contextWindow());
    if (text !== undefined) this.#texts = [...this.#texts, text];
    return text;
  }
}

/** Clients show where a command comes from. */
function withOrigin({ description, source, plugin }: Skill): string {
  if (plugin) return `(${plugin.name}) ${description}`;
  const places: Partial<Record<SkillSource, string>> = { user: "user", project: "project", nested: "project" };
  const place = places[source];
  return place === undefined ? description : `${description} (${place})`;
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

/** What the model sees of these skills; undefined if there are none. */
export function listingFor(
  skills: readonly Skill[],
  { settings, env, cwd }: Pick<Snapshot, "settings" | "env" | "cwd">,
  contextWindow: number,
): string | undefined {
  const limits = listingLimits(contextWindow, settings, env["SLASH_COMMAND_TOOL_CHAR_BUDGET"]);
  return renderSkillListing(skills, limits, ({ base }) => relative(cwd, base));
}

function overridden(skill: Skill, state: unknown): Skill {
  if (state === "user-invocable-only") return { ...skill, modelInvocable: false };
  return state === "name-only" ? { ...skill, nameOnly: true } : skill;
}
