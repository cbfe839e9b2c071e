// Which files the rules keep from tools that look at many. Made once for a set of rules, then asked for each file.

import { governs, coversTool } from "./match.ts";
import { matchesPath, newMatchers, type Anchors } from "./match-path.ts";
import type { Rule } from "./rule.ts";

/** Undefined when nothing can be hidden. Either name of a file, given or with links resolved, is enough to hide it. */
export function hiddenFiles(
  rules: readonly Rule[],
  anchors: Anchors,
): ((path: string, realPath: string) => boolean) | undefined {
  const denying = rules.filter((rule) => rule.behavior === "deny");
  if (denying.some((rule) => coversTool(rule, "Read"))) return () => true;
  const about = denying.filter((rule) => governs(rule, "read", "Read"));
  if (about.length === 0) return undefined;
  const ready = { ...anchors, matchers: anchors.matchers ?? newMatchers() };
  return (path, realPath) =>
    about.some((rule) => matchesPath(rule, path, ready) || (realPath !== path && matchesPath(rule, realPath, ready)));
}
