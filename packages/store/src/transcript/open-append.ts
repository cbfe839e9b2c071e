// Opens a file of ours to append lines to it.

import { closeSync, fstatSync } from "node:fs";
import { appendOwnFile } from "@keelson/disk/own-files";

/** Creates the file and its folder if needed. `look` may read the file; if it throws, the file is closed. */
export function openAppend<T>(path: string, look: (fd: number, size: number) => T): { readonly fd: number } & T {
  const fd = appendOwnFile(path);
  try {
    return { fd, ...look(fd, fstatSync(fd).size) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
