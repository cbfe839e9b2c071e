// Reads the start of many small files with one buffer. Regular files only; a link is reported, not followed.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { MOST_HEAD_CHARACTERS } from "../frontmatter/head.ts";

export type FileStart =
  | { readonly kind: "missing" }
  | { readonly kind: "link" }
  | { readonly kind: "refused"; readonly why: string }
  | StartRead;

export interface StartRead {
  readonly kind: "read";
  readonly source: string;
  readonly isWhole: boolean;
  readonly stat: Stats;
}

export interface StartReader {
  /** With `long`, as much as a frontmatter may have. */
  read(path: string, options?: { readonly long?: boolean }): FileStart;
}

/** Most files say everything that is needed in the first kilobyte. */
const SHORT = 1024;
const LONG = MOST_HEAD_CHARACTERS + SHORT;

export function createStartReader(): StartReader {
  const short = Buffer.allocUnsafeSlow(SHORT);
  let buffer = short;
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  return {
    read(path, { long = false } = {}) {
      if (long && buffer === short) buffer = Buffer.allocUnsafeSlow(LONG);
      const target = long ? buffer : short;
      let fd: number | undefined;
      try {
        fd = openSync(path, flags);
        const stat = fstatSync(fd);
        if (!stat.isFile()) return { kind: "refused", why: "it is not a regular file" };
        const bytes = readSync(fd, target, 0, target.length, 0);
        return { kind: "read", source: target.toString("utf8", 0, bytes), isWhole: bytes >= stat.size, stat };
      } catch (error) {
        const { code = "unknown error" } = error as NodeJS.ErrnoException;
        if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
        if (code === "ELOOP") return { kind: "link" };
        return { kind: "refused", why: `it cannot be read (${code})` };
      } finally {
        if (fd !== undefined) closeSync(fd);
      }
    },
  };
}
