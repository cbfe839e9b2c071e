// Rules in a worktree. What is denied or asked about in a checkout is so for its copies too, and what is allowed there is
// allowed in the worktree instead: the checkout is no longer where the session works.

import type { Rule } from "@keelson/engine";

export interface RuleMove {
  /** What it is a copy of: the main checkout, and the one that the session was opened in. */
  readonly from: readonly string[];
  /** The worktree. */
  readonly to: string;
  readonly home: string;
}

export function rulesInWorktree(move: RuleMove, rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => {
    const moved = movedRules(rule, move);
    if (moved.length === 0) return [rule];
    return rule.behavior === "allow" ? moved.slice(0, 1) : [rule, ...moved];
  });
}

/** What is denied or asked about in a worktree because it is in a checkout that it is a copy of. */
export function copiedRules(move: RuleMove, rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => (rule.behavior === "allow" ? [] : movedRules(rule, move)));
}

/** The rule in the worktree. One checkout may be in another: that of the inner one comes first. */
function movedRules(rule: Rule, { from, to, home }: RuleMove): readonly Rule[] {
  const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  // A worktree is inside the main checkout; what is about it already stays.
  const targets = (path: string) =>
    from
      .filter((folder) => isIn(folder, path) && !isIn(to, path))
      .toSorted((one, other) => other.length - one.length)
      .map((folder) => `${to}${path.slice(folder.length)}`);
  const { content = "" } = rule;
  // `//x` is absolute and `~/x` in the home; other patterns start at the rule's base or the working directories.
  const absolute = content.startsWith("//")
    ? content.slice(1)
    : content.startsWith("~/")
      ? `${home}${content.slice(1)}`
      : undefined;
  if (absolute !== undefined) return targets(absolute).map((target) => ({ ...rule, content: `/${target}` }));
  return content.startsWith("/") ? targets(rule.base).map((base) => ({ ...rule, base })) : [];
}
