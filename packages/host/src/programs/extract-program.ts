// Extracts a program embedded in our executable to disk, once, where only its owner can change it.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { randomHex } from "../random.ts";

/** The path of the copy, or null if it cannot be stored. The embedded name contains a content hash. */
export function extractProgram(embedded: string, directory: string): string | null {
  // The bundler adds a dot to names without an extension.
  const path = join(directory, basename(embedded).replace(/\.$/, ""));
  const temporary = `${path}.${randomHex(8)}`;
  try {
    const bytes = readFileSync(embedded);
    if (isIntact(path, directory, bytes)) return path;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isOwn(directory)) return null;
    writeFileSync(temporary, bytes, { flag: "wx", mode: 0o700 });
    chmodSync(temporary, 0o700);
    renameSync(temporary, path);
    return path;
  } catch {
    // The home may be read-only; the caller looks elsewhere.
    if (existsSync(temporary)) rmSync(temporary);
    return null;
  }
}

/** The same bytes in a file that we own and may run, in a folder that we own, not writable by others. A command may have changed it. */
function isIntact(path: string, directory: string, bytes: Buffer): boolean {
  if (!isOwn(directory) || !isOwn(path)) return false;
  const stat = lstatSync(path);
  const mayRun = (stat.mode & 0o500) === 0o500;
  return stat.isFile() && mayRun && stat.size === bytes.length && readFileSync(path).equals(bytes);
}

function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
}
