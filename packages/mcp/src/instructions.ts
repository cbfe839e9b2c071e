// The section of the system prompt with the instructions that MCP servers provide.

import { withoutReminderTags } from "@keelson/protocol";

/** Undefined if no server provides instructions. */
export function renderServerInstructions(
  servers: readonly { readonly name: string; readonly instructions?: string }[],
): string | undefined {
  let left = MAX_LENGTH;
  const parts = servers.flatMap(({ name, instructions }) => {
    if (!instructions || (left -= instructions.length) < 0) return [];
    return [`## ${name}\n${contained(instructions)}`];
  });
  if (parts.length === 0) return undefined;
  return ["# MCP Server Instructions\n\nThese MCP servers provide instructions for using their tools:", ...parts].join(
    "\n\n",
  );
}

/** Of all servers together. */
const MAX_LENGTH = 50_000;

/** Keeps a text from closing the block it is in, and from looking like the section of another server. */
function contained(text: string): string {
  return withoutReminderTags(text).replace(/^(\s*)#{1,2}(?!#)/gm, "$1###");
}
