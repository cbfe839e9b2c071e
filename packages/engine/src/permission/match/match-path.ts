// Whether a path rule matches a path, names that a shell pattern may match, or files in a folder. Deny and ask rules
// are read broadly: any case, any name a file may have. Allow rules are read literally.

import { compileLine, coversPath, type GitignoreLine } from "../../pattern/gitignore.ts";
import { absolute, fold, otherNames } from "./paths.ts";
import type { Rule } from "../rules/rule.ts";
import { overlap, type MatchEffort } from "./wildcard.ts";

/** Where patterns are anchored. */
export interface Anchors {
  readonly cwd: string;
  readonly home: string;
  /** The working directories; the first is where the session started. */
  readonly directories: readonly string[];
  readonly matchers?: Matchers;
}

/** Compiled patterns. Valid for one set of rules; dropped in part when it grows too large. */
export interface Matchers {
  readonly byRule: Map<Rule, Anchored>;
  /** Null for a pattern that matches nothing. */
  readonly byPattern: Map<string, GitignoreLine | null>;
  /** Names of the last path asked about: many rules are checked for the same path. */
  names?: { readonly path: string; readonly cwd: string; readonly list: readonly string[] };
  /** How many patterns were compiled. After warm-up, a decision must not compile any. */
  compiled: number;
}

interface Anchored {
  readonly cwd: string;
  readonly home: string;
  readonly directories: readonly string[];
  readonly patterns: readonly AnchoredPattern[];
}

interface AnchoredPattern {
  /** Absolute; folded for deny and ask rules. */
  readonly base: string;
  readonly pattern: string;
  /** The same from the root down, one entry per name. `**` is any number of names. */
  readonly segments: readonly string[];
  /** A name without wildcards that every match contains, which rules out most paths. */
  readonly needed: string;
}

const LONGEST_PATH = 4_096;
const MOST_PATTERNS = 5_000;
/** Steps for comparing one shell pattern with one rule: far more than any real pair takes. */
const MOST_STEPS = 200_000;

export function newMatchers(): Matchers {
  return { byRule: new Map(), byPattern: new Map(), compiled: 0 };
}

/**
 * Whether the pattern covers the path. Deny and ask rules have several bases, because the shell may have moved since
 * they were written.
 */
export function matchesPath(rule: Rule, path: string, anchors: Anchors): boolean {
  // No system opens a longer path.
  if (path.length > LONGEST_PATH) return false;
  const strict = rule.behavior !== "allow";
  const names = strict ? namesOf(path, anchors) : [path];
  return anchored(rule, anchors).some(({ base, pattern, needed }) =>
    names.some((name) => {
      if (!name.includes(needed)) return false;
      const inner = beneath(base, name);
      if (inner === undefined || (inner === "" && !strict)) return false;
      // A folder is denied if everything in it is.
      const parts = [...(inner === "" ? [] : inner.split("/")), ...(strict ? [PROBE] : [])];
      return covers(pattern, parts, strict, anchors.matchers);
    }),
  );
}

/** Whether a shell file name pattern could match something the rule covers. */
export function mayMatchPattern(rule: Rule, pattern: string, anchors: Anchors): boolean {
  const names = segmentsOf(pattern);
  return anchored(rule, anchors).some(({ segments }) => meet(names, segments, { deep: false }));
}

/** Whether something the rule covers could be in the folder, or be the folder. */
export function mayLieIn(rule: Rule, folder: string, anchors: Anchors): boolean {
  return otherNames(folder, anchors.cwd).some((name) => {
    const names = segmentsOf(escaped(name));
    return anchored(rule, anchors).some(({ segments }) => meet(names, segments, { deep: true }));
  });
}

/** Whether the rule would no longer cover something in the folder if the folder had another name. */
export function knowsFolder(rule: Rule, folder: string, anchors: Anchors): boolean {
  const renamed = `${folder.slice(0, folder.lastIndexOf("/"))}/${PROBE}`;
  return mayLieIn(rule, folder, anchors) && !mayLieIn(rule, renamed, anchors);
}

/** The folder a file name pattern starts from: the part before its first wildcard. */
export function patternFolder(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex((segment) => /(^|[^\\])[*?[]/.test(segment));
  const fixed = first < 0 ? segments : segments.slice(0, first);
  return fixed.join("/").replace(/\\(.)/g, "$1") || "/";
}

/** A name no rule mentions: stands for "anything in this folder". */
const PROBE = "keelson-probe-0";

function namesOf(path: string, { cwd, matchers }: Anchors): readonly string[] {
  const known = matchers?.names;
  if (known?.path === path && known.cwd === cwd) return known.list;
  const list = otherNames(path, cwd);
  if (matchers) matchers.names = { path, cwd, list };
  return list;
}

function covers(pattern: string, names: readonly string[], strict: boolean, matchers: Matchers | undefined): boolean {
  const key = strict ? pattern : `exact ${pattern}`;
  let line = matchers?.byPattern.get(key);
  if (line === undefined) {
    line = compileLine(pattern, { ignoreCase: strict }) ?? null;
    if (matchers) {
      matchers.compiled++;
      if (matchers.byPattern.size >= MOST_PATTERNS) matchers.byPattern.clear();
      matchers.byPattern.set(key, line);
    }
  }
  return line !== null && coversPath(line, names);
}

/** The path relative to the folder; undefined if it is not in it. */
function beneath(folder: string, path: string): string | undefined {
  if (folder === "/") return path.slice(1);
  if (path === folder) return "";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

function anchored(rule: Rule, anchors: Anchors): readonly AnchoredPattern[] {
  const known = anchors.matchers?.byRule.get(rule);
  if (known && known.cwd === anchors.cwd && known.home === anchors.home && same(known.directories, anchors.directories))
    return known.patterns;
  const strict = rule.behavior !== "allow";
  const patterns = anchor(rule, anchors).map(({ base, pattern }) => {
    const folder = absolute("/", base);
    const literal = segmentsOf(pattern).findLast((name) => /^[\w.-]+$/.test(name)) ?? "";
    let segments: readonly string[] | undefined;
    return {
      base: strict ? fold(folder) : folder,
      pattern: strict ? pattern.normalize("NFKC") : pattern,
      needed: strict ? fold(literal) : literal,
      // Only commands ask for them.
      get segments() {
        return (segments ??= [...segmentsOf(escaped(fold(folder))), ...patternSegments(pattern.normalize("NFKC"))]);
      },
    };
  });
  const { cwd, home, directories } = anchors;
  anchors.matchers?.byRule.set(rule, { cwd, home, directories: [...directories], patterns });
  return patterns;
}

const same = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((x, at) => x === b[at]);

function anchor(rule: Rule, { cwd, home, directories }: Anchors): { base: string; pattern: string }[] {
  const content = rule.content?.trim() ?? "";
  // Negations and comments belong to the file format, not to a rule.
  if (content === "" || content.startsWith("!") || content.startsWith("#")) return [];
  if (content.startsWith("//")) return [{ base: "/", pattern: content.replace(/^\/+/, "/") }];
  if (content === "~" || content.startsWith("~/")) return [{ base: home, pattern: content.slice(1) || "/**" }];
  if (content.startsWith("/")) return [{ base: rule.base, pattern: content }];

  const relativePattern = content.replace(/^(\.\/+)+/, "");
  if (relativePattern.startsWith("../")) return upwards(relativePattern, directories[0] ?? cwd);
  const single = !relativePattern.replace(/\/(\*\*)?$/, "").includes("/");
  if (rule.behavior === "allow") {
    return [{ base: directories[0] ?? cwd, pattern: single ? `/${relativePattern}` : relativePattern }];
  }
  const pattern = single && relativePattern.includes("/") ? `**/${relativePattern}` : relativePattern;
  return [...new Set([cwd, ...directories])].map((base) => ({ base, pattern }));
}

function upwards(pattern: string, base: string): { base: string; pattern: string }[] {
  const rest = pattern.replace(/^(\.\.\/)+/, "");
  const up = pattern.slice(0, pattern.length - rest.length);
  return rest === "" ? [] : [{ base: absolute(base, up), pattern: `/${rest}` }];
}

/** A pattern without a slash matches at any depth, and covers everything below a match. */
function patternSegments(pattern: string): string[] {
  const names = segmentsOf(pattern.replace(/(\/|\/\*+)$/, ""));
  return pattern.replace(/\/$/, "").includes("/") ? names : ["**", ...names];
}

const segmentsOf = (path: string) => path.split("/").filter((name) => name !== "");
const escaped = (path: string) => path.replace(/[*?[\]\\]/g, "\\$&");

/**
 * Whether some path matches both. `names` may contain shell wildcards, `rule` also `**`. Paths below the rule's end
 * match; if `names` end first, they match only if everything below them counts (`deep`). If the comparison would take
 * too long, they match: a long path must not get past a rule.
 */
function meet(names: readonly string[], rule: readonly string[], { deep }: { readonly deep: boolean }): boolean {
  const effort: MatchEffort = { left: MOST_STEPS };
  let at = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const position of reachable(at, rule)) {
      if (position >= rule.length || --effort.left < 0) return true;
      if (rule[position] === "**") next.add(position);
      else if (fits(name, rule[position]!, effort)) next.add(position + 1);
    }
    if (next.size === 0) return false;
    at = next;
  }
  const ends = reachable(at, rule);
  return deep ? ends.size > 0 : ends.has(rule.length);
}

/** `**` may also match nothing. */
function reachable(from: ReadonlySet<number>, rule: readonly string[]): Set<number> {
  const found = new Set<number>();
  for (let position of from) {
    found.add(position);
    while (rule[position] === "**" && !found.has(position + 1)) found.add(++position);
  }
  return found;
}

const WILD = /[*?[\\]/;

function fits(name: string, target: string, effort: MatchEffort): boolean {
  // `*` does not match hidden files.
  if (target.startsWith(".") && /^[*?[]/.test(name)) return false;
  return WILD.test(name) || WILD.test(target) ? overlap(name, target, effort) : fold(name) === fold(target);
}
