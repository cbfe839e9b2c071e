// The session that is meant, and what may be given for one that another program has open: its settings, rules and model are
// those of that program.

import type { JoinOptions, SessionChoice } from "../open.ts";
import type { Arguments } from "./args.ts";
import { UsageError, type Invocation } from "./invocation.ts";

export interface SessionFlags {
  /** At a terminal, `--resume` alone opens the list of sessions. */
  readonly canPick?: boolean;
  /** What is printed are the answers to the prompts of this program, and not the whole session. */
  readonly ownAnswers: boolean;
}

/** Throws UsageError. */
export function chosenSession(given: Arguments, how: SessionFlags): Pick<Invocation, "session" | "join"> {
  const session = choiceIn(given, how.canPick === true);
  return { session, join: joinOf(given, session, how.ownAnswers) };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function choiceIn(given: Arguments, canPick: boolean): SessionChoice {
  const sessionId = given.text("session-id");
  const target = given.text("resume");
  const at = given.text("resume-session-at");
  const name = given.text("name");
  const fork = given.has("fork-session");
  const resumes = given.has("resume");
  const continues = given.has("continue");

  if (sessionId !== undefined && !UUID.test(sessionId)) {
    throw new UsageError(`invalid session ID "${sessionId}"; it must be a UUID`);
  }
  if (resumes && continues) throw new UsageError("--continue and --resume cannot be used together");
  if (sessionId !== undefined && (resumes || continues) && !fork) {
    throw new UsageError("--session-id with --continue or --resume requires --fork-session");
  }
  if (resumes && !canPick && (target === undefined || target === "")) {
    throw new UsageError("--resume requires a session ID or name: keelson -p --resume <session>");
  }
  if (at !== undefined && !resumes) throw new UsageError("--resume-session-at requires --resume");
  const drops = given.text("resume-drops-turn");
  if (drops !== undefined && at === undefined) {
    throw new UsageError("--resume-drops-turn requires --resume-session-at");
  }

  return {
    kind: resumes ? "resume" : continues ? "continue" : "new",
    ...(target === undefined ? {} : { target }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId.toLowerCase() }),
    ...(at === undefined ? {} : { at }),
    ...(drops === undefined ? {} : { drops }),
    ...(name === undefined ? {} : { name }),
    fork,
    persist: !given.has("no-session-persistence"),
  };
}

/** These choose the session, or say how this program reads and prints. */
const FOR_CLIENTS = new Set([
  "ax-screen-reader",
  "continue",
  "debug",
  "debug-file",
  "forward-subagent-text",
  "include-hook-events",
  "include-partial-messages",
  "include-running-calls",
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
function joinOf(given: Arguments, session: SessionChoice, ownAnswers: boolean): JoinOptions | undefined {
  if (session.kind === "new" || session.fork) return undefined;
  // An MCP tool that answers questions would have to be one of this program's servers.
  const isRefused = (name: string) =>
    !FOR_CLIENTS.has(name) || (name === "permission-prompt-tool" && given.text(name) !== "stdio");
  const refused = () => given.names.filter(isRefused).map((name) => `--${name}`);
  return { refused, ownAnswers };
}
