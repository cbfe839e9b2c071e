// What a command started, wherever it moved: the members of its group, what has its marks, what is behind the same shield,
// and the children of all these.

import { isReaper, markTest, shieldTest } from "./marked.ts";
import { runningProcess, runningProcesses, type Process } from "./process-table.ts";

export interface FamilyOptions {
  readonly token: string;
  /** Of one command. Without it, everything with the token. */
  readonly place?: number;
  readonly groups: readonly number[];
}

export type Family = ReadonlyMap<number, Process>;

/** `before`: what was found earlier. It belongs to the family even if its parents have ended since. */
export function processFamily({ token, place, groups }: FamilyOptions, before: Family = new Map()): Family {
  const all = notOlder(runningProcesses()).filter(({ pid }) => pid > 1 && pid !== process.pid);
  const isMarked = markTest(token, place);
  const isMember = ({ pid, group, began }: Process) =>
    groups.includes(group) || before.get(pid)?.began === began || isMarked(pid);
  const found = new Map(all.filter(isMember).map((each) => [each.pid, each]));
  const isBesides = shieldTest(token, [...found.keys()]);
  for (const each of all) if (!found.has(each.pid) && isBesides(each.pid)) found.set(each.pid, each);
  addChildren(found, all);
  return found;
}

/**
 * Those that did not run before this process began, since it did not start them. Whose marks it has takes three files for
 * each process, and a machine has hundreds.
 */
function notOlder(all: readonly Process[]): readonly Process[] {
  const own = process.platform === "linux" ? all.find(({ pid }) => pid === process.pid) : undefined;
  // In clock ticks since the system started.
  return own ? all.filter(({ began }) => Number(began) >= Number(own.began)) : all;
}

/** The reaper of a session that a command ran cleans up after that session, and then ends. */
function addChildren(found: Map<number, Process>, all: readonly Process[]): void {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const queue = [...found.keys()];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid) || isReaper(child.pid)) continue;
      found.set(child.pid, child);
      queue.push(child.pid);
    }
  }
}

/** Whether one of them still runs. */
export function isAnyRunning(family: Family): boolean {
  if (process.platform === "linux") {
    return family.values().some(({ pid, began }) => runningProcess(pid)?.began === began);
  }
  return family.keys().some(isRunning);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
