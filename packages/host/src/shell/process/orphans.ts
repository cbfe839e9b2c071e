// Makes us, instead of init, the parent of every orphaned process that descends from us. Then everything we started stays a
// descendant, wherever it moves and whatever it changes, and nothing else is one: the kernel guarantees it. Linux only.

import { readdirSync, readFileSync } from "node:fs";
import { loadLibc } from "../../programs/libc.ts";
import { unixSessionOf } from "./process-table.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const P_ALL = 0;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x0100_0000;
/** Its place in `siginfo_t`, after three numbers and a gap. */
const SI_PID = 4;
/** By then Bun has waited for the children that it started. */
const SOON_MS = 20;

export interface Orphans {
  /** Reaps those that have ended, whose pids are in use until then. Without a call, it happens soon after they end. */
  reap(): void;
}

/** Null if it cannot be done. Holds for as long as this process runs. */
export async function adoptOrphans(): Promise<Orphans | null> {
  const libc = await loadLibc({
    prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
    waitid: { args: ["i32", "i32", "ptr", "i32"], returns: "i32" },
  });
  if (!libc || ownChildren() === null || libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) return null;
  const info = new Int32Array(32);
  const reap = () => {
    // Only looks whether any child has ended. After most commands none is left that Bun did not wait for.
    info.fill(0);
    if (libc.waitid(P_ALL, 0, info, WNOHANG | WEXITED | WNOWAIT) === 0 && info[SI_PID] === 0) return;
    for (const pid of endedOrphans()) libc.waitpid(pid, null, WNOHANG);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reapOrphansSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      reap();
    }, SOON_MS).unref();
  };
  // They belong to the process, so one listener is enough for all its sessions.
  const isListening = process.listeners("SIGCHLD").some(({ name }) => name === reapOrphansSoon.name);
  if (!isListening) process.on("SIGCHLD", reapOrphansSoon);
  return { reap };
}

/** Our children, also the adopted ones. Null if the kernel does not list them. */
export function ownChildren(): readonly number[] | null {
  try {
    const list = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1");
    return list.split(" ").flatMap((pid) => Number(pid) || []);
  } catch {
    return null;
  }
}

/** Not those that Bun started: it waits for them itself, and would not learn how they ended. */
function endedOrphans(): readonly number[] {
  const ended = (ownChildren() ?? []).flatMap((pid) => {
    const status = unixSessionOf(pid);
    return status?.isOver ? [{ pid, session: status.session }] : [];
  });
  if (ended.length === 0) return [];
  const own = unixSessionOf("self")?.session;
  const ofBun = heldProcesses();
  return ended.flatMap(({ pid, session }) => {
    // Bun starts a program in our session, or as the leader of a new one.
    const isCertain = session !== own && session !== pid;
    return isCertain || (ofBun.size > 0 && !ofBun.has(pid)) ? [pid] : [];
  });
}

/** Those of which this process holds a descriptor, as Bun does until it has waited for them. */
function heldProcesses(): ReadonlySet<number> {
  const held = readdirSync("/proc/self/fdinfo").flatMap((fd) => {
    try {
      const pid = /^Pid:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
      return pid === undefined ? [] : [Number(pid)];
    } catch {
      return []; // closed since
    }
  });
  return new Set(held);
}
