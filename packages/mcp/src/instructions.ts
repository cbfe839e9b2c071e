// The section of the system prompt with the instructions that MCP servers provide.

/** Undefined if no server provides instructions. */
export function renderServerInstructions(
  servers: readonly { readonly name: string; readonly instructions?: string }[],
): string | undefined {
  const parts = servers.flatMap(({ name, instructions }) => (instructions ? [`## ${name}\n${instructions}`] : []));
  if (parts.length === 0) return undefined;
  return ["# MCP Server Instructions\n\nThese MCP servers provide instructions for using their tools:", ...parts].join(
    "\n\n",
  );
}
