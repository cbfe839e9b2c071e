// The permission rules of all scopes and of the command line, each with its source. Pure.

import { parseRule, type Rule } from "@keelson/engine";
import type { RuleBehavior, RuleSource, Settings } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import type { Scope } from "../scopes/scopes.ts";
import type { Flags } from "./snapshot.ts";

const BEHAVIORS: readonly RuleBehavior[] = ["deny", "ask", "allow"];

/**
 * With `allowManagedPermissionRulesOnly`, only managed allow rules apply. While deny or ask rules may be missing
 * (`unread`), no allow rule applies.
 */
export function collectRules(
  scopes: readonly Scope[],
  flags: Flags,
  cwd: string,
  { unread }: { readonly unread: boolean },
): readonly Rule[] {
  const fromFiles = scopes.flatMap(({ settings, source, base, file }) =>
    BEHAVIORS.flatMap((behavior) =>
      strings(permissionsOf(settings)[behavior]).flatMap((text) => toRule(text, behavior, source, base, file) ?? []),
    ),
  );
  const rules = [
    ...fromFiles,
    ...flagRules("--disallowedTools", flags.disallowedTools, "deny", cwd),
    ...flagRules("--restricted", flags.restricted ? EXECUTING : [], "deny", cwd),
    ...flagRules("--allowedTools", flags.allowedTools, "allow", cwd),
  ];
  if (unread) return rules.filter(({ behavior }) => behavior !== "allow");
  const onlyManaged = managedOnly(scopes);
  return rules.filter((rule) => mayApply(rule, { allowManagedPermissionRulesOnly: onlyManaged }));
}

/**
 * Whether a rule may be in effect, wherever it comes from. Deny and ask rules of others apply also where only an
 * administrator may allow: they only make permissions stricter.
 */
export function mayApply(
  { behavior, source, managed }: Pick<Rule, "behavior" | "source" | "managed">,
  { allowManagedPermissionRulesOnly }: Pick<Settings, "allowManagedPermissionRulesOnly">,
): boolean {
  return behavior !== "allow" || !allowManagedPermissionRulesOnly || source === "policySettings" || managed === true;
}

/** Tools that run programs, including some of other versions. */
const EXECUTING = ["Bash", "PowerShell", "Monitor", "Workflow", "REPL"];

/** Splits a list of rules at commas and spaces outside parentheses: `Bash(git *),Read Edit`. */
export function splitRules(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (char === "(") depth++;
    else if (char === ")") depth = Math.max(0, depth - 1);
    const ends = char === undefined || (depth === 0 && (char === "," || /\s/.test(char)));
    if (!ends) continue;
    if (at > start) parts.push(text.slice(start, at));
    start = at + 1;
  }
  return parts;
}

export function permissionsOf({ permissions = {} }: Settings): NonNullable<Settings["permissions"]> {
  return permissions;
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Whether two texts are the same rule, such as `Bash` and `Bash(*)`. */
export function isSameRule(one: unknown, other: string): boolean {
  const [left, right] = [typeof one === "string" ? parseRule(one) : undefined, parseRule(other)];
  return left !== undefined && left.tool === right?.tool && left.content === right.content;
}

function flagRules(flag: string, given: readonly string[] | undefined, behavior: RuleBehavior, base: string): Rule[] {
  return (given ?? []).flatMap(splitRules).map((text) => {
    const rule = toRule(text, behavior, "cliArg", base);
    if (rule === undefined) throw new ConfigError(`${flag}: '${text}' is not a rule; write Tool or Tool(pattern)`);
    return rule;
  });
}

function toRule(
  text: string,
  behavior: RuleBehavior,
  source: RuleSource,
  base: string,
  file?: string,
): Rule | undefined {
  const parsed = parseRule(text);
  return parsed && { behavior, ...parsed, source, base, ...(file === undefined ? {} : { file }), text };
}

function managedOnly(scopes: readonly Scope[]): boolean {
  return scopes.some(
    ({ source, settings }) => source === "policySettings" && settings.allowManagedPermissionRulesOnly === true,
  );
}
