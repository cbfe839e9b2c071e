// Process groups that end with us: we end them ourselves, or the reaper does if we are killed.

import { loadLockLimit } from "../../programs/lock-limit.ts";
import { protectOwnMemory } from "../../programs/protect-memory.ts";
import { createGroups, NO_KERNEL, type Groups } from "./groups.ts";
import { adoptOrphans } from "./orphans.ts";
import { startReaper, type Reaper } from "./reaper.ts";

export interface GuardedGroups {
  readonly groups: Groups;
  /** Starts the reaper. Call it before starting the first process. */
  guard(): Reaper;
  /** Protects our memory from the processes, and prepares to mark and find them. Await it before starting the first one. */
  prepare(): Promise<void>;
  /** The reaper, if it was started. */
  reaper(): Reaper | undefined;
  /** Ends all processes, even those that ignore TERM or started their own session. */
  endAll(): Promise<void>;
  /** Ends the reaper when there is nothing left to end. */
  dismiss(): Promise<void>;
}

export function createGuardedGroups(token: string): GuardedGroups {
  let reaper: Reaper | undefined;
  let kernel = NO_KERNEL;
  let prepared: Promise<void> | undefined;
  const groups = createGroups(
    token,
    {
      added: (pgid) => reaper?.added(pgid),
      removed: (pgid) => reaper?.removed(pgid),
    },
    () => kernel,
  );
  const prepare = async () => {
    const [withLockLimit, orphans] = await Promise.all([loadLockLimit(), adoptOrphans(), protectOwnMemory()]);
    kernel = { withLockLimit, orphans };
  };
  return {
    groups,
    guard: () => (reaper ??= startReaper(token)),
    prepare: () => (prepared ??= prepare()),
    reaper: () => reaper,
    async endAll() {
      await groups.endAll();
      await groups.endHiding(reaper?.pid);
    },
    async dismiss() {
      await reaper?.dismiss();
      await groups.endHiding();
    },
  };
}
