// The name of an MCP tool in model requests and rules: `mcp__server__tool`.

/** The API's limit for a tool name. */
export const MAX_TOOL_NAME_LENGTH = 128;

/** `mcp__server__tool`, with characters the API does not accept replaced. */
export function toolName(server: string, tool: string): string {
  return `mcp__${normalizeName(server)}__${normalizeName(tool)}`;
}

/** Replaces each character except letters, digits, `_` and `-` with `_`: `my srv.x` becomes `my_srv_x`. */
export function normalizeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}
