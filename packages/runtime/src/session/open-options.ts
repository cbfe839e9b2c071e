// What a session is opened with, as `directory/wanted.ts` makes it from what a front end wants; and what the front end gets.

import type { SandboxOptions } from "@keelson/host";
import type { Snapshot } from "@keelson/config";
import type { ClientAnswers, Session } from "@keelson/protocol";
import type { SessionsHere } from "../directory/sessions-here.ts";
import type { Debug } from "../observe/debug.ts";
import type { TeammateIdentity } from "../team/team-world.ts";
import type { SessionChoice } from "./place.ts";

/** Programs embedded in the executable; written to disk on first use. */
export interface ShippedPrograms {
  readonly ripgrep?: string;
  /** The sandbox helper on Linux. */
  readonly seccomp?: string;
}

export interface JoinOptions {
  /** What was asked for that cannot change a session which is open elsewhere, such as `--model`. With any, it is not joined. */
  refused(): readonly string[];
  /** The client gets the messages of its own prompts only. */
  readonly ownAnswers: boolean;
}

export interface OpenOptions {
  readonly snapshot: Snapshot;
  /** How the program was started: `sdk-cli`, `sdk-ts` … */
  readonly entrypoint: string;
  readonly session: SessionChoice;
  /** What kind of program it is in, for a person who tries to open the session a second time: "a terminal". */
  readonly frontEnd?: string;
  /** While it is open, other programs of the user may become clients of the session. */
  readonly listens?: boolean;
  /** Deltas that arrive within so many milliseconds are sent as one. Absent: each is sent as it came. */
  readonly gatherMs?: number;
  /**
   * A person works in the session: prompts that come during a run join it, clients hear when it works and rests, and file
   * checkpoints are on unless the settings turn them off.
   */
  readonly interactive?: boolean;
  /** Work in a worktree of this name, or of a new one. */
  readonly worktree?: { readonly name?: string };
  /** Which Setup hooks run first, if any. */
  readonly setup?: "init" | "maintenance";
  /** Which questions the first client answers. Others that answer them are asked, too, as long as they are attached. */
  readonly answers: ClientAnswers;
  /** A question that no client may answer now is denied, the default, or stays open for those that attach later. */
  readonly onNoAnswerer?: "deny" | "wait";
  /** A slash command that does not exist is an error, not text for the model. */
  readonly rejectsUnknownCommands?: boolean;
  readonly programs?: ShippedPrograms;
  /** The full sandbox, if other sessions of this process use it as well. */
  readonly sharedSandbox?: SandboxOptions["load"];
  /** The command that starts this program again. Absent: the session starts no teammates. */
  readonly program?: readonly string[];
  /** The session is a member of a team. */
  readonly teammate?: TeammateIdentity;
  /** The other sessions of this process. Absent: none can be opened or found. */
  readonly directory?: SessionsHere;
  /** Absent if debug logging is off. */
  readonly debug?: Debug;
  /** Prints a warning for people; not part of the stream. */
  warn(text: string): void;
}

/** `announce` is for people; `initialPrompt` is what a session without a prompt begins with. */
export type OpenedSession = Session & { readonly announce?: string; readonly initialPrompt?: string };
