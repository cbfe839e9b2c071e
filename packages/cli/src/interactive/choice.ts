// What the command line asks of a session at a terminal.

import type { Arguments } from "../args/args.ts";
import { debugOf, sessionOf, setupOf, toFlags, UsageError, worktreeOf, type Invocation } from "../args/invocation.ts";
import type { JoinOptions, SessionChoice } from "../open.ts";

export interface TerminalInvocation extends Pick<Invocation, "flags" | "worktree" | "setup" | "debug"> {
  readonly session: SessionChoice;
  /** `--resume` without an ID: the user picks one, among those that match the words. */
  readonly pick?: { readonly words: string };
  readonly prompt?: string;
  readonly screenReader: boolean;
  readonly join?: JoinOptions;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Throws UsageError. */
export function toTerminalInvocation(given: Arguments, cwd: string): TerminalInvocation {
  const { setup } = setupOf(given);
  const { session, join } = sessionOf(given, { canPick: true, ownAnswers: false });
  const target = session.target?.trim() ?? "";
  const picks = session.kind === "resume" && !UUID.test(target);
  if (picks && session.at !== undefined) throw new UsageError("--resume-session-at requires the ID of a session");
  return {
    flags: { ...toFlags(given, cwd), approvedServersOnly: true },
    session,
    ...(picks ? { pick: { words: target } } : {}),
    ...(given.prompt?.trim() ? { prompt: given.prompt } : {}),
    ...worktreeOf(given),
    ...(setup === undefined ? {} : { setup }),
    ...debugOf(given),
    ...(join ? { join } : {}),
    screenReader: given.has("ax-screen-reader"),
  };
}

/** The command that opens the session again. */
export const resumeCommand = (id: string) => `keelson --resume ${id}`;
