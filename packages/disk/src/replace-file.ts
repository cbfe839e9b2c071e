// Puts a new file in the place of another: it is there completely or not at all, also after a crash, and nothing is written
// through a link.

import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdOwnFolder, namingFolder, type HoldOptions } from "./own-files.ts";

/** Without a mode, the file gets that of any new file. `isSynced`: it survives a crash of the machine. */
export function replaceFile(
  target: string,
  content: string | Uint8Array,
  mode?: number,
  { isSynced } = { isSynced: true },
): void {
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(temporary, flags, mode === undefined ? 0o644 : 0o600);
  try {
    try {
      const bytes = Buffer.from(content);
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
      if (mode !== undefined) fchmodSync(fd, mode);
      if (isSynced) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Puts a file for the user only in the place of another, completely or not at all. */
export function replaceOwnFile(path: string, content: string | Uint8Array, options: HoldOptions = {}): void {
  using folder = holdOwnFolder(dirname(path), options);
  try {
    replaceFile(folder.at(basename(path)), content, 0o600, { isSynced: false });
  } catch (error) {
    throw namingFolder(error, dirname(path));
  }
}
