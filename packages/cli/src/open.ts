// How the command line asks for a session. The runtime answers; this package never loads it outside `start.ts`.

import type { OpenOptions } from "@keelson/runtime";
import type { Session } from "@keelson/protocol";

export type { Debug, DebugCategory, OpenOptions, SessionChoice } from "@keelson/runtime";

/** Rejects with an error named `OpenError` when the session asked for cannot be had. */
export type OpenSession = (options: OpenOptions) => Promise<Session & { readonly announce?: string }>;

export function isOpenError(error: unknown): error is Error {
  return error instanceof Error && error.name === "OpenError";
}
