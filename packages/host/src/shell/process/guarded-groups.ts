// Process groups that end with us: we end them ourselves, or the reaper does if we are killed.

import { loadLockLimit, type WithLockLimit } from "../../programs/lock-limit.ts";
import { protectOwnMemory } from "../../programs/protect-memory.ts";
import { createGroups, type Groups } from "./groups.ts";
import { startReaper, type Reaper } from "./reaper.ts";

export interface GuardedGroups {
  readonly groups: Groups;
  /** Starts the reaper. Call it before starting the first process. */
  guard(): Reaper;
  /** Protects our memory from the processes, and prepares to mark them. Await it before starting the first one. */
  prepare(): Promise<void>;
  /** The reaper, if it was started. */
  reaper(): Reaper | undefined;
}

export function createGuardedGroups(token: string): GuardedGroups {
  let reaper: Reaper | undefined;
  let lockLimit: WithLockLimit | null = null;
  let prepared: Promise<void> | undefined;
  const groups = createGroups(
    token,
    {
      added: (pgid) => reaper?.added(pgid),
      removed: (pgid) => reaper?.removed(pgid),
    },
    () => lockLimit,
  );
  const prepare = async () => {
    [lockLimit] = await Promise.all([loadLockLimit(), protectOwnMemory()]);
  };
  return {
    groups,
    guard: () => (reaper ??= startReaper(token)),
    prepare: () => (prepared ??= prepare()),
    reaper: () => reaper,
  };
}
