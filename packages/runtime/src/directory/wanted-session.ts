// What a front end wants of a session, in its own words.

import type { SandboxOptions } from "@keelson/host";
import type { Snapshot } from "@keelson/config";
import type { ClientAnswers } from "@keelson/protocol";
import type { Debug } from "../observe/debug.ts";
import type { JoinOptions, ShippedPrograms } from "../session/open-options.ts";
import type { SessionChoice } from "../session/place.ts";
import type { TeammateIdentity } from "../team/team-world.ts";

export interface WantedSession {
  /** What is at the other end. */
  readonly front: FrontEndKind;
  readonly snapshot: Snapshot;
  readonly session: SessionChoice;
  /** How the program was started: `sdk-cli`, `sdk-ts` … */
  readonly entrypoint: string;
  /** What its clients will answer, if it is not what such front ends always do. */
  readonly answers?: ClientAnswers;
  /**
   * What becomes of a question when no client is attached that may answer it. `deny`, the default: it is denied. `wait`: it
   * stays open, and whoever attaches later finds it.
   */
  readonly onNoAnswerer?: "deny" | "wait";
  /** A session that is open already, here or in another program, is joined. Absent: it is an error. */
  readonly join?: JoinOptions | undefined;
  /** Work in a worktree of this name, or of a new one. */
  readonly worktree?: { readonly name?: string };
  /** It ends when it has been without a client and without work for so long. Absent: never. */
  readonly closeIdleAfterMs?: number;
  /** Which Setup hooks run first, if any. */
  readonly setup?: "init" | "maintenance";
  /** The session is a member of a team. */
  readonly teammate?: TeammateIdentity;
  /** Absent if debug logging is off. */
  readonly debug?: Debug;
  /** Prints a warning for people; not part of the stream. */
  warn(text: string): void;
}

/** What the program has for all its sessions. */
export interface ProgramParts {
  readonly programs?: ShippedPrograms;
  /** The one full sandbox of the process: the last session that uses it stops it. */
  readonly sharedSandbox?: SandboxOptions["load"];
  /** The command that starts this program again. Absent: sessions start no teammates. */
  readonly program?: readonly string[];
}

/**
 * `terminal`: a person at a screen. `editor`: one in an editor. `page`: one in a browser. `stream`: a program that sends
 * messages. `prompt`: one prompt, and no one to ask. `teammate`: the lead of a team. `tools`: an MCP client, which gets tools
 * and no session.
 */
export type FrontEndKind = "terminal" | "editor" | "page" | "stream" | "prompt" | "teammate" | "tools";
