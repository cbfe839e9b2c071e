// What is said when the program failed: the session is kept, how to continue, and where the details are.

import type { Snapshot } from "@keelson/config";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { hideSecrets } from "@keelson/runtime/hide-secrets";
import type { Session } from "@keelson/protocol";
import { resumeCommand } from "./choice.ts";
import { newLogFile } from "./log-file.ts";
import { isResumable } from "./resumable.ts";
import type { SessionTally } from "./session-tally.ts";

export interface FailedSession {
  readonly session: Pick<Session, "id">;
  readonly tally: SessionTally;
}

/** Writes the details to a file; never throws. */
export function failureWords(error: unknown, current: FailedSession | undefined, snapshot: Snapshot): string {
  const hide = hideSecrets(snapshot.env);
  const message = hide(error instanceof Error ? error.message : String(error));
  const file = keepDetails(hide(error instanceof Error ? (error.stack ?? message) : message), snapshot);
  return [
    `error: Keelson failed: ${message}`,
    ...(current && isResumable(current, snapshot)
      ? [`The session is saved. To continue: ${resumeCommand(current.session.id)}`]
      : []),
    ...(file === undefined ? [] : [`Details: ${file}`]),
  ].join("\n");
}

function keepDetails(text: string, snapshot: Snapshot): string | undefined {
  try {
    const file = newLogFile(snapshot, "failure");
    replaceOwnFile(file, `${text}\n`);
    return file;
  } catch {
    return undefined;
  }
}
