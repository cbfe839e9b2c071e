// Chooses and orders the tools a run may use. Pure: the same choice gives the same list, so the cache stays valid.

import { coversTool } from "../permission/match/match.ts";
import type { Rule } from "../permission/rules/rule.ts";
import type { Tool } from "./tool.ts";

export interface PoolChoice {
  /** Names of the tools to offer; all tools if absent. */
  readonly only?: readonly string[];
  readonly rules: readonly Rule[];
}

/** Sorted by name. A tool that a deny rule covers completely (`Bash`, `mcp__server`) is not offered. */
export function assemblePool(tools: readonly Tool[], { only, rules }: PoolChoice): Tool[] {
  const denying = rules.filter((rule) => rule.behavior === "deny");
  return tools
    .filter((tool) => !only || namesOf(tool).some((name) => only.includes(name)))
    .filter((tool) => !namesOf(tool).some((name) => denying.some((rule) => coversTool(rule, name))))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  const known = found.get(tools) ?? new Map<string, Tool>();
  const last = known.get(name);
  if (last && tools.includes(last)) return last;
  const tool = tools.find((each) => each.name === name) ?? tools.find((each) => each.aliases?.includes(name));
  if (tool) found.set(tools, known.set(name, tool));
  return tool;
}

/** Every call asks a few times. */
const found = new WeakMap<readonly Tool[], Map<string, Tool>>();

const namesOf = (tool: Tool) => [tool.name, ...(tool.aliases ?? [])];
