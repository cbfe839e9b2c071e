// Who holds a lease, and whether that process still runs. On the same machine its id and start tell. Elsewhere they mean
// nothing; there the lock on the file tells, or its age.

import { closeSync, fstatSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { canLockBeside, type Flock } from "../lock/flock.ts";
import { holdOwnFolder, openOwnFile } from "../own-files.ts";
import { isRunning } from "../process-identity.ts";
import { BEAT_MS, hostName } from "./hold.ts";
import { thisMachine } from "./lease.ts";

export interface LeaseHolder {
  readonly pid: number;
  /** As in `ProcessIdentity`. */
  readonly procStart: string;
  readonly machine: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly name: string;
  /** It will be reachable at `socket`. */
  readonly listens: boolean;
  readonly socket?: string;
  /** It will let go of the lease soon. */
  readonly isEnding: boolean;
}

/** `starting`: the file is there, and its owner has not yet said who it is. */
export type LeaseState =
  | { readonly kind: "free" | "starting" }
  | { readonly kind: "dead"; readonly ino: number }
  | { readonly kind: "held"; readonly holder: LeaseHolder };

/** An owner names itself within a millisecond, and locks the file within a second. */
const YOUNG_MS = 2_000;
const MAX_BYTES = 16 * 1024;

/** Throws if something else is in the place of the file. */
export async function leaseState(path: string, flock: Flock | null): Promise<LeaseState> {
  let fd: number;
  try {
    fd = openOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "free" };
    throw error;
  }
  try {
    const { ino, mtimeMs } = fstatSync(fd);
    const age = Math.abs(Date.now() - mtimeMs);
    const holder = readHolder(fd);
    if (holder === undefined) return age < YOUNG_MS ? { kind: "starting" } : { kind: "dead", ino };
    return (await isHeld(holder, { fd, path, age, flock })) ? { kind: "held", holder } : { kind: "dead", ino };
  } finally {
    closeSync(fd);
  }
}

interface LeaseFile {
  readonly fd: number;
  readonly path: string;
  readonly age: number;
  readonly flock: Flock | null;
}

async function isHeld(holder: LeaseHolder, file: LeaseFile): Promise<boolean> {
  if (await isHere(holder)) {
    if (!isRunning(holder, "UTC")) return false;
    // Without its start, another process may have the id by now.
    if (holder.procStart !== "") return true;
  }
  if (file.age < YOUNG_MS) return true;
  // Released when the file is closed.
  if (file.flock?.(file.fd)) return false;
  return (file.flock !== null && canLockHere(file.path, file.flock)) || file.age < 3 * BEAT_MS;
}

async function isHere({ machine }: LeaseHolder): Promise<boolean> {
  const here = thisMachine();
  return machine === here || (here === "" && machine === (await hostName()));
}

function canLockHere(path: string, flock: Flock): boolean {
  try {
    using folder = holdOwnFolder(dirname(path));
    return canLockBeside(folder.at(`.${basename(path)}`), flock);
  } catch {
    return false;
  }
}

/** Each line of the file adds to the ones before it. Undefined if it does not say who it is. */
function readHolder(fd: number): LeaseHolder | undefined {
  const bytes = Buffer.alloc(MAX_BYTES);
  const lines = bytes
    .subarray(0, readSync(fd, bytes, 0, MAX_BYTES, 0))
    .toString("utf8")
    .split("\n");
  const said: Record<string, unknown> = Object.assign({}, ...lines.slice(0, -1).map(parsed));
  const { pid, procStart, machine, since, name, listens, socket, ending } = said;
  if (typeof pid !== "number" || typeof procStart !== "string" || typeof machine !== "string") return undefined;
  return {
    pid,
    procStart,
    machine,
    since: typeof since === "number" ? since : 0,
    name: typeof name === "string" ? name : "another program",
    listens: listens === true,
    isEnding: ending === true,
    ...(typeof socket === "string" ? { socket } : {}),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
