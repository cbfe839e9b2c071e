// What servers want the model to know about them, as one section of the system prompt.

/** Undefined when no server has anything to say. */
export function renderServerInstructions(
  servers: readonly { readonly name: string; readonly instructions?: string }[],
): string | undefined {
  const parts = servers.flatMap(({ name, instructions }) => (instructions ? [`## ${name}\n${instructions}`] : []));
  if (parts.length === 0) return undefined;
  return ["# MCP Server Instructions\n\nHow these MCP servers say their tools are best used:", ...parts].join("\n\n");
}
