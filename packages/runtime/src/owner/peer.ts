// Which process is at the other end of a local socket. Neither Bun nor Node says it.

import { readFileSync } from "node:fs";

export interface Peer {
  readonly uid: number;
  /** Unknown on some systems. */
  readonly pid?: number;
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** Undefined where it cannot be found out. */
export async function peerOf(fd: number): Promise<Peer | undefined> {
  const { dlopen, ptr } = await import("bun:ffi");
  try {
    if (process.platform === "darwin") {
      const { symbols } = dlopen("libSystem.B.dylib", {
        getpeereid: { args: ["i32", "ptr", "ptr"], returns: "i32" },
      });
      const [uid, gid] = [new Uint32Array(1), new Uint32Array(1)];
      return symbols.getpeereid(fd, ptr(uid), ptr(gid)) === 0 ? { uid: uid[0]! } : undefined;
    }
    const { symbols } = dlopen("libc.so.6", {
      getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    });
    const [found, length] = [new Uint32Array(3), new Uint32Array([12])];
    if (symbols.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(found), ptr(length)) !== 0) return undefined;
    return { pid: found[0]!, uid: found[1]! };
  } catch {
    return undefined;
  }
}

/** Whether a process was started by this one, or by one that this one started. */
export function isDescendant(pid: number): boolean {
  for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps++) if (at === process.pid) return true;
  return false;
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
