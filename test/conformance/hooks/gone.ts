// Whether a process a hook started is still there.

import { readFileSync } from "node:fs";

/** Resolves when there is no such process; one that only waits to be collected is none. */
export async function gone(pid: number): Promise<void> {
  while (isThere(pid)) await Bun.sleep(10);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
