// Whether a command is at the other end of a connection on this machine. Commands are told by the shield, which they cannot
// leave, so it does not matter which secrets they found. Linux only; elsewhere no command is found.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { inheritedLimits } from "./marked.ts";
import { liveThreadOf } from "./process-table.ts";
import { socketBetween } from "./socket-lookup.ts";

export interface TcpPeer {
  readonly address: string;
  readonly port: number;
}

/**
 * `port`: ours. Also true if the other end has closed the connection already: nobody waits for an answer. A command can keep the
 * connection where no list of open files has it: then it is a command's, unless someone else may have it.
 */
export function isCommandAt({ address, port: from }: TcpPeer, port: number): boolean {
  if (process.platform !== "linux") return false;
  const sockets = socketsAt({ address, port: from }, port);
  // Of another machine. Whoever is here may have chosen any address of this one.
  if (sockets.length === 0 && !LOOPBACK.test(address)) return false;
  if (sockets.every((inode) => inode === "0")) return true;
  const names = new Set(sockets.map((inode) => `socket:[${inode}]`));
  const holds = (pid: string) => openFiles(pid).some((at) => names.has(linkAt(at) ?? ""));
  const pids = namesIn("/proc").filter((pid) => Number(pid) > 0);
  const isOfCommand = commandTest();
  const { commands = [], others = [] } = Object.groupBy(pids, (pid) => (isOfCommand(pid) ? "commands" : "others"));
  if (commands.length === 0) return false;
  if (commands.some(holds)) return true;
  if (others.some(holds) || isOfAnotherUser(from, port)) return false;
  // For an ordinary user, some of them do not show what they have open, such as sshd.
  return !others.some(isClosed) || commands.some((pid) => hides(pid) || holds(pid)) || commands.some(holds);
}

/** Of all its threads: each may have a list of its own, and the first one may have ended. */
function openFiles(pid: string): readonly string[] {
  const threads = namesIn(`/proc/${pid}/task`);
  const lists = threads.length > 1 ? threads.map((thread) => `/proc/${pid}/task/${thread}/fd`) : [`/proc/${pid}/fd`];
  return lists.flatMap((list) => namesIn(list).map((fd) => `${list}/${fd}`));
}

/** Whether a process of this user does not show what it has open. */
function isClosed(pid: string): boolean {
  try {
    readdirSync(`/proc/${pid}/fd`);
    return false;
  } catch (error) {
    const isOwn = new RegExp(`^Uid:\\s+${process.getuid?.()}\\s`, "m").test(contentOf(`/proc/${pid}/status`));
    return (error as NodeJS.ErrnoException).code === "EACCES" && isOwn;
  }
}

/** Whether it may have a socket that is in no list of its open files: in a ring of the kernel, or sent and not received yet. */
function hides(pid: string): boolean {
  if (isClosed(pid) || /anon_inode:\[io_uring\]/.test(contentOf(`/proc/${pid}/maps`))) return true;
  return openFiles(pid).some((at) => {
    const link = linkAt(at) ?? "";
    if (link.includes("[io_uring]")) return true;
    return link.startsWith("socket:") && /^scm_fds:\s*[1-9]/m.test(contentOf(at.replace(/\/fd\//, "/fdinfo/")));
  });
}

/** Commands of an ordinary user cannot become another one. */
function isOfAnotherUser(from: number, to: number): boolean {
  const own = process.getuid?.();
  const users = TABLES.flatMap((table) => rowsIn(contentOf(table), from, to).map(({ user }) => user));
  return own !== 0 && users.length > 0 && users.every((user) => user !== String(own));
}

/** The tables take tens of milliseconds, and longer with many connections: they are read if the kernel knows nothing at once. */
function socketsAt({ address, port: from }: TcpPeer, port: number): readonly string[] {
  const v4 = /(?:^|:)(\d+(?:\.\d+){3})$/.exec(address)?.[1];
  const found = v4 && socketBetween({ address: v4, port: from }, { address: "127.0.0.1", port });
  return found ? [found] : TABLES.flatMap((table) => socketsIn(contentOf(table), from, port));
}

const LOOPBACK = /^(?:(?:::ffff:)?127\.|::1$)/i;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** Of the connections from one port to another, in a table of the kernel. */
export const socketsIn = (table: string, from: number, to: number): readonly string[] =>
  rowsIn(table, from, to).map(({ inode }) => inode);

function rowsIn(table: string, from: number, to: number): readonly { readonly user: string; readonly inode: string }[] {
  const end = (port: number) => `[\\dA-F]+:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const row = new RegExp(`^ *\\d+: ${end(from)} ${end(to)} (?:\\S+ +){4}(\\d+) +\\S+ +(\\d+)`, "gm");
  return Array.from(table.matchAll(row), ([, user, inode]) => ({ user: user!, inode: inode! }));
}

/**
 * Behind the shield of some session, but not of one that we are behind ourselves. In a namespace of its own, a command can lose the
 * mounts of the shield, but not its limit on file locks (`lock-limit.ts`).
 */
function commandTest(): (pid: string) => boolean {
  const own = new Set(shieldsOf("self"));
  const isLimited = inheritedLimits("self").hard === undefined;
  const known = new Map<string | null, boolean>([
    [linkAt("/proc/self/ns/mnt"), false],
    [null, false],
  ]);
  return (pid) => {
    // Where the first thread has ended, the others have it.
    const place = linkAt(`/proc/${pid}/ns/mnt`) === null ? liveThreadOf(pid) : pid;
    const namespace = linkAt(`/proc/${place}/ns/mnt`);
    const found = known.get(namespace) ?? shieldsOf(place).some((each) => !own.has(each));
    known.set(namespace, found);
    return found || (isLimited && inheritedLimits(pid).hard !== undefined);
  };
}

/** The temporary folders of sessions that are mounted on their own. */
const shieldsOf = (pid: string) =>
  Array.from(
    contentOf(`/proc/${pid}/mountinfo`).matchAll(/^(?:\S+ ){4}(\S*\/keelson-[\da-f]{32}) /gm),
    ([, at]) => at!,
  );

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // gone, or owned by another user
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
