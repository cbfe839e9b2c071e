// Whether a session can be resumed: something was said, and it is in the transcript.

import { existsSync } from "node:fs";
import type { Snapshot } from "@keelson/config";
import { projectDir, transcriptPath } from "@keelson/store";
import type * as Past from "@keelson/store/past";
import type { FailedSession } from "./failure.ts";

/** Blocking: it is asked when the program ends. Never throws. */
export function isResumable(current: FailedSession | undefined, { configDir, cwd, env }: Snapshot): boolean {
  if (current === undefined) return false;
  try {
    const folder = projectDir({ configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] });
    const path = transcriptPath(folder, current.session.id);
    if (!existsSync(path)) return false;
    // Reading transcripts is not part of a start.
    const { readEntries } = require("@keelson/store/past") as typeof Past;
    for (const { type } of readEntries(path)) if (type === "user") return true;
    return false;
  } catch {
    return false;
  }
}
