// Writes files that come with the program to disk, where another program of the user can read them and no other user can
// plant or replace them.

import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomHex } from "../random.ts";
import { privateDirectory } from "../files/private-file.ts";

export interface ExtractedFiles {
  readonly folder: string;
  remove(): void;
}

/**
 * Creates a folder with a random name in `directory` and these files in it, named by relative paths. Throws and leaves
 * nothing behind if a name is not safe, if anything is there already, or if another user controls the directory.
 */
export function extractFiles(
  directory: string,
  files: Iterable<readonly [name: string, text: string]>,
  nonce = randomHex(16),
): ExtractedFiles {
  const folder = join(privateDirectory(directory), nonce);
  mkdirSync(folder, { mode: 0o700 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const made = new Set(["."]);
    for (const [name, text] of files) {
      checkName(name);
      makeFolders(folder, dirname(name), made);
      createFile(join(folder, name), text);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/** The same on every system: a backslash separates folders on some, and a colon follows the name of a drive. */
function checkName(name: string): void {
  const safe = name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:\0]/.test(part));
  if (!safe) throw new Error(`'${name}' is not a relative path inside the folder`);
}

/** Not with `recursive`, which would accept a link that someone put there. */
function makeFolders(folder: string, relative: string, made: Set<string>): void {
  if (made.has(relative)) return;
  makeFolders(folder, dirname(relative), made);
  mkdirSync(join(folder, relative), { mode: 0o700 });
  made.add(relative);
}

function createFile(path: string, text: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
