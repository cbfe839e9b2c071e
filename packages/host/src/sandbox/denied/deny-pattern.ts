// Turns a Read deny rule into places to search: a fixed path, or a folder and a pattern. The pattern may match more than
// the rule does; the gate checks every match before it is hidden. Pure.

import { join, resolve } from "node:path/posix";
import { compileGlob, fold, lastName, matchesGlob, splitNames, type Glob } from "@keelson/engine/pattern";

/** The fields of a rule that are needed here. */
export interface DenyRule {
  readonly behavior: string;
  readonly tool: string;
  readonly content?: string;
  /** The folder that a leading `/` refers to. */
  readonly base: string;
}

export type DenyPlace =
  | { readonly kind: "path"; readonly path: string }
  | {
      readonly kind: "search";
      readonly folder: string;
      readonly pattern: Glob;
      /** How many levels down a match can be. */
      readonly depth: number;
    };

interface Places {
  readonly directories: readonly string[];
  readonly home: string;
}

export function denyPlaces(
  rules: readonly DenyRule[],
  { directories, home }: Places,
  isOf: (tool: string) => boolean = (tool) => tool === "Read",
): DenyPlace[] {
  return rules.flatMap((rule) => {
    if (rule.behavior !== "deny" || !isOf(rule.tool) || rule.content === undefined) return [];
    return anchorPattern(rule.content.trim(), rule.base, directories, home).flatMap(({ base, pattern }) =>
      toPlaces(base, pattern),
    );
  });
}

/** The first rule that covers a path, as it is written. */
export function ruleFor(path: string, rules: readonly DenyRule[], places: Places): string | undefined {
  const covers = (place: DenyPlace) => {
    if (place.kind === "path") return isInsideFolder(place.path, path);
    return isInsideFolder(place.folder, path) && matcherOf([place.pattern])(path.slice(place.folder.length + 1));
  };
  const found = rules.find((rule) => denyPlaces([rule], places).some(covers));
  return found && `${found.tool}(${found.content})`;
}

const EDITS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

/** Whether a rule denies writing to this folder, to something that it names in it, or to all files in it. */
export function deniesWriting(folder: string, rules: readonly DenyRule[], places: Places): boolean {
  return denyPlaces(rules, places, (tool) => EDITS.has(tool)).some((place) => {
    const at = place.kind === "path" ? place.path : place.folder;
    if (place.kind === "path" && isInsideFolder(at, folder)) return true;
    if (isInsideFolder(folder, at)) return true;
    if (place.kind === "path" || !isInsideFolder(at, folder)) return false;
    const names = `${folder.slice(at === "/" ? 1 : at.length + 1)}/x`.split("/");
    return names.some((_, count) => matcherOf([place.pattern])(names.slice(0, count + 1).join("/")));
  });
}

export function isInsideFolder(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function anchorPattern(content: string, ruleBase: string, directories: readonly string[], home: string) {
  if (content === "" || content.startsWith("!") || content.startsWith("#")) return [];
  if (content.startsWith("//")) return [{ base: "/", pattern: content.slice(1) }];
  if (content === "~" || content.startsWith("~/")) return [{ base: home, pattern: content.slice(1) || "/**" }];
  if (content.startsWith("/")) return [{ base: ruleBase, pattern: content }];
  const relative = content.replace(/^(\.\/)+/, "");
  const up = relative.match(/^(\.\.\/)+/)?.[0];
  if (up) return [{ base: resolve(directories[0] ?? "/", up), pattern: `/${relative.slice(up.length)}` }];
  return directories.map((base) => ({ base, pattern: relative }));
}

const ALL_DEPTHS = 64;

function toPlaces(base: string, pattern: string): DenyPlace[] {
  const written = splitNames(pattern);
  const segments = written.filter((segment) => segment !== "" && segment !== ".");
  // A rule that covers everything in a folder covers the folder.
  while (segments.at(-1) === "*" || segments.at(-1) === "**") segments.pop();
  const top = resolve("/", base);
  if (segments.length === 0) return [{ kind: "search", folder: top, pattern: EVERY_NAME, depth: 1 }];
  const isAnchored = written[0] === "" || segments.length > 1;
  if (!isAnchored && segments[0] !== "**") segments.unshift("**");

  const firstWild = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  const fixed = firstWild < 0 ? segments : segments.slice(0, firstWild);
  const folder = join(top, ...fixed);
  if (firstWild < 0) return [{ kind: "path", path: folder }];
  const rest = segments.slice(firstWild);
  // Ignore case: on some file systems both spellings are the same file.
  const glob = compileGlob(rest.map(fold), { ignoreCase: true });
  return glob ? [{ kind: "search", folder, pattern: glob, depth: rest.includes("**") ? ALL_DEPTHS : rest.length }] : [];
}

const EVERY_NAME = compileGlob(["*"], { ignoreCase: true })!;

/** Returns a function that matches a relative path against all patterns. It is called for every file, so it is fast. */
export function matcherOf(patterns: readonly Glob[]): (relative: string) => boolean {
  const byName = Map.groupBy(patterns, lastName);
  const others = byName.get(undefined) ?? [];
  return (relative) => {
    const names = fold(relative).split("/");
    const isMatch = (pattern: Glob) => matchesGlob(pattern, names);
    return byName.get(names.at(-1))?.some(isMatch) === true || others.some(isMatch);
  };
}
