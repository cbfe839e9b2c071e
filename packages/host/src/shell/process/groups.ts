// Starts processes so that they and their children are found wherever they move, and ends what one or all of them started.
// The `&` children of a command outlive it, so a group may have members after its leader is gone.

import { lockLimitOf, type WithLockLimit } from "../../programs/lock-limit.ts";
import { processFamily, isAnyRunning, type Family, type FamilyOptions } from "./family.ts";
import { markOf } from "./marked.ts";

const TERM_GRACE_MS = 2_000;
const CLOSE_GRACE_MS = 500;
const KILL_ROUNDS = 8;

export interface Groups {
  /** `spawn` starts a process as the leader of a new group, with this mark in its environment. */
  start<Child extends { readonly pid: number }>(spawn: (mark: string) => Child, options?: StartOptions): Child;
  /** The leader has exited. */
  leaderEnded(pgid: number): void;
  /**
   * Sends TERM to everything that this process started, whatever group or session it moved to, then KILL after two seconds.
   * Resolves when nothing is left.
   */
  end(pgid: number): Promise<void>;
  /** The same for all processes. */
  endAll(): Promise<void>;
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

export function createGroups(
  token: string,
  watcher: GroupWatcher,
  lockLimit: () => WithLockLimit | null = () => null,
): Groups {
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
    // If a process has the pid of a leader that exited, the group became empty and the pid was reused.
    for (const pgid of orphaned) if (!isAlive(-pgid) || isAlive(pgid)) drop(pgid);
  };
  const isOurs = (pgid: number) => leaders.has(pgid) || orphaned.has(pgid);

  return {
    start(spawn, { isWrapper } = { isWrapper: false }) {
      const place = ++started;
      const marked = () => spawn(markOf(token, place));
      const withLimit = lockLimit();
      const child = withLimit ? withLimit(lockLimitOf(token, place), marked) : marked();
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
      const family = () => {
        prune();
        // The pid may be that of a later process of ours.
        return { token, place, groups: isOurs(pgid) && places.get(pgid) === place ? [pgid] : [] };
      };
      await endFamily(family, wrappers, TERM_GRACE_MS);
    },
    async endAll() {
      if (started === 0) return;
      const family = () => {
        prune();
        return { token, groups: [...leaders, ...orphaned] };
      };
      await endFamily(family, wrappers, CLOSE_GRACE_MS);
    },
    isAlive(pgid) {
      prune();
      return isOurs(pgid);
    },
  };
}

async function endFamily(options: () => FamilyOptions, wrappers: ReadonlySet<number>, graceMs: number): Promise<void> {
  let family: Family = new Map();
  const look = () => (family = processFamily(options(), family));
  const ask = () => {
    const targets = targetsIn(look(), wrappers);
    send(targets, "SIGTERM");
    // One that was stopped gets the signal only when it continues.
    send(targets, "SIGCONT");
    return targets.length > 0;
  };
  const deadline = performance.now() + graceMs;
  while (ask()) {
    for (let pause = 1; isAnyRunning(family) && performance.now() < deadline; pause = Math.min(pause * 2, 50)) {
      await Bun.sleep(pause);
    }
    if (performance.now() >= deadline) break;
  }
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const targets = targetsIn(look(), round === 0 ? wrappers : NONE);
    if (targets.length === 0) return;
    send(targets, "SIGKILL");
    await Bun.sleep(2 << round);
  }
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Whole groups, because what is being forked gets the signal too. A wrapper whose command still runs is left out: it exits
 * by itself.
 */
function targetsIn(family: Family, wrappers: ReadonlySet<number>): readonly number[] {
  const groups = Map.groupBy(family.values(), ({ group }) => group);
  return [...groups].flatMap(([group, members]) => {
    const isWaiting = wrappers.has(group) && family.values().some(({ parent }) => parent === group);
    return isWaiting ? members.filter(({ pid }) => pid !== group).map(({ pid }) => pid) : [-group];
  });
}

function send(targets: readonly number[], signal: NodeJS.Signals): void {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch {
      // already gone
    }
  }
}

function isAlive(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
