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
  "print",
  "replay-user-messages",
  "resume",
  "verbose",
]);

/** Undefined if the session cannot be open elsewhere. */
export function joinOf(given: Arguments, session: SessionChoice, ownAnswers: boolean): JoinOptions | undefined {
  if (session.kind === "new" || session.fork) return undefined;
  const refused = () => given.names.filter((name) => !FOR_CLIENTS.has(name)).map((name) => `--${name}`);
  return { refused, ownAnswers };
}
