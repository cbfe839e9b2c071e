// Whether git tracks a file, read straight from the index: no process is started for it.
// In doubt the answer is yes, because what a repository ships is trusted less than what a person wrote.

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const MAX_INDEX = 128 * 1024 * 1024;
const MAX_POINTER = 64 * 1024;
// Version 4 shortens names by what they share with the one before; a plain search cannot read it.
const SEARCHABLE = [2, 3];

export function isTracked(file: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (existsSync(git)) return indexHolds(git, relative(folder, file).split(sep).join("/"));
    if (dirname(folder) === folder) return false;
  }
}

function indexHolds(git: string, name: string): boolean {
  try {
    const index = join(indexFolder(git), "index");
    const stat = statSync(index, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (!stat.isFile() || stat.size > MAX_INDEX) return true;
    const bytes = readFileSync(index);
    if (bytes.length < 12 || !SEARCHABLE.includes(bytes.readUInt32BE(4))) return true;
    // Case is folded: on some file systems `.Claude` and `.claude` are one folder.
    const wanted = `${Buffer.from(name).toString("latin1").toLowerCase()}\0`;
    const text = bytes.toString("latin1").toLowerCase();
    // A split index keeps most names in another file.
    return text.includes(wanted) || text.includes("link\0\0\0");
  } catch {
    return true;
  }
}

// It may be anything in a folder we know nothing of: a pipe nobody writes to, a device without end.
function readPointer(git: string): string {
  const fd = openSync(git, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_POINTER) throw new Error(`Not a pointer to a repository: ${git}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

// In worktrees and submodules `.git` is a file that names the real folder.
function indexFolder(git: string): string {
  if (statSync(git).isDirectory()) return git;
  const target = /^gitdir: (.+)$/m.exec(readPointer(git))?.[1];
  if (target === undefined) throw new Error(`No gitdir in ${git}`);
  return resolve(dirname(git), target.trim());
}
