// JavaScriptCore compiles functions on threads of its own. On a machine with two cores they compete with the thread that
// runs the session and with the server it talks to, just when new code runs: the start of a subagent took half as long
// again. So they get the processor when it is free, and a tenth of it otherwise. Linux only, where threads have their own
// priority.

import { readdirSync, readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const TASKS = "/proc/self/task";
const COMPILER = "JITWorker";
const LOWER_BY = 10;
const LOWEST = 19;

const known = new Set<string>();

/** Call it when there is time: the threads end after ten seconds without work, and later ones start as this process does. */
export function lowerCompilers(): void {
  if (process.platform !== "linux") return;
  try {
    for (const thread of readdirSync(TASKS)) {
      if (known.has(thread)) continue;
      known.add(thread);
      const name = readFileSync(`${TASKS}/${thread}/comm`, "utf8").trim();
      if (name === COMPILER) setPriority(Number(thread), Math.min(getPriority() + LOWER_BY, LOWEST));
    }
  } catch {
    // A thread ended meanwhile, or a sandbox hides them: they stay as they are.
  }
}
