// Finds the programs that Keelson runs outside the shield for its own purposes: git, bwrap, pdftoppm and so on. They come
// only from folders that commands cannot change, whatever comes first on the PATH.

import { delimiter, isAbsolute, join, resolve } from "node:path";
import { withoutLoaded } from "../loader-variables.ts";
import { isProgram } from "../../shell/environment/choose.ts";
import { isChangeable } from "./trail.ts";

/** Null if there is none that may be used. */
export type FindHelper = (name: string) => string | null;

/** Where a system keeps its programs. For root, who may write everywhere, only these count, in this order. */
const SYSTEM_FOLDERS = [
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/run/current-system/sw/bin",
  "/nix/var/nix/profiles/default/bin",
  "/opt/homebrew/bin",
  "/snap/bin",
];

export const isRoot = () => process.getuid?.() === 0;

export function findHelper(name: string, path: string | undefined): string | null {
  const found = helperFolders(path).map((folder) => join(folder, name));
  return found.find((each) => isProgram(each) && (isRoot() || !isChangeable(each))) ?? null;
}

/** What a helper gets as its PATH: it starts other programs by name, as git starts ssh. */
export function helperPath(path: string | undefined): string {
  return helperFolders(path)
    .filter((folder) => isRoot() || !isChangeable(folder))
    .join(delimiter);
}

/** What a helper gets as its environment: nothing in it names code that commands could have written. */
export function helperEnvironment<Value extends string | undefined>(
  env: Readonly<Record<string, Value>>,
): Record<string, Value | string> {
  return { ...withoutLoaded(env), PATH: helperPath(env["PATH"]) };
}

/** Why a helper is not used, and what helps. `so`: what follows if commands could replace it. */
export function helperMissing(name: string, path: string | undefined, fix: string, so = "it is not used"): string {
  const elsewhere = absoluteFolders(path).find((folder) => isProgram(join(folder, name)));
  if (elsewhere === undefined) return `${name} was not found; ${fix}`;
  return `${name} is only in ${elsewhere}, where commands could replace it, so ${so}; ${fix}`;
}

/** A folder of the system that is not on the PATH is not used: someone left it out. */
function helperFolders(path: string | undefined): readonly string[] {
  const folders = path === undefined ? SYSTEM_FOLDERS.slice(0, 2) : absoluteFolders(path);
  return isRoot() ? SYSTEM_FOLDERS.filter((folder) => folders.includes(folder)) : folders;
}

export function absoluteFolders(path: string | undefined): readonly string[] {
  const folders = (path ?? "").split(delimiter).filter(isAbsolute);
  return [...new Set(folders.map((folder) => resolve(folder)))];
}

export const isSystemFolder = (folder: string) => SYSTEM_FOLDERS.includes(folder);
