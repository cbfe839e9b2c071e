// How far rules reach when the folders change. What is denied or asked about stays so where it was, and is so in the new
// folder and in copies of the old one too: coverage is added, never moved. Only what is allowed moves. Pure.

import type { Rule, Workspace } from "@keelson/engine";
import { compileGlob, fold, matchesGlob, splitNames } from "@keelson/engine/pattern";

/** A worktree, and what it is a copy of: the main checkout, and the one that the session was opened in. */
export interface FolderCopy {
  readonly from: readonly string[];
  readonly to: string;
}

export interface RuleReach {
  readonly home: string;
  /** The working directories. */
  readonly directories: readonly string[];
  /** Folders where the agent, or the one that started it, works or has worked. */
  readonly former: readonly string[];
  readonly copies: readonly FolderCopy[];
  /** The copy that the agent works in: what is allowed in the checkout is allowed there instead. */
  readonly inside?: FolderCopy | undefined;
}

/** Besides where an agent works and has worked. */
export type MoreReach = Pick<RuleReach, "former" | "copies" | "inside">;

/** Remembers the last answer: the same array until something changes. */
export function openReach({ home, workspace }: { readonly home: string; readonly workspace: Workspace }) {
  let known: { readonly for: readonly unknown[]; readonly rules: readonly Rule[] } | undefined;
  return (rules: readonly Rule[], { former: others, copies, inside }: MoreReach): readonly Rule[] => {
    const { directories } = workspace;
    const former = [...others, ...workspace.former];
    const key = [rules, inside, ...copies, "", ...directories, "", ...former];
    if (known?.for.length === key.length && known.for.every((each, at) => each === key[at])) return known.rules;
    known = { for: key, rules: rulesInReach(rules, { home, directories, former, copies, inside }) };
    return known.rules;
  };
}

/** The rules in effect. The same array if they are the ones that were written. */
export function rulesInReach(rules: readonly Rule[], reach: RuleReach): readonly Rule[] {
  const { home, directories, copies, inside } = reach;
  // A session may begin below the checkout, or in another copy of it.
  const former = [...new Set([...reach.former, ...copies.flatMap(({ from }) => from)])];
  const narrowing = rules.filter(({ behavior }) => behavior !== "allow");
  const all = [...new Set([...directories, ...former])];
  const before = former.flatMap((folder) => {
    const isBelow = all.some((other) => other !== folder && isIn(other, folder));
    return rulesAt(folder, narrowing, directories.includes(folder) ? "current" : isBelow ? "below" : "elsewhere");
  });
  // One worktree is not a copy of another.
  const sources = all.filter((folder) => !copies.some(({ to }) => isIn(to, folder)));
  const placed = [...narrowing, ...sources.flatMap((folder) => rulesAt(folder, narrowing))];
  const copied = copies.flatMap((copy) => placed.flatMap((rule) => movedRules(rule, copy, home)));
  const across = copies.flatMap((copy) => narrowing.flatMap((rule) => rulesAcross(rule, copy)));
  const more = unlike(rules, [...before, ...copied, ...across]);
  const own = inside ? rules.flatMap((rule) => allowedInside(rule, inside, home)) : rules;
  return more.length === 0 ? own : [...own, ...more];
}

/**
 * Deny and ask rules that are relative to the working directories, as they hold in one folder alone. Without those that hold
 * there anyway: in a working directory all but `../x`, which is relative to the first, and below one names without a folder.
 */
export function rulesAt(
  folder: string,
  rules: readonly Rule[],
  where: "current" | "below" | "elsewhere" = "elsewhere",
): readonly Rule[] {
  return rules.flatMap((rule) => {
    const content = rule.content?.trim() ?? "";
    if (rule.behavior === "allow" || !PATH_TOOLS.has(rule.tool) || /^(?:$|[!#/]|~(?:\/|$))/.test(content)) return [];
    const relative = content.replace(/^(\.\/+)+/, "");
    const up = /^(?:\.\.\/)+/.exec(relative)?.[0] ?? "";
    if (up !== "") {
      const names = folder.split("/").slice(0, -up.length / 3);
      return [{ ...rule, base: names.join("/") || "/", content: `/${relative.slice(up.length)}` }];
    }
    // A name without a folder matches at any depth.
    const isName = !relative.replace(/\/(\*\*)?$/, "").includes("/");
    if (where === "current" || (isName && where === "below")) return [];
    return [{ ...rule, base: folder, content: `/${isName ? "**/" : ""}${relative}` }];
  });
}

const PATH_TOOLS = new Set(["Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit"]);

/** Reading the checkout changes nothing, so what may be read there still may. */
function allowedInside(rule: Rule, copy: FolderCopy, home: string): readonly Rule[] {
  const [moved] = rule.behavior === "allow" ? movedRules(rule, copy, home) : [];
  if (!moved) return [rule];
  return rule.tool === "Read" ? [rule, moved] : [moved];
}

/** What settings of one of the folders say from their root on is so in the others. */
function rulesAcross(rule: Rule, { from, to }: FolderCopy): readonly Rule[] {
  if (!PATH_TOOLS.has(rule.tool) || !/^\/(?!\/)/.test(rule.content?.trim() ?? "")) return [];
  const folders = [to, ...from];
  const own = folders.toSorted((one, other) => other.length - one.length).find((folder) => isIn(folder, rule.base));
  if (own === undefined) return [];
  return folders.flatMap((folder) =>
    folder === own || folder === to ? [] : [{ ...rule, base: `${folder}${rule.base.slice(own.length)}` }],
  );
}

/** The rule in the copy. One checkout may be in another: that of the inner one comes first. */
function movedRules(rule: Rule, { from, to }: FolderCopy, home: string): readonly Rule[] {
  const content = rule.content?.trim() ?? "";
  // `//x` is absolute and `~/x` in the home; relative ones have no place.
  const base = content.startsWith("//") ? "/" : /^~(?:\/|$)/.test(content) ? home : rule.base;
  if (!PATH_TOOLS.has(rule.tool) || !/^(?:\/|~(?:\/|$))/.test(content)) return [];
  const pattern = splitNames(content.replace(/^~/, "")).filter((name) => name !== "");
  // A worktree is inside the main checkout; what is about it already stays.
  if (isIn(to, base) || (isIn(base, to) && restsBelow(pattern, namesBelow(base, to), isSame).length > 0)) return [];
  const placed = (folder: string, rest: readonly string[]): Rule => {
    const end = rest.length > 0 && content.endsWith("/") ? "/" : "";
    return { ...rule, base: folder, content: `/${rest.join("/") || "**"}${end}` };
  };
  return from
    .toSorted((one, other) => other.length - one.length)
    .flatMap((folder) => {
      if (isIn(folder, base)) return [placed(`${to}${base.slice(folder.length)}`, pattern)];
      if (!isIn(base, folder)) return [];
      const rests = restsBelow(pattern, namesBelow(base, folder), rule.behavior === "allow" ? isSame : mayBe);
      return rests.map((rest) => placed(to, rest));
    });
}

/**
 * What is left of a pattern below a folder, in every way in which it leads there. A pattern that ends above the folder covers
 * everything in it, unless it is read literally.
 */
function restsBelow(
  pattern: readonly string[],
  names: readonly string[],
  fits: (part: string, name: string) => boolean,
): readonly (readonly string[])[] {
  const isWide = (at: number) => fits !== isSame && /^\*{2,}$/.test(pattern[at] ?? "");
  /** `**` may also stand for nothing. */
  const withSkipped = (at: number): readonly number[] => (isWide(at) ? [at, ...withSkipped(at + 1)] : [at]);
  let places = new Set(withSkipped(0));
  for (const name of names) {
    if (fits !== isSame && places.has(pattern.length)) return [[]];
    const next = [...places].flatMap((at) => (isWide(at) ? [at] : fits(pattern[at] ?? "", name) ? [at + 1] : []));
    places = new Set(next.flatMap(withSkipped));
  }
  return [...places].map((at) => pattern.slice(at));
}

const isSame = (part: string, name: string) => part === name;

/** As deny rules are read: any case. */
function mayBe(part: string, name: string): boolean {
  const glob = part === "" ? undefined : compileGlob([fold(part)], { ignoreCase: true });
  return glob !== undefined && matchesGlob(glob, [fold(name)]);
}

const namesBelow = (folder: string, path: string) =>
  path
    .slice(folder.length)
    .split("/")
    .filter((name) => name !== "");

/** Those of `more` that say something else, each once. */
function unlike(rules: readonly Rule[], more: readonly Rule[]): readonly Rule[] {
  const known = new Set(rules.map(keyOf));
  return more.filter((rule) => known.size < known.add(keyOf(rule)).size);
}

const keyOf = ({ behavior, tool, content, base, source }: Rule) => [behavior, tool, content, base, source].join("\0");

const isIn = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
