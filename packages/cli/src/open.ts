// The type of the function that opens a session. The runtime implements it; only `start.ts` loads the runtime.

import type { OpenedSession, OpenOptions } from "@keelson/runtime";

export type { Debug, DebugCategory, JoinOptions, OpenOptions, SessionChoice } from "@keelson/runtime";

/** Rejects with an error named `OpenError` when the session cannot be opened. */
export type OpenSession = (options: OpenOptions) => Promise<OpenedSession>;

export function isOpenError(error: unknown): error is Error & { readonly kind?: "session" | "setup" } {
  return error instanceof Error && error.name === "OpenError";
}
