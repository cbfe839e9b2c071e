// The tools a run may use, chosen and ordered. Pure: the same choice gives the same list, so the cache holds.

import { coversTool } from "./permission/match/match.ts";
import type { Rule } from "./permission/rule.ts";
import type { Tool } from "./tool.ts";

export interface PoolChoice {
  /** Names to offer; absent: all. */
  readonly only?: readonly string[];
  readonly rules: readonly Rule[];
}

/** Sorted by name; a tool that a deny rule covers whole (`Bash`, `mcp__server`) is not offered at all. */
export function assemblePool(tools: readonly Tool[], { only, rules }: PoolChoice): Tool[] {
  const denying = rules.filter((rule) => rule.behavior === "deny");
  return tools
    .filter((tool) => !only || namesOf(tool).some((name) => only.includes(name)))
    .filter((tool) => !namesOf(tool).some((name) => denying.some((rule) => coversTool(rule, name))))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name));
}

const namesOf = (tool: Tool) => [tool.name, ...(tool.aliases ?? [])];
