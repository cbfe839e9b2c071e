// What is printed if a session cannot be opened.

import { toLine } from "@keelson/protocol";
import type { Invocation } from "./args/invocation.ts";
import { printError, type ProcessIO } from "./process/process-io.ts";

/**
 * Clients of the stream wait for a result, so they get one. A message about a session has no `error:` in front: it is
 * the wording of the reference, and wrappers look for it on standard error.
 */
export async function notOpened(
  { message, kind }: { readonly message: string; readonly kind?: "session" | "setup" },
  { output, session }: Invocation,
  io: ProcessIO,
): Promise<number> {
  if (output === "stream-json") {
    const { failureResult } = await import("@keelson/stdio");
    const line = toLine(failureResult(session.target ?? session.sessionId ?? crypto.randomUUID(), message));
    try {
      await io.write(line);
    } catch (error) {
      // The reader is gone.
      if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
    }
  }
  if (kind === "setup") return printError(io, message);
  io.error(message);
  return 1;
}
