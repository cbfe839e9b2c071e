// Which files the rules hide from tools that look at many files. Compiled once per set of rules, then called per file.

import { coversTool, governs } from "../match/match.ts";
import { matchesPath, type Anchors } from "../match/match-path.ts";
import type { Rule } from "./rule.ts";

/** Anchors are passed on each call: the shell moves and folders are added while the rules stay the same. */
export type Hides = (path: string, realPath: string, anchors: Anchors) => boolean;

/** Undefined if nothing can be hidden. A match of either name, as given or with links resolved, hides a file. */
export function hiddenFiles(rules: readonly Rule[]): Hides | undefined {
  const denying = rules.filter((rule) => rule.behavior === "deny");
  if (denying.some((rule) => coversTool(rule, "Read"))) return () => true;
  const about = denying.filter((rule) => governs(rule, "read", "Read"));
  if (about.length === 0) return undefined;
  return (path, realPath, anchors) =>
    about.some(
      (rule) => matchesPath(rule, path, anchors) || (realPath !== path && matchesPath(rule, realPath, anchors)),
    );
}
