// What a front end wants of a session, in its own words, and what follows from that for the session. Nothing else makes
// `OpenOptions`.

import type { Snapshot } from "@keelson/config";
import type { ClientAnswers } from "@keelson/protocol";
import type { Debug } from "../observe/debug.ts";
import type { JoinOptions, OpenOptions, ShippedPrograms } from "../session/open-options.ts";
import type { SessionChoice } from "../session/place.ts";
import type { TeammateIdentity } from "../team/team-world.ts";
import type { SessionsHere } from "./directory.ts";

export interface WantedSession {
  /** What is at the other end. */
  readonly front: FrontEndKind;
  readonly snapshot: Snapshot;
  readonly session: SessionChoice;
  /** How the program was started: `sdk-cli`, `sdk-ts` … */
  readonly entrypoint: string;
  /** What its clients will answer, if it is not what such front ends always do. */
  readonly answers?: ClientAnswers;
  /** A session that is open already, here or in another program, is joined. Absent: it is an error. */
  readonly join?: JoinOptions | undefined;
  /** Work in a worktree of this name, or of a new one. */
  readonly worktree?: { readonly name?: string };
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
  /** The command that starts this program again. Absent: sessions start no teammates. */
  readonly program?: readonly string[];
}

/**
 * `terminal`: a person at a screen. `stream`: a program that sends messages. `prompt`: one prompt, and no one to ask. `teammate`: the
 * lead of a team. `tools`: an MCP client, which gets tools and no session.
 */
export type FrontEndKind = "terminal" | "stream" | "prompt" | "teammate" | "tools";

type FrontEndFacts = Pick<OpenOptions, "listens" | "interactive" | "gatherMs" | "rejectsUnknownCommands"> & {
  /** For a person who tries to open its session a second time. */
  readonly name: string;
  readonly answers: ClientAnswers;
};

/** A little longer than a frame of the screen takes, so that each read is drawn at once and none is for nothing. */
const GATHER_MS = 50;

const NONE: ClientAnswers = { permissions: false, requests: false };
const ALL: ClientAnswers = { permissions: true, requests: true };

const FRONT_ENDS: Readonly<Record<FrontEndKind, FrontEndFacts>> = {
  terminal: {
    name: "a terminal",
    listens: true,
    interactive: true,
    gatherMs: GATHER_MS,
    rejectsUnknownCommands: true,
    answers: ALL,
  },
  stream: { name: "keelson -p with input", listens: true, answers: { permissions: false, requests: true } },
  prompt: { name: "keelson -p", rejectsUnknownCommands: true, answers: NONE },
  teammate: { name: "a team", answers: ALL },
  tools: { name: "keelson mcp serve", answers: NONE },
};

/** `directory` has the other sessions of this process. */
export function openOptions(
  { front, answers, ...wanted }: WantedSession,
  program: ProgramParts,
  directory?: SessionsHere,
): OpenOptions {
  const { name, answers: usual, ...facts } = FRONT_ENDS[front];
  const { permissions, requests } = answers ?? usual;
  return {
    ...facts,
    ...wanted,
    ...program,
    ...(directory ? { directory } : {}),
    frontEnd: /^sdk-(?!cli)/.test(wanted.entrypoint) ? "an SDK application" : name,
    stdioPermissions: permissions,
    answersRequests: requests,
  };
}
