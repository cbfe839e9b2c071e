// Whether anything that was started behind the shield is still running, whatever session or process group it moved to:
// it cannot leave its mounts. Linux only; elsewhere the answer is no.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Survivors {
  /** Looks only at processes that were not there the last time: a tenth of a millisecond. */
  anyNew(): boolean;
  /** Looks at all of them: a number may have been given to another process. */
  any(): boolean;
}

/** `mark` is in the name of a file that every shielded process has mounted. */
export function createSurvivors(mark: string): Survivors {
  let strangers: ReadonlySet<string> = new Set();

  function look(known: ReadonlySet<string>): boolean {
    if (process.platform !== "linux") return false;
    const namespaces = new Map([[namespaceOf("self"), false]]);
    const isShielded = (pid: string) => {
      const namespace = namespaceOf(pid);
      let answer = namespaces.get(namespace);
      if (answer === undefined) namespaces.set(namespace, (answer = mountsOf(pid).includes(mark)));
      return answer;
    };
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const shielded = pids.filter((pid) => !known.has(pid) && isShielded(pid));
    strangers = new Set(pids).difference(new Set(shielded));
    return shielded.length > 0;
  }

  return { anyNew: () => look(strangers), any: () => look(new Set()) };
}

/** Empty for processes that are gone, not ours, or dead and not yet collected. */
function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return "";
  }
}

function mountsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "latin1");
  } catch {
    return "";
  }
}
