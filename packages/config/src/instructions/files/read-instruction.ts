// Reads one instruction file: a regular file of at most 4 MiB. Checks where the file really is before reading it.

import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isPlanted } from "../../planted.ts";
import { sight, type InstructionStamp } from "./sighting.ts";

export type InstructionReading =
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly why: string }
  /** The real path is not accepted. */
  | { readonly kind: "outside"; readonly real: string }
  | { readonly kind: "read"; readonly real: string; readonly text: string };

export interface ReadOptions {
  /** Called with the real path. */
  accepts(real: string): boolean;
  readonly uid?: number | undefined;
  /** What the path was a moment ago, if known. */
  readonly sighting?: InstructionStamp;
}

const MAX_BYTES = 4 * 1024 * 1024;

export function readInstruction(path: string, options: ReadOptions): InstructionReading {
  // Check before opening: opening a device can have effects.
  const { kind, stamp } = options.sighting ?? sight(path);
  if (kind === "none") return { kind: "missing" };
  // In place of a stamp, the error.
  if (kind === "other" && stamp.startsWith("E")) return { kind: "refused", why: `it cannot be read (${stamp})` };
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
    if (isPlanted(dirname(real), stat.uid, options.uid))
      return { kind: "refused", why: "it belongs to another user and is in a folder that everyone can write to" };
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

/** If the path became a link, or stopped being one, the file that is opened counts. */
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

/** The real path of the open file, even if its name points elsewhere by now. */
function truePath(fd: number, path: string, inode: number): string | undefined {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // There is no /proc; compare below.
    }
  }
  const real = realpathSync(path);
  return statSync(real).ino === inode ? real : undefined;
}
