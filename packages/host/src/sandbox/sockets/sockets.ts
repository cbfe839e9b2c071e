// The sockets that commands do not get: those on which other programs of the user listen. Such a program acts for whoever
// connects, outside the shield: tmux runs commands and presses keys, the session bus starts services, editors run code.
// Linux only.

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ownTemporary } from "../../files/private-file.ts";
import { lstatOrNull, readLink, realPath } from "../guarded/stat.ts";
import { throwIfStarved } from "../throw-if-starved.ts";

export interface SocketOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Part of a name in the mount table of every shielded process. */
  readonly mark: string;
  /** The working directories: what listens there is what the session works on. */
  directories(): readonly string[];
  /** From the settings: commands may connect to these. */
  allowed?(): readonly string[];
}

export interface ForeignSockets {
  /** Real paths. */
  readonly hidden: readonly string[];
  /** Folders of our own sockets, hidden as a whole. */
  readonly folders: readonly string[];
  /** Where the session bus is, if it is one of them. Commands get some of its services. */
  readonly bus?: string;
}

/** Keys, data and containers: what commands are meant to use. The data can be reached over the network too. */
const FOR_COMMANDS =
  /^(?:agent\.\d+|S\.[\w.-]+|.*ssh.*|\.s\.PGSQL\.\d+|mysqlx?d?\.sock|(?:redis|mongodb)[\w.-]*\.sock|(?:docker|podman|containerd|buildkitd)\.sock)$/;

/** For root, these belong to the system's services, which commands of root use. */
const OF_THE_SYSTEM = /^\/(?:run|var|tmp\/\.X11-unix)\/(?!user\/|screens?\/|tmux)/;

/**
 * Those of open sessions (`runtime/owner/socket-place.ts`): whoever connects can answer the questions about a command. They are
 * hidden by folder, because sessions come and go while a command is being started. One elsewhere, of a program with another
 * folder for its files, relies on the proof that it asks of its clients.
 */
const isOfSession = (path: string) => /\/open\/session-[0-9a-f]{16}\.sock$/.test(path);
const sessionFolders = (env: SocketOptions["env"]): readonly string[] =>
  [env, { CLAUDE_CODE_TMPDIR: "/tmp" }].flatMap((each) => {
    const parent = realPath(ownTemporary(each));
    const folder = parent === null ? null : join(parent, "open");
    const entry = folder === null ? null : lstatOrNull(folder);
    // A link would hide what it leads to.
    return folder !== null && entry?.isDirectory() && entry.uid === process.getuid?.() ? [folder] : [];
  });

/** `approved` for a command that is not guarded. */
export type ForeignSocketsNow = (approved: boolean) => ForeignSockets;

/** Looks again at each call. A socket that something behind the shield opened stays reachable. */
export function createForeignSockets(options: SocketOptions, readTable = readUnixTable): ForeignSocketsNow {
  /** Whether what listens is behind the shield, by inode. */
  const known = new Map<string, boolean>();
  let mayBeOurs = false;
  let isLifted = false;
  return (approved) => {
    // What an approved command leaves running is not behind the shield, and looks as if it were.
    isLifted ||= approved;
    if (approved) return { hidden: [], folders: [] };
    const listening = listeningIn(readTable());
    for (const { inode } of listening) {
      if (!known.has(inode)) known.set(inode, mayBeOurs && !isLifted && listensBehindShield(inode, options.mark));
    }
    // Before the first command nothing behind the shield could listen.
    mayBeOurs = true;
    const foreign = listening.flatMap(({ inode, path }) => {
      const real = known.get(inode) === true ? null : realSocket(path);
      return real !== null && isForeign(real, options) ? [real] : [];
    });
    const bus = busOf(options.env);
    return {
      hidden: [...new Set(foreign)],
      folders: [...new Set(sessionFolders(options.env))],
      ...(bus !== null && foreign.includes(bus) ? { bus } : {}),
    };
  };
}

function isForeign(path: string, { home, env, directories, allowed }: SocketOptions): boolean {
  const name = basename(path);
  if (isOfSession(path)) return false;
  if (FOR_COMMANDS.test(name) || path.startsWith(join(home, ".ssh", sep))) return false;
  if (process.getuid?.() === 0 && OF_THE_SYSTEM.test(path)) return false;
  const given = [...(allowed?.() ?? []), env["SSH_AUTH_SOCK"] ?? ""];
  if (given.some((each) => each !== "" && realSocket(each.replace(/^~(?=\/)/, home)) === path)) return false;
  const isWork = (folder: string) =>
    path.startsWith(`${folder}${sep}`) && !`${home}${sep}`.startsWith(`${folder}${sep}`);
  return !directories().some(isWork);
}

/** The path without links, if a socket of this user is there. */
function realSocket(path: string): string | null {
  const folder = realPath(dirname(path));
  const real = folder === null ? null : join(folder, basename(path));
  const entry = real === null ? null : lstatOrNull(real);
  if (entry?.isSymbolicLink()) return realPath(path);
  return entry?.isSocket() === true && entry.uid === process.getuid?.() ? real : null;
}

/** Where clients look for the session bus; null if it has no path. */
function busOf(env: SocketOptions["env"]): string | null {
  const address = env["DBUS_SESSION_BUS_ADDRESS"];
  const named = address === undefined ? undefined : /(?:^|;)unix:(?:[^;]*,)?path=([^,;]+)/.exec(address)?.[1];
  const runtime = env["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.()}`;
  return realPath(named ?? resolve(runtime, "bus"));
}

interface Listening {
  readonly inode: string;
  readonly path: string;
}

/** Those with an absolute path, of the text of `/proc/net/unix`. */
function listeningIn(table: string): readonly Listening[] {
  const pattern = /^\S+: \S+ \S+ 00010000 \S+ \S+ +(\d+) (\/.*)$/gm;
  return [...table.matchAll(pattern)].map(([, inode, path]) => ({ inode: inode!, path: path! }));
}

/** Whether a process behind the shield has the socket open. */
function listensBehindShield(inode: string, mark: string): boolean {
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  const isShielded = (pid: string) => textOf(`/proc/${pid}/mountinfo`).includes(mark);
  const isOpenIn = (pid: string) =>
    namesIn(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
  return pids.some((pid) => isShielded(pid) && isOpenIn(pid));
}

function readUnixTable(): string {
  try {
    return readFileSync("/proc/net/unix", "latin1");
  } catch (error) {
    throwIfStarved(error);
    return "";
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // ended, or of another user
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
