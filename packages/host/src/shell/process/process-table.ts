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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // "pid (name) state ppid pgrp …"; the name may contain anything, so count from the last parenthesis.
    const [state, parent, group, ...more] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X" || isOfKernel(more[3])) return null;
    return { pid: Number(pid), parent: Number(parent), group: Number(group), began: more[16] ?? "" };
  } catch {
    return null;
  }
}

/** Whether a process of the group was stopped by a signal and has not continued. */
export function isStopped(group: number): boolean {
  if (process.platform === "linux")
    return readdirSync("/proc").some((pid) => Number(pid) > 0 && stoppedIn(pid) === group);
  const { stdout } = Bun.spawnSync(["/bin/ps", "-axo", "pgid=,stat="], { env: {}, stdin: "ignore", stderr: "ignore" });
  return new RegExp(`^\\s*${group}\\s+T`, "m").test(stdout.toString());
}

function stoppedIn(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "T" ? Number(group) : null;
  } catch {
    return null;
  }
}

/** Half of all processes on many machines, and none that a program could have started. */
const isOfKernel = (flags: string | undefined) => (Number(flags) & PF_KTHREAD) !== 0;
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
