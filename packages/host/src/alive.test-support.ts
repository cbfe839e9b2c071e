// For tests: waits for processes that are not our children, which must be polled.

import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Never happened: ${what}`);
    await Bun.sleep(5);
  }
}
