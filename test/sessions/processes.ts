// Processes that are not our children: their end is no event, so it has to be polled.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";

export function isRunning(pid: number): boolean {
  try {
    // "pid (name) state …": where nothing reaps orphans, dead processes stay listed as Z. So is one whose first thread alone ended.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (state !== "Z" && state !== "X") || Number(fields[16]) > 1;
  } catch {
    return false;
  }
}

export const gone = (pid: number) => until(() => !isRunning(pid), `process ${pid} is still there`);

/** The process id that a command wrote into the project. */
export async function pidIn(home: TemporaryHome): Promise<number> {
  const path = join(home.project, "pid");
  await until(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"), "no command began");
  return Number(readFileSync(path, "utf8"));
}

export async function until(holds: () => boolean, complaint = "Never happened"): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(complaint);
    await Bun.sleep(5);
  }
}
