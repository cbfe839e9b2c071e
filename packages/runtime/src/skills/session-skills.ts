// The skills and commands of a session: which there are, what the model has been told of, and what can be typed.

import type { Snapshot } from "@keelson/config";
import type { SkillSet } from "@keelson/config/skills";
import { asReminder, listingLimits, renderSkillListing, type Access, type ListedSkill } from "@keelson/engine";
import type { NewEntry, Skill } from "@keelson/protocol";
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

export class SessionSkills {
  readonly #options: SessionSkillsOptions;
  #set: SkillSet | undefined;
  /** By name, in the order they are listed. */
  #all: ReadonlyMap<string, Skill> = new Map();
  /** Names the model has been told. */
  readonly #told: Set<string>;
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

  find(name: string): Skill | undefined {
    return this.#all.get(name);
  }

  /** Whether the model may invoke it. */
  isForModel({ name, modelInvocable }: Skill): boolean {
    return modelInvocable && (this.#only?.has(name) ?? true);
  }

  /** Limits the model to these names. */
  limitTo(names: readonly string[]): void {
    this.#only = new Set(names);
  }

  /** A new conversation knows no skills. */
  restart(): void {
    this.#told.clear();
  }

  /** Reads the files again, in the places that the snapshot now has. */
  reload(): void {
    this.#set = this.#set?.reload(this.#options.snapshot()) ?? this.#options.load();
    this.#collect();
  }

  /** Whether files were added, changed or removed. */
  areChanged(): boolean {
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
    if (!this.#options.isOffered()) return undefined;
    const isInitial = this.#told.size === 0;
    const fresh = this.#untold(this.all);
    const content = this.#render(fresh);
    if (content === undefined) return undefined;
    return {
      type: "attachment",
      uuid: this.#options.newId(),
      attachment: {
        type: "skill_listing",
        content,
        skillCount: fresh.length,
        isInitial,
        names: fresh.map(({ name }) => name),
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
    return this.all
      .filter((skill) => skill.userInvocable && !yieldsToBuiltIn(skill))
      .map(({ name, description, argumentHint = "", source }) => ({
        name,
        description,
        argumentHint,
        ...(source === "bundled" ? { builtin: true as const } : {}),
      }));
  }

  /** Names for `init`: skills the user can invoke, without commands. */
  clientSkills(): readonly ListedCommand[] {
    const commands = new Set(this.all.filter(({ kind }) => kind === "command").map(({ name }) => name));
    return this.clientCommands().filter(({ name }) => !commands.has(name));
  }

  #collect(): void {
    const { bundled, snapshot } = this.#options;
    const { skillOverrides = {} } = snapshot().settings;
    const found = new Map<string, Skill>();
    for (const skill of [...(this.#set?.skills ?? []), ...bundled]) {
      const state = skillOverrides[skill.name];
      if (found.has(skill.name) || state === "off") continue;
      found.set(skill.name, state === "user-invocable-only" ? { ...skill, modelInvocable: false } : skill);
    }
    this.#all = found;
  }

  #untold(skills: readonly Skill[]): readonly Skill[] {
    const fresh = skills.filter((skill) => this.isForModel(skill) && !this.#told.has(skill.name));
    for (const { name } of fresh) this.#told.add(name);
    return fresh;
  }

  #render(skills: readonly Skill[]): string | undefined {
    const { settings, env, cwd } = this.#options.snapshot();
    const limits = listingLimits(this.#options.contextWindow(), settings, env["SLASH_COMMAND_TOOL_CHAR_BUDGET"]);
    const listed = skills.map((skill): ListedSkill => ({
      name: skill.name,
      description: skill.description,
      whenToUse: skill.whenToUse,
      bundled: skill.source === "bundled",
      nameOnly: skill.nameOnly === true || settings.skillOverrides?.[skill.name] === "name-only",
      ...(skill.source === "nested" ? { appliesTo: relative(cwd, skill.base) } : {}),
    }));
    return renderSkillListing(listed, limits);
  }
}
