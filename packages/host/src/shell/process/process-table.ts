// The processes of this machine with their parents and groups: on Linux from /proc, elsewhere from ps. Zombies and the kernel's
// own threads are left out.

import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it began, as the system writes it: another process with the same pid began at another time. */
  readonly began: string;
}

export function runningProcesses(): Process[] {
  if (process.platform !== "linux") return fromPs();
  return readdirSync("/proc").flatMap((pid) => (Number(pid) > 0 ? (runningProcess(pid) ?? []) : []));
}

/** Null if it has ended. Linux only. */
export function runningProcess(pid: number | string): Process | null {
  const fields = statOf(pid);
  if (fields === null || isOver(fields) || isOfKernel(fields)) return null;
  return { pid: Number(pid), parent: Number(fields[1]), group: Number(fields[2]), began: fields[19] ?? "" };
}

/** The session it is in, and whether it is a zombie. Null if there is no such process. Linux only. */
export function unixSessionOf(pid: number | string): { readonly session: number; readonly isOver: boolean } | null {
  const fields = statOf(pid);
  return fields && { session: Number(fields[3]), isOver: isOver(fields) };
}

/** Whether a process of the group was stopped by a signal and has not continued. */
export function isStopped(group: number): boolean {
  if (process.platform === "linux")
    return readdirSync("/proc").some((pid) => Number(pid) > 0 && stoppedIn(pid) === group);
  const { stdout } = Bun.spawnSync(["/bin/ps", "-axo", "pgid=,stat="], { env: {}, stdin: "ignore", stderr: "ignore" });
  return new RegExp(`^\\s*${group}\\s+T`, "m").test(stdout.toString());
}

function stoppedIn(pid: string): number | null {
  const fields = statOf(pid);
  return fields?.[0] === "T" ? Number(fields[2]) : null;
}

/** state, parent, group, session, …: what follows "pid (name) " in its stat. The name may contain anything. */
function statOf(pid: number | string): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

const isEnded = ([state]: readonly string[]) => state === "Z" || state === "X";

/** Not while one of its threads goes on: the first one may end before them, and looks like a zombie then. */
const isOver = (fields: readonly string[]) => isEnded(fields) && !(Number(fields[17]) > 1);

/**
 * Where the kernel shows what a process has (`PID`, or `PID/task/TID`): if its first thread has ended, at one that goes on. Linux
 * only.
 */
export function liveThreadOf(pid: number | string): string {
  const fields = statOf(pid);
  if (fields === null || !isEnded(fields) || isOver(fields)) return String(pid);
  const threads = threadsOf(pid).map((thread) => `${pid}/task/${thread}`);
  return threads.find((thread) => !isEnded(statOf(thread) ?? ["X"])) ?? String(pid);
}

function threadsOf(pid: number | string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Half of all processes on many machines, and none that a program could have started. */
const isOfKernel = (fields: readonly string[]) => (Number(fields[6]) & PF_KTHREAD) !== 0;
const PF_KTHREAD = 0x0020_0000;

function fromPs(): Process[] {
  const { stdout } = Bun.spawnSync(["/bin/ps", "-axo", PS_COLUMNS], { env: {}, stdin: "ignore", stderr: "ignore" });
  return readPs(stdout.toString());
}

export const PS_COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=";

/** Parses what ps prints for `PS_COLUMNS`. */
export function readPs(text: string): Process[] {
  return Array.from(text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(\S.*?)\s*$/gm), ([, ...columns]) => {
    const [pid, parent, group] = columns.map(Number);
    return { pid: pid!, parent: parent!, group: group!, began: columns[4]! };
  });
}
