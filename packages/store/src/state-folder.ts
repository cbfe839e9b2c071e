// A private folder below the configuration folder, for files that several processes change. No part of it is a link.

import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Creates the folders. The configuration folder itself may be a link; the user made it. */
export function stateFolder(configDir: string, ...names: readonly string[]): string {
  mkdirSync(configDir, { recursive: true, mode: 0o700 });
  let folder = realpathSync(configDir);
  for (const name of names) {
    if (!isFolderName(name)) throw new Error(`"${name}" cannot be the name of a folder`);
    folder = join(folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!lstatSync(folder).isDirectory()) throw new Error(`"${folder}" is not a folder; remove it`);
  }
  return folder;
}

/** One name that stays in its folder on every system: letters, digits, `.`, `_`, `-`, not only dots. */
export function isFolderName(name: string): boolean {
  return /^[\p{L}\p{N}._-]{1,128}$/u.test(name) && !/^\.+$/.test(name);
}
