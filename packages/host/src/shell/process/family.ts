// What a command started, wherever it moved: the members of its group, what has its marks, what is behind the same shield,
// and the children of all these. Never a process that we did not start: one that only looks like it is left alone.

import { isHiding, markTest, reaperIn, shieldTest } from "./marked.ts";
import { ownChildren } from "./orphans.ts";
import { runningProcess, runningProcesses, type Process } from "./process-table.ts";

export interface FamilyOptions {
  readonly token: string;
  /** Of one command. Without it, everything with the token. */
  readonly place?: number;
  readonly groups: readonly number[];
  /** Whether all that we started descends from us (`orphans.ts`). */
  readonly isAdopting: boolean;
}

export interface Family {
  readonly members: ReadonlyMap<number, Process>;
  /** The groups that have no other members. */
  readonly wholeGroups: ReadonlySet<number>;
}

export const NO_FAMILY: Family = { members: new Map(), wholeGroups: new Set() };

/** `before`: what was found earlier. It belongs to the family even if its parents have ended since. */
export function processFamily({ token, place, groups, isAdopting }: FamilyOptions, before: Family): Family {
  const isMarked = markTest(token, place);
  const isReaper = (pid: number) => reaperIn(pid) !== null && !isMarked(pid) && !isHiding(pid);
  // Usually nothing is left, and there is no need to look at hundreds of processes.
  if (isAdopting && ownChildren()?.every(isReaper)) return NO_FAMILY;
  const all = runningProcesses();
  const possible = isAdopting ? descendants(all) : notOlder(all);
  const hasGroup = isAdopting ? (group: number) => groups.includes(group) : groupTest(groups, all);
  const isMember = ({ pid, group, began }: Process) =>
    hasGroup(group) || before.members.get(pid)?.began === began || isMarked(pid);
  const found = possible.filter(isMember);
  const isBesides = shieldTest(
    token,
    found.map(({ pid }) => pid),
  );
  return familyOf([...found, ...possible.filter(({ pid }) => isBesides(pid))], all);
}

/**
 * What got rid of its marks. Of what descends from us, only what we mark has a limit on file locks, and we never start that in
 * our own session. No one can tell which session started it, so call this only when the last one in this process ends.
 */
export function hidingFamily(ownReaper: number | undefined, before: Family): Family {
  const children = (ownChildren() ?? []).filter((pid) => pid !== ownReaper);
  if (children.some((pid) => reaperIn(pid) && !isHiding(pid))) return NO_FAMILY;
  const hiding = new Set(children.filter(isHiding));
  if (hiding.size === 0 && before.members.size === 0) return NO_FAMILY;
  const all = runningProcesses();
  const found = all.filter(({ pid, parent, began }) => {
    return (hiding.has(pid) && parent === process.pid) || before.members.get(pid)?.began === began;
  });
  return familyOf(found, all);
}

function familyOf(found: readonly Process[], all: readonly Process[]): Family {
  const members = new Map(found.map((each) => [each.pid, each]));
  addChildren(members, all);
  const wholeGroups = new Set(members.values().map(({ group }) => group));
  for (const { pid, group } of all) if (!members.has(pid)) wholeGroups.delete(group);
  return { members, wholeGroups };
}

/** All processes that come from this one. */
function descendants(all: readonly Process[]): readonly Process[] {
  const pids = new Set(all.map(({ pid }) => pid));
  // The parent may have ended while we looked; then it has another one now.
  const now = all.flatMap((each) =>
    each.parent === 0 || pids.has(each.parent) ? [each] : (runningProcess(each.pid) ?? []),
  );
  const children = Map.groupBy(now, ({ parent }) => parent);
  const found: Process[] = [];
  const queue = [process.pid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const own = children.get(pid) ?? [];
    children.delete(pid);
    found.push(...own);
    queue.push(...own.map((child) => child.pid));
  }
  return found;
}

/** Those that did not run before this process began, since it did not start them. */
function notOlder(all: readonly Process[]): readonly Process[] {
  const others = all.filter(({ pid }) => pid > 1 && pid !== process.pid);
  const own = process.platform === "linux" ? all.find(({ pid }) => pid === process.pid) : undefined;
  // In clock ticks since the system started.
  return own ? others.filter(({ began }) => Number(began) >= Number(own.began)) : others;
}

/** Once its leader has ended, the number may belong to a group of another program. Our processes in it have a mark. */
function groupTest(groups: readonly number[], all: readonly Process[]): (group: number) => boolean {
  if (process.platform !== "linux") return (group) => groups.includes(group);
  const led = new Set(all.flatMap(({ pid, parent }) => (parent === process.pid && groups.includes(pid) ? [pid] : [])));
  return (group) => led.has(group);
}

/** The reaper of a session that a command ran cleans up after that session, and then ends. */
function addChildren(found: Map<number, Process>, all: readonly Process[]): void {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const queue = [...found.keys()];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid) || reaperIn(child.pid)) continue;
      found.set(child.pid, child);
      queue.push(child.pid);
    }
  }
}

/** Whether one of them still runs. */
export function isAnyRunning({ members }: Family): boolean {
  if (process.platform === "linux") {
    return members.values().some(({ pid, began }) => runningProcess(pid)?.began === began);
  }
  return members.keys().some(isRunning);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
