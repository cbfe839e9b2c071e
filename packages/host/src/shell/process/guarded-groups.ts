// Process groups that end with us: we end them ourselves, or the reaper does if we are killed.

import { createGroups, type Groups } from "./groups.ts";
import { startReaper, type Reaper } from "./reaper.ts";

export interface GuardedGroups {
  readonly groups: Groups;
  /** Starts the reaper. Call it before starting the first process. */
  guard(): Reaper;
  /** The reaper, if it was started. */
  reaper(): Reaper | undefined;
}

export function createGuardedGroups(token: string): GuardedGroups {
  let reaper: Reaper | undefined;
  const groups = createGroups(token, {
    added: (pgid) => reaper?.added(pgid),
    removed: (pgid) => reaper?.removed(pgid),
  });
  return { groups, guard: () => (reaper ??= startReaper(token)), reaper: () => reaper };
}
