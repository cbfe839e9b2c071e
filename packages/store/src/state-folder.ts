// A private folder below the configuration folder, for files that several processes change. No part of it is a link.

import { join } from "node:path";
import { holdOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";

/** Creates the folders. The configuration folder itself may be a link; the user made it. */
export function stateFolder(configDir: string, ...names: readonly string[]): string {
  const strange = names.find((name) => !isFolderName(name));
  if (strange !== undefined) throw new Error(`"${strange}" cannot be the name of a folder`);
  const folder = join(realPathOf(configDir), ...names);
  holdOwnFolder(folder, { create: 0o700 })[Symbol.dispose]();
  return folder;
}

/** One name that stays in its folder on every system: letters, digits, `.`, `_`, `-`, not only dots. */
export function isFolderName(name: string): boolean {
  return /^[\p{L}\p{N}._-]{1,128}$/u.test(name) && !/^\.+$/.test(name);
}
