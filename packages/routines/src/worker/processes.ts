// Ends processes that the worker started. Each leads a group of its own; the program's own watcher ends what its commands started.

import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { isRunning, processStart, type ProcessIdentity } from "@keelson/disk/process-identity";

/**
 * At once. What is gone already is no error. Only while the leader runs, or right after it ended: later, the number may be that of a
 * group of another program, and without a group that of any other process.
 */
export function killGroup(leader: number): void {
  if (leader > 1) kill(-leader);
}

function kill(target: number): void {
  try {
    process.kill(target, "SIGKILL");
  } catch {
    // It has ended.
  }
}

export function identify(pid: number): ProcessIdentity {
  return { pid, procStart: processStart(pid) ?? "" };
}

export { isRunning, type ProcessIdentity };

/** Whether a group has members. */
export function isGroupAlive(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Sandboxes of a run whose program has ended. Bubblewrap ends with who started it only from a moment after its start: what was killed
 * in that moment left a sandbox that nobody ends. With it ends what is in it. Returns how many there were.
 */
export function endSandboxesOf(folder: string): number {
  let ended = 0;
  for (const pid of processIds()) {
    const [program = "", ...words] = commandLine(pid);
    // Those of other runs name the folder, too, to hide it.
    const writes = words.flatMap((word, at) => (word === "--bind" ? [words[at + 1] ?? ""] : []));
    if (basename(program) !== "bwrap" || !writes.some((path) => `${path}/`.startsWith(`${folder}/`))) continue;
    kill(pid);
    ended++;
  }
  return ended;
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // It has ended.
    return [];
  }
}
