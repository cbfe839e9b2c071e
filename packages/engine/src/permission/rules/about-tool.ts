// Which rules can say something about calls of one tool. Found once for each set of rules, not for each call.

import { coversTool, commandNames, governs, namesTool } from "../match/match.ts";
import type { Access } from "../../tool/tool.ts";
import type { Rule } from "./rule.ts";

/** In the order of the rules. */
export interface RulesAboutTool {
  /** Those without parentheses. */
  readonly whole: readonly Rule[];
  /** About paths that are read or edited. */
  readonly paths: readonly Rule[];
  /** With something else in the parentheses, which may fit the call. */
  readonly named: readonly Rule[];
}

type Kind = Access["kind"];

const known = new WeakMap<readonly Rule[], Map<string, RulesAboutTool>>();

/** Lists of rules are never changed, only replaced. */
export function rulesAbout(
  rules: readonly Rule[],
  behavior: Rule["behavior"],
  tool: string,
  kind: Kind,
): RulesAboutTool {
  let byTool = known.get(rules);
  if (!byTool) known.set(rules, (byTool = new Map()));
  const key = `${behavior} ${kind} ${tool}`;
  let found = byTool.get(key);
  if (!found) byTool.set(key, (found = choose(rules, behavior, tool, kind)));
  return found;
}

function choose(rules: readonly Rule[], behavior: Rule["behavior"], tool: string, kind: Kind): RulesAboutTool {
  const own = rules.filter((rule) => rule.behavior === behavior);
  const names = kind === "command" ? commandNames(tool) : [tool];
  return {
    whole: own.filter((rule) => names.some((name) => coversTool(rule, name))),
    paths: kind === "read" || kind === "edit" ? own.filter((rule) => governs(rule, kind, tool)) : [],
    named: own.filter((rule) => rule.content !== undefined && (namesTool(rule, tool) || isAboutAddress(rule, kind))),
  };
}

/** Whatever opens an address, it stays denied. */
export const isAboutAddress = ({ behavior, tool }: Rule, kind: Kind): boolean =>
  kind === "url" && behavior !== "allow" && tool === "WebFetch";
