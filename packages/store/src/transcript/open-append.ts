// Opens a file to append lines to it: private, a regular file, and not through a link.

import { closeSync, constants, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the file and its folder if needed. `look` may read the file; if it throws, the file is closed. */
export function openAppend<T>(
  what: string,
  path: string,
  look: (fd: number, size: number) => T,
): { readonly fd: number } & T {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(`${what} is not a regular file: "${path}"`);
    return { fd, ...look(fd, stat.size) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
