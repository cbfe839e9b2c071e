// A file that lines are added to: private, never through a link, and only a regular one.

import { closeSync, constants, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Opens it, made with its folder when it is missing. `look` may read it; what it throws closes the file again. */
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
