// Process groups that end with us, however we end: by our own hand, or by the reaper's when we are killed outright.

import { createGroups, type Groups } from "./groups.ts";
import { startReaper, type Reaper } from "./reaper.ts";

export interface GuardedGroups {
  readonly groups: Groups;
  /** Starts the reaper. Before the first process: whatever starts from then on is found by its mark. */
  guard(): Reaper;
  /** The reaper, if there was any need for one. */
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
