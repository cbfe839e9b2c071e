// Writes the files of a plugin into a new folder: made beside its place and renamed, so it is there as a whole or not at all.

import { closeSync, constants, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { privateDirectory } from "../files/private-file.ts";
import { randomHex } from "../random.ts";
import { checkedParts, PluginFetchError, type PluginFile } from "./plugin-files.ts";

/** Writes into a folder that does not exist yet. The caller removes it, or moves it with `moveFolder`. */
export function placeFiles(files: readonly PluginFile[], parent: string): string {
  const folder = join(privateDirectory(parent), `.new-${randomHex(8)}`);
  mkdirSync(folder, { mode: 0o700 });
  try {
    for (const { path, executable, bytes } of files) {
      const target = join(folder, ...checkedParts(path));
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      writeNew(target, bytes(), executable ? 0o755 : 0o644);
    }
  } catch (error) {
    removeFolder(folder);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTDIR") throw new PluginFetchError("It has two files of the same name");
    throw error;
  }
  return folder;
}

/** Replaces what is there. */
export function moveFolder(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const old = existsSync(to) ? `${to}.old-${randomHex(4)}` : undefined;
  if (old !== undefined) renameSync(to, old);
  renameSync(from, to);
  if (old !== undefined) removeFolder(old);
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

function writeNew(path: string, bytes: Uint8Array, mode: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, flags, mode);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
  } finally {
    closeSync(fd);
  }
}
