// Finds the processes of a session wherever they moved: every process we start passes marks on to its children.

import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { lockLimitsIn, lockLimitOf, lockLimitStart } from "../../programs/lock-limit.ts";
import { runningProcesses } from "./process-table.ts";
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
  const wanted = Buffer.from(markOf(token, place));
  const hasLimit = limitTest(token, place);
  const isShielded = place === undefined ? shieldTest(token) : () => false;
  return (pid) =>
    pid > 1 &&
    pid !== process.pid &&
    (contentOf(`/proc/${pid}/environ`)?.includes(wanted) === true || hasLimit(pid) || isShielded(pid));
}

/** Whether a process is behind the shield of this session; if some are named, then behind that of one of these. */
export function shieldTest(token: string, as?: readonly number[]): (pid: number) => boolean {
  if (process.platform !== "linux" || as?.length === 0) return () => false;
  const own = mountNamespaceOf("self");
  const shielded = new Map<string, boolean>([[own ?? "", false]]);
  const test = (pid: number) => {
    const namespace = mountNamespaceOf(pid) ?? "";
    let answer = shielded.get(namespace);
    if (answer === undefined) {
      answer = contentOf(`/proc/${pid}/mountinfo`)?.includes(token) === true;
      shielded.set(namespace, answer);
    }
    return answer;
  };
  if (!as) return test;
  const wanted = new Set(as.filter(test).map(mountNamespaceOf));
  return (pid) => wanted.size > 0 && wanted.has(mountNamespaceOf(pid)) && test(pid);
}

function limitTest(token: string, place: number | undefined): (pid: number) => boolean {
  if (place === undefined) return lockLimitTest(token);
  const exact = String(lockLimitOf(token, place));
  return (pid) => {
    const { soft, hard } = limitsOf(pid);
    return soft === exact || hard === exact;
  };
}

/**
 * Whether a process is one of this session by its limits. A command can lower them, but never to none: one with a limit that
 * no session has is one that hides, so it counts for each.
 */
export function lockLimitTest(token: string): (pid: number | string) => boolean {
  const start = lockLimitStart(token);
  let others: ReadonlySet<string> | undefined;
  // Inside a command of another session, and for root, limits say less.
  const mayHide = process.getuid?.() !== 0 && limitsOf("self").hard === undefined;
  return (pid) => {
    const { soft, hard } = limitsOf(pid);
    if (soft?.startsWith(start) || hard?.startsWith(start)) return true;
    return (
      hard !== undefined && mayHide && isOwn(pid) && !(others ??= otherSessions()).has(hard.slice(0, start.length))
    );
  };
}

/** Whether it is the reaper of a session, which ends by itself when its session has. */
export function isReaper(pid: number): boolean {
  return contentOf(`/proc/${pid}/cmdline`)?.toString("latin1").split("\0")[3] === REAPER;
}

/** What the limits of other sessions begin with, which their reapers say. A command that poses as one has a limit itself. */
function otherSessions(): ReadonlySet<string> {
  const reapers = readdirSync("/proc").flatMap((pid) => {
    const words = /^\d+$/.test(pid) ? contentOf(`/proc/${pid}/cmdline`)?.toString("latin1").split("\0") : undefined;
    return words?.[3] === REAPER && limitsOf(pid).hard === undefined ? [words[5]!] : [];
  });
  return new Set(reapers);
}

const limitsOf = (pid: number | string) => lockLimitsIn(contentOf(`/proc/${pid}/limits`)?.toString("latin1") ?? "");

function isOwn(pid: number | string): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null; // gone, or owned by another user
  }
}

function mountNamespaceOf(pid: number | string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return null;
  }
}
