// Puts a program that is embedded in our executable on disk, once, where only its owner can change it.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { randomHex } from "../random.ts";

/** The path of the extracted copy, or null when it cannot be kept there. The embedded name carries a content hash. */
export function extractProgram(embedded: string, directory: string): string | null {
  // The bundler leaves a dot where a name has no ending.
  const path = join(directory, basename(embedded).replace(/\.$/, ""));
  const temporary = `${path}.${randomHex(8)}`;
  try {
    if (isIntact(path, directory)) return path;
    const bytes = readFileSync(embedded);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isOwn(directory)) return null;
    writeFileSync(temporary, bytes, { flag: "wx", mode: 0o700 });
    chmodSync(temporary, 0o700);
    renameSync(temporary, path);
    return path;
  } catch {
    // A home that cannot be written to: the caller looks elsewhere.
    if (existsSync(temporary)) rmSync(temporary);
    return null;
  }
}

/** A file of ours, in a folder of ours, that nobody else may write. */
function isIntact(path: string, directory: string): boolean {
  return isOwn(directory) && isOwn(path) && lstatSync(path).isFile() && lstatSync(path).size > 0;
}

function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
}
