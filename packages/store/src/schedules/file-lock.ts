// A lock file: one writer at a time, among processes. A lock that its process left behind is broken after a while.

import { closeSync, constants, lstatSync, openSync, writeSync } from "node:fs";
import { readRegular, removeQuietly, ScheduleFileError } from "./held-config.ts";

const STALE_MS = 5_000;
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

export interface FileLock extends Disposable {
  /** False if another process took it for left behind. Then nothing may be written. */
  isHeld(): boolean;
}

export async function takeFileLock(path: string): Promise<FileLock> {
  const token = crypto.randomUUID();
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const isHeld = () => readRegular(path, token.length) === token;
  for (const began = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))) {
    try {
      const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      writeSync(fd, token);
      closeSync(fd);
      return { isHeld, [Symbol.dispose]: () => void (isHeld() && removeQuietly(path)) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const found = lstatSync(path, { throwIfNoEntry: false });
    // One from the future is as old: the clock was set back, or it came with the repository.
    if (found && Math.abs(Date.now() - found.mtimeMs) > STALE_MS) removeQuietly(path);
    if (Date.now() - began > PATIENCE_MS) throw new ScheduleFileError("is being written by another process; try again");
  }
}
