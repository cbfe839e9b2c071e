// Opens one instruction file and says which file it really is. Regular files only, 4 MiB at most; whether the place it
// leads to is acceptable is asked before a byte is read.

import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { sight, type InstructionStamp } from "./sighting.ts";

export type InstructionReading =
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly why: string }
  /** It leads to a place the caller does not accept. */
  | { readonly kind: "outside"; readonly real: string }
  | { readonly kind: "read"; readonly real: string; readonly text: string };

export interface ReadOptions {
  /** Asked with links resolved. */
  accepts(real: string): boolean;
  readonly uid?: number | undefined;
  /** How it looked a moment ago, if somebody looked. */
  readonly sighting?: InstructionStamp;
}

const MAX_BYTES = 4 * 1024 * 1024;

export function readInstruction(path: string, options: ReadOptions): InstructionReading {
  // Looked at before it is opened: opening a device can be an action in itself.
  const { kind } = options.sighting ?? sight(path);
  if (kind === "none") return { kind: "missing" };
  if (kind !== "file") return { kind: "refused", why: "it is not a regular file" };
  let fd: number;
  try {
    fd = openFile(path);
  } catch (error) {
    return failed(error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: "refused", why: "it is not a regular file" };
    const real = truePath(fd, path, stat.ino);
    if (real === undefined) return { kind: "refused", why: "it was replaced while it was being opened" };
    if (!options.accepts(real)) return { kind: "outside", real };
    if (isPlanted(real, stat.uid, options.uid))
      return { kind: "refused", why: "somebody else put it into a folder that everybody can write to" };
    if (stat.size > MAX_BYTES) return { kind: "refused", why: "it is larger than 4 MiB" };
    const text = readFileSync(fd, "utf8").replace(/^\ufeff/, "");
    if (text.includes("\0")) return { kind: "refused", why: "it is not text" };
    return { kind: "read", real, text };
  } catch (error) {
    return failed(error);
  } finally {
    closeSync(fd);
  }
}

/** A link that is no link any more when it is opened, or the other way round, is judged by where it leads then. */
function openFile(path: string): number {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(path, flags | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    return openSync(path, flags);
  }
}

function failed(error: unknown): InstructionReading {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  return { kind: "refused", why: `it cannot be read (${code})` };
}

/** Where the open file is, whatever its name leads to by now. */
function truePath(fd: number, path: string, inode: number): string | undefined {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // No /proc here; the comparison below has to do.
    }
  }
  const real = realpathSync(path);
  return statSync(real).ino === inode ? real : undefined;
}

const ROOT = 0;
const STICKY_AND_OPEN = 0o1002;

/** In `/tmp` and its like anybody may leave a file for those who work further down. */
function isPlanted(real: string, owner: number, uid: number | undefined): boolean {
  if (uid === undefined || owner === uid || owner === ROOT) return false;
  return (statSync(dirname(real)).mode & STICKY_AND_OPEN) === STICKY_AND_OPEN;
}
