// The skills and commands of a session: which there are, what the model has been told of, and what can be typed.

import type { Snapshot } from "@keelson/config";
import type { SkillGroup } from "@keelson/config/skill-groups";
import type { SkillSet } from "@keelson/config/skills";
import { listingLimits, renderSkillListing, type Access } from "@keelson/engine";
import { asReminder, type ListedCommand, type NewEntry, type Skill } from "@keelson/protocol";
import { besideBuiltIn, builtInNames } from "../commands/registry.ts";
import type * as Whole from "./whole-skills.ts";
import type { WholeSkills } from "./whole-skills.ts";

export interface SessionSkillsOptions {
  snapshot(): Snapshot;
  /** Reads the skill files; undefined if there are none. */
  load(): SkillSet | undefined;
  readonly bundled: readonly Skill[];
  contextWindow(): number;
  /** Whether the model is offered the Skill tool. */
  isOffered(): boolean;
  newId(): string;
  warn?(text: string): void;
}

/** What can be invoked, as far as a first request needs it. */
export interface KnownSkills {
  readonly groups: readonly SkillGroup[];
  /** Those that come with Keelson. */
  readonly bundled: readonly Skill[];
}

/** As in the reference, a command that only people invoke counts too. */
const isClientSkill = (skill: Pick<Skill, "kind" | "modelInvocable" | "describedByText">) =>
  (skill.kind === "skill" || !skill.modelInvocable) && !skill.describedByText;

export class SessionSkills {
  readonly #options: SessionSkillsOptions;
  #set: SkillSet | undefined;
  #texts: readonly string[] = [];
  #isFresh = true;
  /** What clients list; made when it is needed. */
  #listed: readonly ListedCommand[] | undefined;
  /** All that a first request needs, and there may be a thousand before it. */
  #known: KnownSkills = { groups: [], bundled: [] };
  /** Made when a skill is needed. */
  #made: WholeSkills | undefined;
  /** Names the model has been told. */
  #told: Set<string>;
  /** The model has been told of these. */
  #toldOf: KnownSkills | undefined;
  /** The listing for a subagent, and what it was made from. */
  #whole: { readonly from: readonly unknown[]; readonly names: readonly string[]; readonly text: string | undefined } =
    {
      from: [],
      names: [],
      text: undefined,
    };
  /** What the user was told. */
  readonly #warned = new Set<string>();
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
    return [...this.#byName.values()];
  }

  get set(): SkillSet | undefined {
    return this.#set;
  }

  /** Its file is looked at again: what a skill may use must be what the file says now. */
  find(name: string, by: "user" | "model" = "user"): Skill | undefined {
    const skill = this.#skills.find(name, by);
    if (!skill || skill.source === "bundled") return skill;
    if (this.#set?.isCurrent(skill)) return this.#asTrusted(skill);
    this.reload();
    const newer = this.#skills.find(name, by);
    return newer && this.#asTrusted(newer);
  }

  #asTrusted(skill: Skill): Skill {
    const { snapshot, warn } = this.#options;
    return wholeSkills().asTrusted(skill, snapshot(), (text) => {
      if (!this.#warned.has(text)) warn?.(text);
      this.#warned.add(text);
    });
  }

  /** Whether the model may invoke it. */
  isForModel({ name, modelInvocable }: Skill): boolean {
    return modelInvocable && (this.#only?.has(name) ?? true);
  }

  /** Limits the model to these names. */
  limitTo(names: readonly string[]): void {
    this.#only = new Set(names);
    this.#toldOf = undefined;
  }

  /** The skills that the model knows, and the text that listed them in this process. */
  told(): { readonly skills: readonly Skill[]; readonly listing: string } {
    return { skills: this.all.filter(({ name }) => this.#told.has(name)), listing: this.#texts.join("\n") };
  }

  /** Another conversation knows only the skills that it lists. */
  restart(told: Iterable<string> = []): void {
    this.#told = new Set(told);
    this.#toldOf = undefined;
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
    if (this.#toldOf === this.#known || !this.#options.isOffered()) return undefined;
    this.#toldOf = this.#known;
    const isInitial = this.#told.size === 0;
    const fresh = this.#takeUntold();
    return this.#listingEntry(this.#render(fresh), fresh, isInitial);
  }

  /** For a subagent, which knows none; undefined if there are none. */
  wholeListing(): NewEntry | undefined {
    const snapshot = this.#options.snapshot();
    const window = this.#options.contextWindow();
    const from = [this.#known, this.#only, snapshot, window];
    if (from.some((each, at) => each !== this.#whole.from[at])) {
      const names = this.#listedNames();
      this.#whole = { from, names, text: this.#text(names) };
    }
    return this.#listingEntry(this.#whole.text, this.#whole.names, true);
  }

  #listingEntry(content: string | undefined, names: readonly string[], isInitial: boolean): NewEntry | undefined {
    if (content === undefined) return undefined;
    return {
      type: "attachment",
      uuid: this.#options.newId(),
      attachment: {
        type: "skill_listing",
        content,
        skillCount: names.length,
        isInitial,
        names,
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
    const text = this.#render(this.#takeUntold());
    return text === undefined ? [] : [text];
  }

  /** What a client lists for the user to type. */
  clientCommands(): readonly ListedCommand[] {
    return (this.#listed ??= wholeSkills().listedCommands(this.#byName, this.#options.bundled));
  }

  /** Those that are skills, not commands, and say themselves what they are for. */
  clientSkills(): readonly ListedCommand[] {
    return this.clientCommands().flatMap((command) => {
      const skill = this.#skills.find(command.name, "user")!;
      return isClientSkill(skill) ? [{ ...command, name: skill.name }] : [];
    });
  }

  /** The same as names alone. */
  clientNames(): { readonly commands: readonly string[]; readonly skills: readonly string[] } {
    const groups = this.#known.groups.filter(({ userInvocable }) => userInvocable);
    const typed = groups.map((group) => (group.untrusted ? { names: typedNames(group.names) } : group));
    const bundled = this.#known.bundled.flatMap(({ name, userInvocable }) => (userInvocable ? name : []));
    const namesIn = (groups: readonly Pick<SkillGroup, "names">[]) => [
      ...groups.flatMap(({ names }) => names),
      ...bundled,
    ];
    // Typed, the name is the command's, but the skill is there.
    const hidden = (this.#set?.hidden ?? []).filter((skill) => skill.userInvocable && isClientSkill(skill));
    const skills = new Set([...namesIn(groups.filter(isClientSkill)), ...hidden.map(({ name }) => name)]);
    return { commands: namesIn(typed), skills: [...skills] };
  }

  #collect(): void {
    this.#made = undefined;
    this.#listed = undefined;
    const { bundled, snapshot } = this.#options;
    const groups = this.#set?.groups ?? [];
    const isFree = ({ name }: Skill) => !groups.some(({ names }) => names.includes(name));
    const isPlain = Object.keys(snapshot().settings.skillOverrides ?? {}).length === 0;
    this.#known = isPlain ? { groups, bundled: bundled.filter(isFree) } : wholeSkills().knownSkills(this.#byName);
  }

  get #skills(): WholeSkills {
    const { bundled, snapshot } = this.#options;
    return (this.#made ??= new (wholeSkills().WholeSkills)(this.#set, bundled, snapshot()));
  }

  get #byName(): ReadonlyMap<string, Skill> {
    return this.#skills.byName;
  }

  /** What the model is told of. Bundled skills come last. */
  #listedNames(): readonly string[] {
    const { groups, bundled } = this.#known;
    const names = groups.flatMap(({ modelInvocable, unlisted, names: own }) =>
      modelInvocable && !unlisted ? own : [],
    );
    if (this.#set?.hidden.length) names.push(...this.#skills.unhidden());
    for (const { name, modelInvocable } of bundled) if (modelInvocable) names.push(name);
    const only = this.#only;
    return only === undefined ? names : names.filter((name) => only.has(name));
  }

  #takeUntold(): readonly string[] {
    const names = this.#listedNames();
    if (this.#told.size === 0) {
      this.#told = new Set(names);
      return names;
    }
    const fresh = names.filter((name) => !this.#told.has(name));
    for (const name of fresh) this.#told.add(name);
    return fresh;
  }

  #render(names: readonly string[]): string | undefined {
    const text = this.#text(names);
    if (text !== undefined) this.#texts = [...this.#texts, text];
    return text;
  }

  #text(names: readonly string[]): string | undefined {
    const { snapshot, contextWindow } = this.#options;
    const bundled = this.#known.bundled.filter(({ name }) => names.includes(name));
    const others = names.slice(0, names.length - bundled.length);
    const all = () => (others.length === 0 ? bundled : names.map((name) => this.#skills.find(name, "model")!));
    return listingFor({ names: others, bundled, whole: all }, snapshot(), contextWindow());
  }
}

/** Loaded with the first skill that is needed whole. `require`, not `import()`: it is needed at once. */
const wholeSkills = () => require("./whole-skills.ts") as typeof Whole;

/** Few folders have such a name, and there may be a thousand others. */
function typedNames(names: readonly string[]): readonly string[] {
  if (new Set(names).isDisjointFrom(builtInNames)) return names;
  return names.map((name) => (builtInNames.has(name) ? besideBuiltIn(name) : name));
}

/** What the model sees of these skills; undefined if there are none. */
export function listingFor(
  skills: { readonly names: readonly string[]; readonly bundled: readonly Skill[]; whole(): readonly Skill[] },
  { settings, env, cwd }: Pick<Snapshot, "settings" | "env" | "cwd">,
  contextWindow: number,
): string | undefined {
  const limits = listingLimits(contextWindow, settings, env["SLASH_COMMAND_TOOL_CHAR_BUDGET"]);
  const listed = (skill: Skill) =>
    skill.source === "nested" || skill.displayName !== undefined ? wholeSkills().asListed(skill, cwd) : skill;
  return renderSkillListing({ ...skills, whole: () => skills.whole().map(listed) }, limits);
}
