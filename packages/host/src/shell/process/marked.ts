// Finds the processes of a session wherever they moved: every process we start passes marks on to its children.

import { readFileSync, readlinkSync } from "node:fs";
import { lockLimitsIn, lockLimitOf, lockLimitStart } from "../../programs/lock-limit.ts";
import { withMark } from "../environment/child-env.ts";
import { liveThreadOf, runningProcesses, unixSessionOf } from "./process-table.ts";
import { REAPER } from "./reaper.ts";

/** The token of all processes of a session, or of one of them with its children. It is in their environment. */
export function markOf(token: string, place?: number): string {
  return place === undefined ? token : `${token}.${place}.`;
}

/**
 * Processes with the mark, whatever group or session they moved to. If they cleared their environment, they still have
 * the limit on file locks, and the mounts of the shield. Linux only; elsewhere none are found.
 */
export function markedProcesses(token: string): number[] {
  return runningProcesses()
    .map(({ pid }) => pid)
    .filter(markTest(token));
}

/** Whether a process that runs has the mark: of the session, or of one place. */
export function markTest(token: string, place?: number): (pid: number) => boolean {
  if (process.platform !== "linux") return () => false;
  const [variable] = Object.entries(withMark({}, markOf(token, place)));
  const wanted = Buffer.from(variable!.join("="));
  const hasLimit = limitTest(token, place);
  const isShielded = place === undefined ? shieldTest(token) : () => false;
  return (pid) =>
    pid > 1 &&
    pid !== process.pid &&
    (hasVariable(contentIn(pid, "environ"), wanted) || hasLimit(inheritedLimits(pid)) || isShielded(pid));
}

/** Other variables may contain the token, too: the name of our temporary folder does. */
function hasVariable(environment: Buffer | null, start: Buffer): boolean {
  for (let at = environment?.indexOf(start) ?? -1; at >= 0; at = environment!.indexOf(start, at + 1)) {
    if (at === 0 || environment![at - 1] === 0) return true;
  }
  return false;
}

/** Whether a process is behind the shield of this session; if some are named, then behind that of one of these. */
export function shieldTest(token: string, as?: readonly number[]): (pid: number) => boolean {
  if (process.platform !== "linux" || as?.length === 0) return () => false;
  // Mounted itself: another session mounts something over the sockets in it.
  const isMounted = new RegExp(`^(?:\\S+ ){4}\\S*/keelson-${token} `, "m");
  const own = mountNamespaceOf("self");
  const shielded = new Map<string, boolean>([[own ?? "", false]]);
  const test = (pid: number) => {
    const namespace = mountNamespaceOf(pid) ?? "";
    let answer = shielded.get(namespace);
    if (answer === undefined) {
      answer = isMounted.test(contentIn(pid, "mountinfo")?.toString("latin1") ?? "");
      shielded.set(namespace, answer);
    }
    return answer;
  };
  if (!as) return test;
  const wanted = new Set(as.filter(test).map(mountNamespaceOf));
  return (pid) => wanted.size > 0 && wanted.has(mountNamespaceOf(pid)) && test(pid);
}

type Limits = ReturnType<typeof inheritedLimits>;

/** Whether these are limits of this session, or of one place. */
export function limitTest(token: string, place?: number): (limits: Limits) => boolean {
  const start = lockLimitStart(token);
  const all = new RegExp(`^${start}\\d{5}$`);
  const exact = place === undefined ? undefined : String(lockLimitOf(token, place));
  const isOurs = (limit: string | undefined) => limit !== undefined && (exact ? limit === exact : all.test(limit));
  return ({ soft, hard }) => isOurs(soft) || isOurs(hard);
}

/**
 * Whether a process that descends from us has a limit on file locks, of whatever size, and is in another session. A command can
 * lower its limit, but never to none. For root, and inside a command of another session, limits say less.
 */
export function isHiding(pid: number | string): boolean {
  if (inheritedLimits(pid).hard === undefined || inheritedLimits("self").hard !== undefined) return false;
  return unixSessionOf(pid)?.session !== unixSessionOf("self")?.session;
}

/** If it is the reaper of a session, which ends by itself when its session has: what the limits of that session begin with. */
export function reaperIn(pid: number): { readonly limitStart: string } | null {
  const words = contentOf(`/proc/${pid}/cmdline`)?.toString("latin1").split("\0");
  return words?.[3] === REAPER ? { limitStart: words[5] ?? "" } : null;
}

export const inheritedLimits = (pid: number | string) =>
  lockLimitsIn(contentOf(`/proc/${pid}/limits`)?.toString("latin1") ?? "");

/** Of a process whose first thread has ended, the kernel shows nothing where it is usually read. */
function contentIn(pid: number | string, name: string): Buffer | null {
  const found = contentOf(`/proc/${pid}/${name}`);
  if (found !== null && found.length > 0) return found;
  const thread = liveThreadOf(pid);
  return thread === String(pid) ? found : contentOf(`/proc/${thread}/${name}`);
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null; // gone, or owned by another user
  }
}

function mountNamespaceOf(pid: number | string): string | null {
  const read = (place: number | string) => {
    try {
      return readlinkSync(`/proc/${place}/ns/mnt`);
    } catch {
      return null;
    }
  };
  const found = read(pid);
  if (found !== null) return found;
  const thread = liveThreadOf(pid);
  return thread === String(pid) ? null : read(thread);
}
