// What may be given for a session that another program has open: its settings, rules and model are those of that program.

import type { JoinOptions, SessionChoice } from "../open.ts";
import type { Arguments } from "./args.ts";

/** These choose the session, or say how this program reads and prints. */
const FOR_CLIENTS = new Set([
  "ax-screen-reader",
  "continue",
  "debug",
  "debug-file",
  "forward-subagent-text",
  "include-hook-events",
  "include-partial-messages",
  "input-format",
  "output-format",
  "permission-prompt-tool",
  "print",
  "replay-user-messages",
  "resume",
  "session-mirror",
  "verbose",
]);

/** Undefined if the session cannot be open elsewhere. */
export function joinOf(given: Arguments, session: SessionChoice, ownAnswers: boolean): JoinOptions | undefined {
  if (session.kind === "new" || session.fork) return undefined;
  // An MCP tool that answers questions would have to be one of this program's servers.
  const isRefused = (name: string) =>
    !FOR_CLIENTS.has(name) || (name === "permission-prompt-tool" && given.text(name) !== "stdio");
  const refused = () => given.names.filter(isRefused).map((name) => `--${name}`);
  return { refused, ownAnswers };
}
