// The `.claude` folder of a project, held open: what happens in it stays in it, even if links are put in its place meanwhile.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { holdOwnFolder, NotOurFileError, type HeldFolder } from "@keelson/disk/own-files";

/** `message` says what is wrong with the file, after its name. */
export class ScheduleFileError extends Error {
  override readonly name = "ScheduleFileError";
}

/** Undefined if there is no such folder and `create` is not set. Throws if it is a link. */
export function holdConfig(project: string, { create }: { readonly create: boolean }): HeldFolder | undefined {
  try {
    return holdOwnFolder(join(project, ".claude"), create ? { create: 0o777 } : {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof NotOurFileError) throw new ScheduleFileError("is behind a link, which is not followed");
    throw error;
  }
}

/** Undefined if it does not exist. Throws for anything but a regular file of at most `maxBytes`. */
export function readRegular(path: string, maxBytes: number): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw new ScheduleFileError("is a link, which is not followed");
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    const { size } = stat;
    if (!stat.isFile()) throw new ScheduleFileError("is not a regular file");
    if (size > maxBytes) throw new ScheduleFileError(`is larger than ${maxBytes / 1024 / 1024} MiB`);
    const bytes = Buffer.alloc(size);
    let done = 0;
    for (let read = -1; read !== 0 && done < size; done += read) read = readSync(fd, bytes, done, size - done, null);
    return bytes.toString("utf8", 0, done);
  } finally {
    closeSync(fd);
  }
}
