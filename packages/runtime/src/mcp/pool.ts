// Adds MCP tools to the built-in tools. Built-in tools keep their names; deny rules remove tools.

import { assemblePool, type Rule, type Tool } from "@keelson/engine";

/** `builtIn` is already sorted and filtered; `--tools` selects built-in tools only. */
export function withMcpTools(builtIn: readonly Tool[], mcp: readonly Tool[], rules: readonly Rule[]): readonly Tool[] {
  if (mcp.length === 0) return builtIn;
  const taken = new Set(builtIn.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const free = mcp.filter(({ name }) => !taken.has(name));
  return [...builtIn, ...assemblePool(free, { rules })];
}
