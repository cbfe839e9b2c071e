// Says on standard error which calls needed approval that nobody could give, and how to allow them.

import type { Outbound } from "@keelson/protocol";

/** Calls that one rule would allow are one warning. */
export function denialNotes(error: (line: string) => void): (message: Outbound) => void {
  const said = new Set<string>();
  return (message) => {
    const note = denialIn(message);
    if (note === undefined || said.has(note)) return;
    said.add(note);
    error(note);
  };
}

function denialIn(message: Outbound): string | undefined {
  if (message.type !== "system" || message.subtype !== "permission_denied") return undefined;
  const { tool_name: tool, decision_reason: reason, how_to_allow: how } = message;
  if (reason === undefined) return undefined;
  return `warning: ${tool} was not allowed: ${reason.replace(/\.$/, "")}${how === undefined ? "" : `; to allow it, use ${how}`}`;
}
