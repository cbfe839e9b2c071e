// Whether anything that was started behind the shield is still running, whatever session or process group it moved to:
// it cannot leave its mounts. Linux only; elsewhere the answer is no.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Survivors {
  /** Looks only at processes that were not there the last time: a tenth of a millisecond. */
  anyNew(): boolean;
  /** Looks at all of them: a number may have been given to another process. */
  any(): boolean;
}

/** Whoever ends and starts anew faster than we can look is taken for one that lives. */
const MAX_ROUNDS = 10;

/** `mark` is in the name of a file that every shielded process has mounted. */
export function createSurvivors(mark: string): Survivors {
  let strangers: ReadonlySet<string> = new Set();

  function look(known: ReadonlySet<string>): boolean {
    if (process.platform !== "linux") return false;
    const namespaces = new Map([[namespaceOf("self"), false]]);
    /** Null for one that has ended meanwhile, or whose mounts nobody can tell any more. */
    const isShielded = (pid: string): boolean | null => {
      const namespace = namespaceOf(pid);
      if (namespace === null) return null;
      const mounts = namespaces.has(namespace) ? null : mountsOf(pid);
      if (mounts !== null) namespaces.set(namespace, mounts.includes(mark));
      return namespaces.get(namespace) ?? null;
    };
    let dead: ReadonlySet<string> = new Set();
    for (let looks = 0; looks < MAX_ROUNDS; looks++) {
      const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
      const found = pids.filter((pid) => !known.has(pid)).map((pid) => ({ pid, answer: isShielded(pid) }));
      const withAnswer = (wanted: boolean | null) =>
        new Set(found.filter(({ answer }) => answer === wanted).map(({ pid }) => pid));
      const shielded = withAnswer(true);
      const ended = withAnswer(null);
      strangers = new Set(pids).difference(shielded).difference(ended);
      if (shielded.size > 0) return true;
      // One that ended while we looked may have started another that was not in the list.
      if (ended.isSubsetOf(dead)) return false;
      dead = ended;
    }
    return true;
  }

  return { anyNew: () => look(strangers), any: () => look(new Set()) };
}

/** Null for processes that have ended, collected or not; empty for those that are not ours. */
function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : "";
  }
}

/** Null when it has ended. */
function mountsOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "latin1");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "" : null;
  }
}
