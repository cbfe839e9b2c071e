// Tracks the process groups we started, and ends one or all of them.
// The `&` children of a command outlive it, so a group may have members after its leader is gone.

import { readdirSync } from "node:fs";
import { lockLimitOf, type WithLockLimit } from "../../programs/lock-limit.ts";
import { livingGroupOf } from "./living.ts";
import { markedProcesses } from "./marked.ts";

const TERM_GRACE_MS = 2_000;
const CLOSE_GRACE_MS = 500;
const KILL_ROUNDS = 5;

export interface Groups {
  /** Calls `spawn` so that the process it starts, and all its children, are found wherever they move. */
  start<T>(spawn: () => T, place?: number): T;
  /** `isWrapper`: the leader only waits for the command and reports its exit, so it is ended last. */
  add(pgid: number, options?: { readonly isWrapper: boolean }): void;
  /** The leader has exited. */
  leaderEnded(pgid: number): void;
  /** Sends TERM, then KILL after two seconds. Resolves when the group is empty. */
  end(pgid: number): Promise<void>;
  /** Ends all groups, and marked processes in other sessions. */
  endAll(): Promise<void>;
  /** Whether a group of ours still has members, including zombies. */
  isAlive(pgid: number): boolean;
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

  const drop = (pgid: number) => {
    wrappers.delete(pgid);
    if (leaders.delete(pgid) || orphaned.delete(pgid)) watcher.removed(pgid);
  };
  const prune = () => {
    // If a process has the pid of a leader that exited, the group became empty and the pid was reused.
    for (const pgid of orphaned) if (!isAlive(-pgid) || isAlive(pgid)) drop(pgid);
  };
  const all = () => {
    prune();
    return [...leaders, ...orphaned].map((pgid) => -pgid);
  };

  return {
    start(spawn, place = 0) {
      const withLimit = lockLimit();
      return withLimit ? withLimit(lockLimitOf(token, place), spawn) : spawn();
    },
    add(pgid, { isWrapper } = { isWrapper: false }) {
      prune();
      leaders.add(pgid);
      if (isWrapper) wrappers.add(pgid);
      watcher.added(pgid);
    },
    leaderEnded(pgid) {
      wrappers.delete(pgid);
      if (!leaders.delete(pgid)) return;
      if (isAlive(-pgid)) orphaned.add(pgid);
      else watcher.removed(pgid);
    },
    async end(pgid) {
      const targets = () => {
        prune();
        return leaders.has(pgid) || orphaned.has(pgid) ? nonEmptyGroups([-pgid]) : [];
      };
      await endTargets(targets, wrappers, TERM_GRACE_MS);
    },
    async endAll() {
      await endTargets(() => [...nonEmptyGroups(all()), ...markedProcesses(token)], wrappers, CLOSE_GRACE_MS);
    },
    isAlive(pgid) {
      prune();
      return leaders.has(pgid) || orphaned.has(pgid);
    },
  };
}

async function endTargets(
  targets: () => readonly number[],
  wrappers: ReadonlySet<number>,
  graceMs: number,
): Promise<void> {
  send(withoutWaitingWrappers(wrappers, targets()), "SIGTERM");
  const deadline = performance.now() + graceMs;
  for (let pause = 1; performance.now() < deadline; pause = Math.min(pause * 2, 50)) {
    if (targets().length === 0) return;
    await Bun.sleep(pause);
  }
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const left = targets();
    if (left.length === 0) return;
    send(round === 0 ? withoutWaitingWrappers(wrappers, left) : left, "SIGKILL");
    await Bun.sleep(2 << round);
  }
}

/** Replaces wrappers that still have children with those children: the wrapper then exits by itself. */
function withoutWaitingWrappers(wrappers: ReadonlySet<number>, targets: readonly number[]): readonly number[] {
  if (!targets.some((target) => wrappers.has(Math.abs(target)))) return targets;
  const groups = Map.groupBy(readdirSync("/proc").map(Number), (pid) => (pid > 0 ? livingGroupOf(String(pid)) : null));
  const kept = (wrapper: number) => groups.get(wrapper)?.filter((pid) => pid !== wrapper) ?? [];
  return targets.flatMap((target) => {
    const wrapper = Math.abs(target);
    if (!wrappers.has(wrapper)) return [target];
    const members = kept(wrapper);
    if (members.length === 0) return [target];
    return target < 0 ? members : [];
  });
}

/** Groups with a member that is not a zombie. If nothing reaps orphans, a group of zombies still accepts signals. */
function nonEmptyGroups(groups: readonly number[]): number[] {
  const answering = groups.filter(isAlive);
  if (answering.length === 0 || process.platform !== "linux") return answering;
  const populated = new Set(readdirSync("/proc").map((pid) => (Number(pid) > 0 ? livingGroupOf(pid) : null)));
  return answering.filter((group) => populated.has(-group));
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
