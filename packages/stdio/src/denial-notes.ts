// Says on standard error which calls were refused, and how to allow those that needed approval that nobody could give.

import { printableLine, type Outbound } from "@keelson/protocol";

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

const MOST = 500;
const firstLine = (text: string) => text.trim().split("\n")[0]!;

function denialIn(message: Outbound): string | undefined {
  if (message.type !== "system" || message.subtype !== "permission_denied") return undefined;
  const { tool_name: tool, decision_reason: reason, how_to_allow: how } = message;
  // A rule, a hook or the classifier refused it. What it says may have several lines, and come from a command.
  if (reason === undefined) return `warning: ${printableLine(firstLine(message.message)).slice(0, MOST)}`;
  return `warning: ${tool} was not allowed: ${reason.replace(/\.$/, "")}${how === undefined ? "" : `; to allow it, use ${how}`}`;
}
