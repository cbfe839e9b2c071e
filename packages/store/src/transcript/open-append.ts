// Opens a file to append lines to it: private, a regular file, and not through a link.

import { closeSync, constants, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the file and its folder if needed. `look` may read the file; if it throws, the file is closed. */
export function openAppend<T>(
  what: string,
  path: string,
  look: (fd: number, size: number) => T,
): { readonly fd: number } & T {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  const fd = openPrivate(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(`${what} is not a regular file: "${path}"`);
    return { fd, ...look(fd, stat.size) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a file that only the user may read. Its folder is nearly always there: it is created if it is not. */
export function openPrivate(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, flags, 0o600);
  }
}
