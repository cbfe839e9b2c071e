// Starts processes so that they and their children are found wherever they move, and ends what one or all of them started.
// The `&` children of a command outlive it, so a group may have members after its leader is gone.

import { lockLimitOf, type WithLockLimit } from "../../programs/lock-limit.ts";
import { hidingFamily, isAnyRunning, NO_FAMILY, processFamily, type Family } from "./family.ts";
import { markOf } from "./marked.ts";
import type { Orphans } from "./orphans.ts";
import { loadSendSignal, type Target } from "./send-signals.ts";

/** Also when the session ends meanwhile: then everything has to be gone within two seconds. */
const TERM_GRACE_MS = 1_500;
const CLOSE_GRACE_MS = 500;
const KILL_ROUNDS = 8;

export interface Groups {
  /** `spawn` starts a process as the leader of a new group, with this mark in its environment. */
  start<Child extends { readonly pid: number }>(spawn: (mark: string) => Child, options?: StartOptions): Child;
  /** The leader has exited. */
  leaderEnded(pgid: number): void;
  /**
   * Sends TERM to everything that this process started, whatever group or session it moved to, then KILL after 1.5 s.
   * Resolves when nothing is left.
   */
  end(pgid: number): Promise<void>;
  /** The same for all processes. */
  endAll(): Promise<void>;
  /**
   * The same for what hides from every session in this process, if all the others have ended: only this reaper, if any, is
   * still there.
   */
  endHiding(ownReaper?: number): Promise<void>;
  /** Whether a group of ours still has members, including zombies. */
  isAlive(pgid: number): boolean;
}

interface StartOptions {
  /** The leader only waits for the command and reports its exit, so it is ended last. */
  readonly isWrapper: boolean;
}

export interface GroupWatcher {
  added(pgid: number): void;
  removed(pgid: number): void;
}

/** What the kernel does for us; each is missing where it cannot. */
export interface Kernel {
  readonly withLockLimit: WithLockLimit | null;
  readonly orphans: Orphans | null;
}

export const NO_KERNEL: Kernel = { withLockLimit: null, orphans: null };

export function createGroups(token: string, watcher: GroupWatcher, kernel: () => Kernel = () => NO_KERNEL): Groups {
  const leaders = new Set<number>();
  const orphaned = new Set<number>();
  const wrappers = new Set<number>();
  /** Kept when a group has ended: what left it has the mark of its place. */
  const places = new Map<number, number>();
  let started = 0;

  const drop = (pgid: number) => {
    wrappers.delete(pgid);
    if (leaders.delete(pgid) || orphaned.delete(pgid)) watcher.removed(pgid);
  };
  const prune = () => {
    if (orphaned.size > 0) kernel().orphans?.reap();
    // If a process has the pid of a leader that exited, the group became empty and the pid was reused.
    for (const pgid of orphaned) if (!isAlive(-pgid) || isAlive(pgid)) drop(pgid);
  };
  const isAdopting = () => kernel().orphans !== null;
  const isOurs = (pgid: number) => leaders.has(pgid) || orphaned.has(pgid);

  return {
    start(spawn, { isWrapper } = { isWrapper: false }) {
      const place = ++started;
      const marked = () => spawn(markOf(token, place));
      const { withLockLimit } = kernel();
      const child = withLockLimit ? withLockLimit(lockLimitOf(token, place), marked) : marked();
      prune();
      leaders.add(child.pid);
      places.set(child.pid, place);
      if (isWrapper) wrappers.add(child.pid);
      watcher.added(child.pid);
      return child;
    },
    leaderEnded(pgid) {
      wrappers.delete(pgid);
      if (!leaders.delete(pgid)) return;
      if (isAlive(-pgid)) orphaned.add(pgid);
      else watcher.removed(pgid);
    },
    async end(pgid) {
      const place = places.get(pgid);
      if (place === undefined) return;
      const look = (before: Family) => {
        prune();
        // The pid may be that of a later process of ours.
        const own = isOurs(pgid) && places.get(pgid) === place ? [pgid] : [];
        return processFamily({ token, place, groups: own, isAdopting: isAdopting() }, before);
      };
      await endFamily(look, { wrappers, graceMs: TERM_GRACE_MS, ...kernel() });
    },
    async endAll() {
      if (started === 0) return;
      const look = (before: Family) => {
        prune();
        return processFamily({ token, groups: [...leaders, ...orphaned], isAdopting: isAdopting() }, before);
      };
      await endFamily(look, { wrappers, graceMs: CLOSE_GRACE_MS, ...kernel() });
    },
    async endHiding(ownReaper) {
      if (!isAdopting()) return;
      const look = (before: Family) => hidingFamily(ownReaper, before);
      await endFamily(look, { wrappers: NONE, graceMs: CLOSE_GRACE_MS, ...kernel() });
    },
    isAlive(pgid) {
      prune();
      return isOurs(pgid);
    },
  };
}

interface Ending extends Kernel {
  readonly wrappers: ReadonlySet<number>;
  readonly graceMs: number;
}

async function endFamily(look: (before: Family) => Family, { wrappers, graceMs, orphans }: Ending): Promise<void> {
  let family = look(NO_FAMILY);
  // What is being forked may have been missed.
  if (family.members.size === 0) family = look(family);
  if (family.members.size === 0) return;
  const send = await loadSendSignal();
  const deadline = performance.now() + graceMs;
  for (;;) {
    const asked = targetsIn(family, wrappers);
    if (asked.length === 0) break;
    send(asked, "SIGTERM");
    // One that was stopped gets the signal only when it continues.
    send(asked, "SIGCONT");
    for (let pause = 1; isAnyRunning(family) && performance.now() < deadline; pause = Math.min(pause * 2, 50)) {
      await Bun.sleep(pause);
    }
    if (performance.now() >= deadline) break;
    family = look(family);
  }
  for (let round = 0; round < KILL_ROUNDS; round++) {
    family = look(family);
    const killed = targetsIn(family, round === 0 ? wrappers : NONE);
    if (killed.length === 0) break;
    send(killed, "SIGKILL");
    await Bun.sleep(2 << round);
  }
  orphans?.reap();
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Whole groups, because what is being forked gets the signal too; but not if there is anyone else in them. A wrapper whose
 * command still runs is left out: it exits by itself.
 */
function targetsIn({ members, wholeGroups }: Family, wrappers: ReadonlySet<number>): readonly Target[] {
  const groups = Map.groupBy(members.values(), ({ group }) => group);
  return [...groups].flatMap(([group, processes]): readonly Target[] => {
    const isWaiting = wrappers.has(group) && members.values().some(({ parent }) => parent === group);
    if (!isWaiting && wholeGroups.has(group)) return [{ process: processes[0]!, wholeGroup: true }];
    const asked = isWaiting ? processes.filter(({ pid }) => pid !== group) : processes;
    return asked.map((each) => ({ process: each, wholeGroup: false }));
  });
}

function isAlive(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
