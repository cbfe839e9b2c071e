// Which process is at the other end of a local socket. Neither Bun nor Node says it.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cLibraryNames } from "@keelson/disk/c-library";

export interface Peer {
  readonly uid: number;
  readonly pid: number;
}

const LINUX = { SOL_SOCKET: 1, SO_PEERCRED: 17 };
const MAC = { SOL_LOCAL: 0, LOCAL_PEERPID: 2 };

/** Undefined where it cannot be found out. */
export async function peerOf(fd: number): Promise<Peer | undefined> {
  const { dlopen, ptr } = await import("bun:ffi");
  const [found, length, uid, gid] = [new Uint32Array(3), new Uint32Array(1), new Uint32Array(1), new Uint32Array(1)];
  const getsockopt = { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } as const;
  for (const name of cLibraryNames()) {
    try {
      if (process.platform === "darwin") {
        const { symbols } = dlopen(name, { getsockopt, getpeereid: { args: ["i32", "ptr", "ptr"], returns: "i32" } });
        length[0] = 4;
        if (symbols.getsockopt(fd, MAC.SOL_LOCAL, MAC.LOCAL_PEERPID, ptr(found), ptr(length)) !== 0) return undefined;
        if (symbols.getpeereid(fd, ptr(uid), ptr(gid)) !== 0) return undefined;
        return { pid: found[0]!, uid: uid[0]! };
      }
      const { symbols } = dlopen(name, { getsockopt });
      length[0] = 12;
      if (symbols.getsockopt(fd, LINUX.SOL_SOCKET, LINUX.SO_PEERCRED, ptr(found), ptr(length)) !== 0) return undefined;
      return { pid: found[0]!, uid: found[1]! };
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Whether a process is this one, or was started by it or by one that this one started. */
export function isDescendant(pid: number): boolean {
  for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps++) if (at === process.pid) return true;
  return false;
}

/**
 * Whether a command, hook or server of this session started a process, also if whatever did has ended since. A program that
 * clears its environment is not found.
 */
export function hasSessionIn(pid: number, session: string): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.includes(`CLAUDE_CODE_SESSION_ID=${session}`);
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  try {
    if (process.platform === "darwin")
      return Number(spawnSync("/bin/ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim());
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
