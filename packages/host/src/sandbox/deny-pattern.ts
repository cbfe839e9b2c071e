// A Read deny rule as places to look in: a path that is hidden as it is, or a folder and a pattern for names in it.
// The pattern may match more than the rule; what it finds is put to the gate before it is hidden. Pure.

import { join, resolve } from "node:path/posix";

/** The part of a rule that matters here. */
export interface DenyRule {
  readonly behavior: string;
  readonly tool: string;
  readonly content?: string;
  /** What a leading `/` is anchored at. */
  readonly base: string;
}

export type DenyPlace =
  | { readonly kind: "path"; readonly path: string }
  | {
      readonly kind: "search";
      readonly folder: string;
      /** Tested on the path below `folder`. */
      readonly pattern: RegExp;
      /** How many levels down a match can lie. */
      readonly depth: number;
    };

export function denyPlaces(
  rules: readonly DenyRule[],
  { directories, home }: { readonly directories: readonly string[]; readonly home: string },
): DenyPlace[] {
  return rules.flatMap((rule) => {
    if (rule.behavior !== "deny" || rule.tool !== "Read" || rule.content === undefined) return [];
    return anchored(rule.content.trim(), rule.base, directories, home).flatMap(({ base, pattern }) =>
      placeOf(base, pattern),
    );
  });
}

function anchored(content: string, ruleBase: string, directories: readonly string[], home: string) {
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

function placeOf(base: string, pattern: string): DenyPlace[] {
  // What is true of all that lies in a folder is true of the folder.
  const whole = pattern.replace(/(\/\*\*?)*\/*$/, "");
  const segments = whole.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0) return [{ kind: "search", folder: resolve("/", base), pattern: /^[^/]+$/, depth: 1 }];
  const isAnchored = whole.includes("/") && segments[0] !== "**";
  if (!isAnchored && segments[0] !== "**") segments.unshift("**");

  const firstWild = segments.findIndex((segment) => /[*?[\\]/.test(segment));
  const fixed = firstWild < 0 ? segments : segments.slice(0, firstWild);
  const folder = join(resolve("/", base), ...fixed);
  if (firstWild < 0) return [{ kind: "path", path: folder }];
  const rest = segments.slice(firstWild);
  return [{ kind: "search", folder, pattern: regexOf(rest), depth: rest.includes("**") ? ALL_DEPTHS : rest.length }];
}

/** Case does not count: the rule is meant for the file, however its name is written. */
function regexOf(segments: readonly string[]): RegExp {
  const text = segments
    .map((segment, at) => {
      const isLast = at === segments.length - 1;
      if (segment === "**") return isLast ? ".+" : "(?:.+/)?";
      return segmentSource(segment) + (isLast ? "" : "/");
    })
    .join("");
  return new RegExp(`^${text}$`, "i");
}

function segmentSource(segment: string): string {
  return segment.replaceAll(/\\.|\[[^\]]*\]|[*?]+|[^\\[*?]+|[\\[]/g, (part) => {
    if (part.startsWith("*") || part.startsWith("?")) return "[^/]*";
    if (part.startsWith("[") && part.length > 1) return "[^/]";
    if (part.startsWith("\\") && part.length === 2) return escape(part[1]!);
    return escape(part);
  });
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
