// Opens one instruction file and says which file it really is. Regular files only, 4 MiB at most; whether the place it
// leads to is acceptable is asked before a byte is read.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

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
}

const MAX_BYTES = 4 * 1024 * 1024;

export function readInstruction(path: string, options: ReadOptions): InstructionReading {
  let fd: number;
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    const isLink = entry?.isSymbolicLink() === true;
    // A link is looked through before it is opened: opening a device can be an action in itself.
    const target = isLink ? statSync(path, { throwIfNoEntry: false }) : entry;
    if (target === undefined) return { kind: "missing" };
    if (!target.isFile()) return { kind: "refused", why: "it is not a regular file" };
    const noFollow = isLink ? 0 : (constants.O_NOFOLLOW ?? 0);
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
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

function failed(error: unknown): InstructionReading {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  return { kind: "refused", why: code === "ELOOP" ? "it was replaced by a link" : `it cannot be read (${code})` };
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
