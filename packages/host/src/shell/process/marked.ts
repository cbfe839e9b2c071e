// Finds the processes of a session wherever they moved: every process we start passes marks on to its children.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { lockLimitIn, lockLimitOf, lockLimitStart } from "../../programs/lock-limit.ts";
import { livingGroupOf } from "./living.ts";

/** The token of all processes of a session, or of one of them with its children. It is in their environment. */
export function markOf(token: string, place?: number): string {
  return place === undefined ? token : `${token}.${place}.`;
}

/**
 * Processes with the mark, whatever group or session they moved to. If they cleared their environment, they still have
 * the limit on file locks, and the mounts of the shield. Linux only; elsewhere none are found.
 */
export function markedProcesses(token: string, place?: number): number[] {
  if (process.platform !== "linux") return [];
  const wanted = Buffer.from(markOf(token, place));
  const hasLimit = limitTest(token, place);
  const shielded = new Map<string, boolean>([[mountNamespaceOf(process.pid) ?? "", false]]);
  const isShielded = (pid: number) => {
    const namespace = mountNamespaceOf(pid) ?? "";
    let answer = shielded.get(namespace);
    if (answer === undefined) {
      answer = contentOf(`/proc/${pid}/mountinfo`)?.includes(wanted) === true;
      shielded.set(namespace, answer);
    }
    return answer;
  };
  // A zombie has no environment any more, but still its limits and its namespace.
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
    .filter(
      (pid) =>
        contentOf(`/proc/${pid}/environ`)?.includes(wanted) || ((hasLimit(pid) || isShielded(pid)) && !isZombie(pid)),
    );
}

function limitTest(token: string, place: number | undefined): (pid: number) => boolean {
  const start = lockLimitStart(token);
  const exact = place === undefined ? undefined : String(lockLimitOf(token, place));
  return (pid) => {
    const limit = lockLimitIn(contentOf(`/proc/${pid}/limits`)?.toString("latin1") ?? "");
    return exact === undefined ? limit?.startsWith(start) === true : limit === exact;
  };
}

function isZombie(pid: number): boolean {
  return livingGroupOf(String(pid)) === null;
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null; // gone, or owned by another user
  }
}

function mountNamespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return null;
  }
}
