// Rules in a worktree. What is denied or asked about in the main checkout is so for its copies too, and what is allowed
// there is allowed in the worktree instead: the main checkout is no longer where the session works.

import type { Rule } from "@keelson/engine";

export interface RuleMove {
  /** The main checkout. */
  readonly from: string;
  /** The worktree. */
  readonly to: string;
  readonly home: string;
}

export function rulesInWorktree(move: RuleMove, rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => {
    const moved = movedRule(rule, move);
    if (moved === rule) return [rule];
    return rule.behavior === "allow" ? [moved] : [rule, moved];
  });
}

/** What is denied or asked about in a worktree because it is in the main checkout. */
export function copiedRules(move: RuleMove, rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => {
    const moved = rule.behavior === "allow" ? rule : movedRule(rule, move);
    return moved === rule ? [] : [moved];
  });
}

function movedRule(rule: Rule, { from, to, home }: RuleMove): Rule {
  const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
  // A worktree is inside the main checkout; what is about it already stays.
  const translate = (path: string) =>
    isIn(from, path) && !isIn(to, path) ? `${to}${path.slice(from.length)}` : undefined;
  const { content = "" } = rule;
  // `//x` is absolute and `~/x` in the home; other patterns start at the rule's base or the working directories.
  const absolute = content.startsWith("//")
    ? content.slice(1)
    : content.startsWith("~/")
      ? `${home}${content.slice(1)}`
      : undefined;
  if (absolute !== undefined) {
    const target = translate(absolute);
    return target === undefined ? rule : { ...rule, content: `/${target}` };
  }
  const base = content.startsWith("/") ? translate(rule.base) : undefined;
  return base === undefined ? rule : { ...rule, base };
}
