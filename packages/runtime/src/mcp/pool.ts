// The tools of a session with those of MCP servers behind them: built-ins win a name, deny rules take tools away.

import { assemblePool, type Rule, type Tool } from "@keelson/engine";

/** `builtIn` is in order already; `--tools` chooses among built-ins only. */
export function withMcpTools(builtIn: readonly Tool[], mcp: readonly Tool[], rules: readonly Rule[]): readonly Tool[] {
  if (mcp.length === 0) return builtIn;
  const taken = new Set(builtIn.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const free = mcp.filter(({ name }) => !taken.has(name));
  return [...builtIn, ...assemblePool(free, { rules })];
}
