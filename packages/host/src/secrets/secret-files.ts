// Files with secrets: one per key, mode 0600, in a folder with mode 0700. Written completely or not at all, and never
// through a link.

import { chmodSync, closeSync, constants, fchmodSync, fstatSync, lstatSync, readFileSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { holdOwnFolder, NotOurFileError, openOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { replaceFile } from "@keelson/disk/replace-file";
import { privateDirectory } from "../files/private-file.ts";

const MAX_BYTES = 1024 * 1024;

export interface SecretFiles {
  /** Undefined if there is none. Throws if it is not a file of ours. */
  read(name: string): string | undefined;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** The path of a file in the folder, which exists from now on. */
  path(name: string): string;
}

export function secretFiles(given: string): SecretFiles {
  // The configuration folder may be behind the user's links; the folder in it is not.
  const folder = join(realPathOf(dirname(given)), basename(given));
  return {
    read(name) {
      const fd = openIfThere(join(folder, name));
      if (fd === undefined) return undefined;
      try {
        const { uid, mode, size } = fstatSync(fd);
        const isOurs = process.geteuid === undefined || uid === process.geteuid();
        if ((mode & constants.S_IFMT) !== constants.S_IFREG || !isOurs || size > MAX_BYTES) {
          throw new Error(`"${join(folder, name)}" is not a file that Keelson wrote; delete it`);
        }
        // Copied from a backup, perhaps.
        if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
        return readFileSync(fd, "utf8");
      } finally {
        closeSync(fd);
      }
    },
    write(name, text) {
      prepareFolder(folder);
      using held = holdOwnFolder(folder);
      replaceFile(held.at(name), text, 0o600);
    },
    remove: (name) => removeIfThere(join(folder, name)),
    path(name) {
      prepareFolder(folder);
      return join(folder, name);
    },
  };
}

function prepareFolder(folder: string): void {
  privateDirectory(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`"${folder}" is a link; secrets are only stored in a real folder`);
  if ((found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

function openIfThere(path: string): number | undefined {
  try {
    return openOwnFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (error instanceof NotOurFileError)
      throw new Error(`"${path}" is a link, not a file that Keelson wrote; delete it`);
    throw error;
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
