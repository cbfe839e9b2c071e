// How the command line asks for a session. The runtime answers; this package never imports it outside `bin.ts`.

import type { Snapshot } from "@keelson/config";
import type { Session } from "@keelson/protocol";

export interface SessionChoice {
  readonly kind: "new" | "continue" | "resume";
  /** What follows `--resume`: an ID, a name or a word. */
  readonly target?: string;
  /** The ID a new or forked session shall have. */
  readonly sessionId?: string;
  /** The message to go on after. */
  readonly at?: string;
  readonly name?: string;
  readonly fork: boolean;
  /** Whether a transcript is kept. */
  readonly persist: boolean;
}

export interface OpenOptions {
  readonly snapshot: Snapshot;
  readonly entrypoint: string;
  readonly session: SessionChoice;
  readonly partial: boolean;
  readonly replayPrompts: boolean;
  readonly stdioPermissions: boolean;
  /** Aborted when a signal asks us to end before the session is open. */
  readonly signal: AbortSignal;
  warn(text: string): void;
}

/** Rejects with an error named `OpenError` when the session asked for cannot be had. */
export type OpenSession = (options: OpenOptions) => Promise<Session & { readonly announce?: string }>;

export function isOpenError(error: unknown): error is Error {
  return error instanceof Error && error.name === "OpenError";
}
