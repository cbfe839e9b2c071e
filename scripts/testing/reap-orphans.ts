// Loaded before each file of tests. A session in the process of the tests makes it the parent of what its commands leave behind, and
// nobody asks how that ended once the file is over. So thousands of processes that have ended would stay listed, and what later tests
// start would end up here instead of with init.

import { readdirSync, readFileSync } from "node:fs";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;

const textOf = (path: string) => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};

/** Not those that Bun waits for itself: it has a descriptor of each. */
function endedOrphans(): readonly number[] {
  const children = textOf(`/proc/self/task/${process.pid}/children`).split(" ");
  const ended = children.flatMap((pid) => (/\) Z /.test(textOf(`/proc/${pid}/stat`)) ? [Number(pid)] : []));
  if (ended.length === 0) return [];
  const held = readdirSync("/proc/self/fdinfo").map((fd) => textOf(`/proc/self/fdinfo/${fd}`));
  const ofBun = new Set(held.flatMap((info) => Number(/^Pid:\s+(\d+)$/m.exec(info)?.[1] ?? []) || []));
  return ended.filter((pid) => !ofBun.has(pid));
}

const ended = process.platform === "linux" ? endedOrphans() : [];
if (ended.length > 0) {
  // Only then: it costs some milliseconds.
  const { loadLibc } = await import("../../packages/host/src/programs/libc.ts");
  const libc = await loadLibc({
    prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  });
  libc?.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  for (const pid of ended) libc?.waitpid(pid, null, WNOHANG);
}
