// Whether the process that a file names is still the same one.

import { readFileSync } from "node:fs";

/** When the process started, in the system's own words. Undefined where that is not known. */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // "pid (name) state ppid …"; the name may contain anything, so count from the last parenthesis.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

export function isSameProcess(pid: number | undefined, start: string | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const now = processStart(pid);
  return start === undefined || now === undefined || now === start;
}
