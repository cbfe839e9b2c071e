// What follows for a session from what a front end wants. Nothing else makes `OpenOptions`.

import type { ClientAnswers } from "@keelson/protocol";
import type { OpenOptions } from "../session/open-options.ts";
import type { SessionsHere } from "./sessions-here.ts";
import type { FrontEndKind, ProgramParts, WantedSession } from "./wanted-session.ts";

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
  editor: {
    name: "an editor",
    listens: true,
    interactive: true,
    // What arrives together is one update; nothing waits for more.
    gatherMs: 0,
    rejectsUnknownCommands: true,
    answers: ALL,
  },
  page: { name: "keelson web", listens: true, interactive: true, rejectsUnknownCommands: true, answers: ALL },
  teammate: { name: "a team", answers: ALL },
  tools: { name: "keelson mcp serve", answers: NONE },
};

/** `directory` has the other sessions of this process. */
export function openOptions(
  { front, answers, onNoAnswerer = "deny", ...wanted }: WantedSession,
  program: ProgramParts,
  directory?: SessionsHere,
): OpenOptions {
  const { name, answers: usual, ...facts } = FRONT_ENDS[front];
  return {
    ...facts,
    ...wanted,
    ...program,
    ...(directory ? { directory } : {}),
    frontEnd: /^sdk-(?!cli)/.test(wanted.entrypoint) ? "an SDK application" : name,
    onNoAnswerer,
    // Someone will come who answers.
    answers: answers ?? (onNoAnswerer === "wait" ? ALL : usual),
  };
}
