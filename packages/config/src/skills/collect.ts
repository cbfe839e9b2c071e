// Reads the files that were found and turns them into skills: each file once, each name once. The first one of a name
// wins, so the caller goes from the highest precedence to the lowest, with skills before commands.

import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { PluginIdentity, Skill, SkillProblem } from "@keelson/protocol";
import type * as Patterns from "../instructions/path-patterns.ts";
import { factsOf } from "./facts.ts";
import { readHead, type Head } from "./head.ts";
import { skillHooks } from "./hooks.ts";
import type { SkillPlace } from "./places.ts";
import { isListable } from "./plain.ts";
import { createStartReader, type FileStart, type StartRead } from "./read-start.ts";
import { followLink, type ScanOptions, type SkillFile } from "./scan.ts";

export interface Origin extends Omit<SkillPlace, "folder"> {
  readonly kind: Skill["kind"];
  readonly plugin?: PluginIdentity;
}

export interface DormantSkill {
  readonly skill: Skill;
  readonly patterns: Patterns.PathPatterns;
}

export interface SkillCollector {
  readonly skills: Skill[];
  readonly dormant: DormantSkill[];
  readonly problems: SkillProblem[];
  /** What to compare to notice changes. */
  readonly watched: Map<string, Stats | undefined>;
  /** Files and folders that may have been meant as skills. */
  readonly strays: { readonly path: string; readonly kind: "file" | "folder" }[];
  /** Loads a file, unless its name or the file itself is taken. `clashName` is used if the name is taken. */
  take(file: SkillFile, origin: Origin, clashName?: string): Skill | undefined;
  scanOptions(root: string | undefined): ScanOptions;
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

export function createSkillCollector({ overrides, isDenied }: CollectorOptions): SkillCollector {
  const reader = createStartReader();
  const skills: Skill[] = [];
  const dormant: DormantSkill[] = [];
  const problems: SkillProblem[] = [];
  const watched = new Map<string, Stats | undefined>();
  const strays: { path: string; kind: "file" | "folder" }[] = [];
  /** By name: where the skill is. */
  const names = new Map<string, string>();
  const files = new Set<string>();
  const budget = { patterns: MOST_PATTERNS, characters: PATTERN_CHARACTERS };

  const report = (problem: SkillProblem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const refuse = (file: string, why: string) => report({ file, kind: "unused", why });
  const stray = (path: string, kind: "file" | "folder") => {
    if (strays.length < MOST_STRAYS) strays.push({ path, kind });
  };

  /** Follows a link to the file itself, which is rare. */
  function open(found: SkillFile, root: string | undefined): { file: string; start: FileStart } {
    const start = reader.read(found.file);
    if (start.kind !== "link") return { file: found.file, start };
    const target = followLink(found.file, { root, isDenied, refuse: () => refuse(found.found, LINKED) });
    if (target === undefined) return { file: found.file, start: { kind: "link" } };
    return { file: target.real, start: reader.read(target.real) };
  }

  function take(found: SkillFile, origin: Origin, clashName?: string): Skill | undefined {
    if (files.has(found.file)) return undefined;
    const { file, start } = open(found, origin.root);
    if (start.kind === "missing") {
      const folder = dirname(file);
      watched.set(folder, statSync(folder, { throwIfNoEntry: false }));
      return void stray(dirname(found.found), "folder");
    }
    if (start.kind === "link") return undefined;
    if (start.kind === "refused") return void refuse(found.found, start.why);
    watched.set(file, start.stat);
    if (files.has(file)) return undefined;
    files.add(file);
    if (names.size >= MOST_SKILLS) return void refuse(found.found, `there are more than ${MOST_SKILLS} skills`);

    const { head, body } = headOf(file, start);
    const oddities: SkillProblem[] = [];
    const odd = ({ line, why }: { line: number; why: string }) =>
      oddities.push({ file: found.found, line, kind: "odd", why });
    const { named, hooks, ...facts } = factsOf({ kind: origin.kind, head, body, report: odd });

    const own = ownName(found.name, named, origin, (why) => odd({ line: 1, why }));
    if (!isListable(own)) return void refuse(found.found, "its name has characters that cannot be shown; rename it");
    const name = names.has(own) && clashName !== undefined ? clashName : own;
    const other = names.get(name);
    if (other !== undefined) {
      return void report({ file: found.found, kind: "shadowed", why: `/${name} is ${other}; rename one of them` });
    }
    const state = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    if (state === "off") return void refuse(found.found, `skillOverrides turns off ${name}`);
    names.set(name, found.found);

    const { kind, source, base, untrusted, plugin } = origin;
    const folder = dirname(file);
    const skill: Skill = {
      name,
      kind,
      source,
      file,
      folder,
      ...(named !== undefined && named !== lastPart(name) && { displayName: named }),
      ...facts,
      ...(state === "user-invocable-only" && { modelInvocable: false }),
      ...(state === "name-only" && { nameOnly: true }),
      base,
      hooks: hooks === undefined ? [] : skillHooks(hooks, { file, folder, plugin, report: odd }),
      ...(plugin !== undefined && { plugin }),
      ...(untrusted && { untrusted }),
    };
    for (const problem of oddities) report(problem);
    if (skill.paths === undefined) skills.push(skill);
    else {
      // Loaded late: six modules that only skills with paths need.
      const { compilePatterns } = require("../instructions/path-patterns.ts") as typeof Patterns;
      const patterns = compilePatterns(skill.paths, budget);
      if (patterns === undefined) return void refuse(found.found, "its `paths` expand to too many patterns");
      dormant.push({ skill, patterns });
    }
    return skill;
  }

  /** Reads more if the frontmatter or the first line of the text is not in the first part. */
  function headOf(file: string, start: StartRead): { head: Head; body: string } {
    const parse = (source: string) => {
      const head = readHead(source);
      return { head, body: source.slice(head.bodyAt) };
    };
    const first = parse(start.source);
    const isEnough =
      start.isWhole || (!first.head.isOpen && (first.head.fields.has("description") || first.body.includes("\n\n")));
    if (isEnough) return first;
    const long = reader.read(file, { long: true });
    return long.kind === "read" ? parse(long.source) : first;
  }

  return {
    skills,
    dormant,
    problems,
    watched,
    strays,
    take,
    scanOptions: (root) => ({
      root,
      isDenied,
      watch: (path, stat) => watched.set(path, stat),
      refuse,
      stray,
    }),
  };
}

const LINKED = "its SKILL.md is a link that leads outside, to nothing, or to a file that may not be read";

const lastPart = (name: string) => name.slice(name.lastIndexOf(":") + 1);

/** Only in plugins, the `name` field replaces the last part of the name. */
function ownName(
  found: string,
  named: string | undefined,
  { plugin, kind }: Origin,
  odd: (why: string) => void,
): string {
  if (plugin === undefined) return found;
  if (kind === "command" || named === undefined || named === found) return `${plugin.name}:${found}`;
  if (/^[\w.-]{1,100}$/.test(named)) return `${plugin.name}:${named}`;
  odd("`name` can only have letters, digits, -, _ and .; the name of the folder is used");
  return `${plugin.name}:${found}`;
}
