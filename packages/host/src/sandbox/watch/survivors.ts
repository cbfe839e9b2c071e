// Checks whether any shielded process is still running, whatever session or process group it moved to, by its mounts. One
// that changed its root no longer shows them; it still has the limit on file locks. Linux only; elsewhere the answer is no.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isHiding, inheritedLimits, limitTest, reaperIn } from "../../shell/process/marked.ts";
import { ownChildren } from "../../shell/process/orphans.ts";
import { liveThreadOf, runningProcess } from "../../shell/process/process-table.ts";

export interface Survivors {
  /** Checks only processes that are new since the last call: 0.1 ms. */
  anyNew(): boolean;
  /** Checks all processes, because a pid may have been reused. */
  any(): boolean;
}

/** A process that keeps restarting faster than we can check counts as running. */
const MAX_ROUNDS = 10;

/** `mark` is part of the name of a file that every shielded process has mounted, and the token of its limit. */
export function createSurvivors(mark: string): Survivors {
  let unshielded: ReadonlySet<string> = new Set();

  function look(known: ReadonlySet<string>): boolean {
    if (process.platform !== "linux") return false;
    const own = namespaceOf("self");
    const namespaces = new Map([[own, false]]);
    const hasLimit = survivorTest(mark);
    /** Null if it has ended, or if its mounts can no longer be read. */
    const isShielded = (pid: string): boolean | null => {
      // Its first thread may have ended before the others.
      const place = namespaceOf(pid) === null ? liveThreadOf(pid) : pid;
      const namespace = namespaceOf(place);
      if (namespace === null) return null;
      const mounts = namespaces.has(namespace) ? null : mountsOf(place);
      if (mounts !== null) namespaces.set(namespace, mounts.includes(mark));
      const answer = namespaces.get(namespace) ?? null;
      return answer === false && namespace !== own && namespace !== "" ? hasLimit(pid) : answer;
    };
    let dead: ReadonlySet<string> = new Set();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
      const found = pids.filter((pid) => !known.has(pid)).map((pid) => ({ pid, answer: isShielded(pid) }));
      const withAnswer = (wanted: boolean | null) =>
        new Set(found.filter(({ answer }) => answer === wanted).map(({ pid }) => pid));
      const shielded = withAnswer(true);
      const ended = withAnswer(null);
      unshielded = new Set(pids).difference(shielded).difference(ended);
      if (shielded.size > 0) return true;
      // A process that ended during the check may have started another that was not in the list.
      if (ended.isSubsetOf(dead)) return false;
      dead = ended;
    }
    return true;
  }

  return { anyNew: () => look(unshielded), any: () => look(new Set()) };
}

/** Null if the process has ended; empty if it belongs to another user. */
function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "";
  }
}

/** Null if it has ended. */
function mountsOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "latin1");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "" : null;
  }
}

/** By its limits. One that descends from us and has a limit that no session in this process has is one that hides. */
function survivorTest(mark: string): (pid: string) => boolean {
  const isMarked = limitTest(mark);
  let mayHide: boolean | undefined;
  let others: readonly string[] | undefined;
  return (pid) => {
    const limits = inheritedLimits(pid);
    if (isMarked(limits)) return true;
    if (limits.hard === undefined) return false;
    mayHide ??= inheritedLimits("self").hard === undefined;
    if (!mayHide || !descendsFromUs(pid)) return false;
    others ??= (ownChildren() ?? []).flatMap((child) => (isHiding(child) ? [] : (reaperIn(child)?.limitStart ?? [])));
    return !others.some((start) => limits.hard!.startsWith(start));
  };
}

function descendsFromUs(pid: string): boolean {
  for (let at = runningProcess(pid)?.parent ?? 0; at > 1; at = runningProcess(at)?.parent ?? 0) {
    if (at === process.pid) return true;
  }
  return false;
}
