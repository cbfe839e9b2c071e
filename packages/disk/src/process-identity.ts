// Which process a file names, and whether it still runs. A process id alone is not enough: systems use them again.

import { readFileSync } from "node:fs";
import type * as ChildProcess from "node:child_process";
import { startInStat } from "./lease/lease.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in the system's words; empty if that is unknown. */
  readonly procStart: string;
}

/** Without a known start, a process with this id counts. `zone`: as its start was written. */
export function isRunning({ pid, procStart }: ProcessIdentity, zone?: "UTC"): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It runs, as another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (hasEnded(pid)) return false;
  if (procStart === "") return true;
  const start = processStart(pid, zone);
  return start === undefined || start === procStart || !isComparable(procStart, start);
}

/** Other programs may write the start in other words; then only the id says something. */
const isComparable = (one: string, other: string) => /^\d+$/.test(one) === /^\d+$/.test(other);

/** Undefined if it cannot be found out. Some systems say it as a time of day, in the given zone. */
export function processStart(pid: number, zone?: "UTC"): string | undefined {
  try {
    if (process.platform !== "linux") return startFromPs(pid, zone);
    return startInStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** A process that no one waited for keeps its id although it has ended. */
export function hasEnded(pid: number): boolean {
  try {
    return process.platform === "linux" && /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

function startFromPs(pid: number, zone: string | undefined): string | undefined {
  // 6 ms, and on Linux it is not needed.
  const { spawnSync } = require("node:child_process") as typeof ChildProcess;
  const { stdout } = spawnSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { LC_ALL: "C", ...(zone && { TZ: zone }) },
    encoding: "utf8",
  });
  return stdout?.trim() || undefined;
}
