// Entry point for scheduled jobs: whether one of the folder's file may fire, and that Keelson made one.

import type { Snapshot } from "../load/snapshot.ts";
import { recordOwnWrite } from "./present.ts";

export { heldJobs } from "./belief.ts";

/** The user let a session make the job. */
export function recordJob(job: object, file: string, folder: string, snapshot: Snapshot): void {
  recordOwnWrite({ file, before: {}, after: { tasks: [job] } }, { ...snapshot, cwd: folder });
}
