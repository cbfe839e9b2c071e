// What an MCP tool is called here. Servers and tools keep their own names everywhere else.

/** The longest name the model's API takes for a tool. */
export const MAX_TOOL_NAME_LENGTH = 128;

/** `mcp__server__tool`, with every character the API does not take replaced. */
export function toolName(server: string, tool: string): string {
  return `mcp__${normalizeName(server)}__${normalizeName(tool)}`;
}

/** One `_` for each character outside letters, digits, `_` and `-` (observed: `my srv.x` is `my_srv_x`). */
export function normalizeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}
