// Reads the files that were found and turns them into skills: each file once, each name once. The first one of a name
// wins, so the caller goes from the highest precedence to the lowest.

import { sep } from "node:path";
import type { PluginIdentity, Skill, SkillProblem } from "@keelson/protocol";
import type * as Patterns from "../instructions/parse/path-patterns.ts";
import type { Mutable } from "./facts.ts";
import type { HeadProblem } from "./frontmatter/head-node.ts";
import type * as Hooks from "./hooks.ts";
import type { SkillPlace } from "./find/places.ts";
import { isListable, isTypable } from "./plain.ts";
import type { ScanOptions, SkillFile } from "./find/scan.ts";
import type * as Reading from "./skill-file.ts";
import type { ReadFacts, SkillFileReader } from "./skill-file.ts";
import type { RecalledSkills, SkillIndex } from "./index/ready-skill.ts";
import { createRecalledFolders, type RecalledFrom, type RecalledGroup } from "./index/recalled-folders.ts";
import type { FileMark } from "./index/skill-index.ts";
import { groupSkills, type SkillGroup } from "./index/skill-groups.ts";

export interface Origin extends Omit<SkillPlace, "folder"> {
  readonly kind: Skill["kind"];
  readonly plugin?: PluginIdentity;
}

export interface DormantSkill {
  readonly skill: Skill;
  readonly patterns: Patterns.PathPatterns;
}

export interface SkillCollector {
  /** Those of large folders are made when they are asked for. */
  readonly skills: readonly Skill[];
  /** The same, without making them. */
  readonly groups: readonly SkillGroup[];
  /** How many there are, with dormant ones. */
  count(): number;
  readonly dormant: DormantSkill[];
  /** Those of plugins whose name a command of the plugin has. */
  readonly hidden: Skill[];
  readonly problems: SkillProblem[];
  /** What to compare to notice changes. */
  readonly watched: Map<string, FileMark | undefined>;
  /** Files and folders that may have been meant as skills. */
  readonly strays: { readonly path: string; readonly kind: "file" | "folder" }[];
  /** Loads a file, unless its name or the file itself is taken. */
  take(file: SkillFile, origin: Origin, options?: TakeOptions): Skill | undefined;
  /** Loads what the index of a folder says of its files. */
  takeRecalled(recalled: RecalledSkills, from: RecalledFrom): void;
  /** A dormant skill applies from now on. */
  wake(dormant: DormantSkill): void;
  scanOptions(root: string | undefined): ScanOptions;
}

export interface TakeOptions {
  readonly index?: SkillIndex | undefined;
  /** What the file said when the index was written. */
  readonly recalled?: ReadFacts;
  /** The name to use if the skill's own is taken. */
  readonly clashName?: string;
  /** It is not one of a folder of skills, so its name is the `name` field, if it can be typed. */
  readonly isAlone?: true;
}

export interface CollectorOptions {
  readonly overrides: Readonly<Record<string, unknown>>;
  isDenied(path: string): boolean;
}

const MOST_SKILLS = 10_000;
const MOST_PROBLEMS = 1_000;
const MOST_STRAYS = 1_000;
const MOST_PATTERNS = 10_000;
const PATTERN_CHARACTERS = 4 * 1024 * 1024;

export function createSkillCollector(options: CollectorOptions): SkillCollector {
  const { isDenied } = options;
  const overrides = new Map(Object.entries(options.overrides));
  let reader: SkillFileReader | undefined;
  let taken: (Skill | RecalledGroup)[] = [];
  const dormant: DormantSkill[] = [];
  const hidden: Skill[] = [];
  const problems: SkillProblem[] = [];
  const watched = new Map<string, FileMark | undefined>();
  const strays: { path: string; kind: "file" | "folder" }[] = [];
  /** By name: where the skill is. */
  const names = new Map<string, string>();
  const files = new Set<string>();
  /** The names and files of their skills are not among those. */
  const folders = createRecalledFolders({
    names,
    files,
    overridden: overrides,
    most: MOST_SKILLS,
    take: takeKnown,
    add: (group) => void taken.push(group),
  });
  const count = () => names.size + folders.count();
  const placeOf = (name: string) => names.get(name) ?? folders.find(name);
  const isTaken = (file: string) => files.has(file) || folders.hasFile(file);
  const budget = { patterns: MOST_PATTERNS, characters: PATTERN_CHARACTERS };

  const report = (problem: SkillProblem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const watch = (path: string, mark: FileMark | undefined) => void watched.set(path, mark);
  const refuse = (file: string, why: string) => report({ file, kind: "unused", why });
  const stray = (path: string, kind: "file" | "folder") => {
    if (strays.length < MOST_STRAYS) strays.push({ path, kind });
  };

  let latest: ScanOptions | undefined;
  const scanOptions = (root: string | undefined): ScanOptions => {
    if (latest === undefined || latest.root !== root) latest = { root, isDenied, watch, refuse, stray };
    return latest;
  };

  function take(
    found: SkillFile,
    origin: Origin,
    { index, recalled, clashName, isAlone }: TakeOptions = {},
  ): Skill | undefined {
    if (isTaken(found.file)) return undefined;
    const opened = recalled
      ? { file: found.file, facts: recalled }
      : (reader ??= openReader()).open(found, origin.kind, scanOptions(origin.root), index);
    if (opened === undefined || isTaken(opened.file)) return undefined;
    const { file } = opened;
    files.add(file);
    if (count() >= MOST_SKILLS) return void refuse(found.found, `there are more than ${MOST_SKILLS} skills`);

    const { draft, named, hooks, oddities } = opened.facts;
    const odd = ({ line, why }: HeadProblem) => report({ file: found.found, line, kind: "odd", why });
    const own = ownName(isAlone && named !== undefined && isTypable(named) ? named : found.name, origin);
    if (!isListable(own)) return void refuse(found.found, "its name has characters that cannot be shown; rename it");
    const name = clashName !== undefined && placeOf(own) !== undefined ? clashName : own;
    const { plugin } = origin;
    const complete = (): Mutable<Skill> => {
      const skill = placed(draft, name, { file, found: found.found }, origin);
      if (hooks !== undefined) {
        // Loaded late: few skills have hooks.
        const { frontmatterHooks } = require("./hooks.ts") as typeof Hooks;
        const { folder, source } = skill;
        const place = { file, folder, plugin, source: "skill", managed: source === "managed", report: odd } as const;
        skill.hooks = frontmatterHooks(hooks, place);
      }
      if (named !== undefined && named !== lastPart(name)) skill.displayName = named;
      return skill;
    };
    const other = placeOf(name);
    if (other !== undefined) {
      if (plugin !== undefined) hidden.push(complete());
      return void report({ file: found.found, kind: "shadowed", why: `/${name} is ${other}; rename one of them` });
    }
    const state = overrides.get(name);
    if (state === "off")
      return void report({ file: found.found, kind: "off", why: `skillOverrides turns off ${name}` });
    names.set(name, found.found);
    for (const problem of oddities) odd(problem);

    const skill = complete();
    if (state === "user-invocable-only") skill.modelInvocable = false;
    if (state === "name-only") skill.nameOnly = true;
    if (skill.paths === undefined) taken.push(skill);
    else {
      // Loaded late: six modules that only skills with paths need.
      const { compilePatterns } = require("../instructions/parse/path-patterns.ts") as typeof Patterns;
      const patterns = compilePatterns(skill.paths, budget);
      if (patterns === undefined) return void refuse(found.found, "its `paths` expand to too many patterns");
      dormant.push({ skill, patterns });
    }
    return skill;
  }

  function takeKnown(found: SkillFile, origin: Origin, recalled: ReadFacts): void {
    // Rules may have changed since the index was written.
    if (found.file !== found.found && (isDenied(found.found) || isDenied(found.file)))
      return refuse(found.found, "it links to a file that a rule denies reading");
    take(found, origin, { recalled });
  }

  return {
    get skills() {
      if (taken.some(isGroup)) taken = taken.flatMap((each) => (isGroup(each) ? each.make() : [each]));
      return taken as Skill[];
    },
    get groups() {
      if (!taken.some(isGroup)) return groupSkills(taken as Skill[]);
      return taken.flatMap((each) => (isGroup(each) ? [each.group] : groupSkills([each])));
    },
    count,
    dormant,
    hidden,
    problems,
    watched,
    strays,
    take,
    takeRecalled: folders.take,
    wake(each) {
      dormant.splice(dormant.indexOf(each), 1);
      taken.push(each.skill);
    },
    scanOptions,
  };
}

const isGroup = (each: Skill | RecalledGroup): each is RecalledGroup => "group" in each;

/** Loaded late: a large folder whose index is believed needs no parser. */
const openReader = (): SkillFileReader => (require("./skill-file.ts") as typeof Reading).createSkillFileReader();

function placed(
  draft: ReadFacts["draft"],
  name: string,
  { file, found }: Pick<SkillFile, "file" | "found">,
  { source, base, untrusted, plugin, kind }: Origin,
): Mutable<Skill> {
  const skill = draft as Mutable<Skill>;
  skill.name = name;
  skill.source = source;
  skill.file = file;
  // The folder of a skill may be a link. Rules and texts name it as people see it.
  const path = kind === "skill" ? found : file;
  skill.folder = path.slice(0, path.lastIndexOf(sep));
  skill.base = base;
  skill.hooks = [];
  if (untrusted) skill.untrusted = true;
  if (plugin === undefined) return skill;
  skill.plugin = plugin;
  // Those of plugins always apply.
  delete skill.paths;
  return skill;
}

const lastPart = (name: string) => name.slice(name.lastIndexOf(":") + 1);

const ownName = (name: string, { plugin }: Origin) => (plugin === undefined ? name : `${plugin.name}:${name}`);
