// Which files the rules keep from tools that look at many. Made once for a set of rules, then asked for each file.

import { coversTool, governs } from "./match/match.ts";
import { matchesPath, type Anchors } from "./match/match-path.ts";
import type { Rule } from "./rule.ts";

/** Anchors come with each question: the shell moves, and folders are added, while the rules stay. */
export type Hides = (path: string, realPath: string, anchors: Anchors) => boolean;

/** Undefined when nothing can be hidden. Either name of a file, given or with links resolved, is enough to hide it. */
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
