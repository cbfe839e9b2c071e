// Whether git tracks a file, read from the index without starting git. If in doubt, the answer is yes: a file that came
// with a repository is trusted less than one its user wrote.

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const MAX_INDEX = 128 * 1024 * 1024;
const MAX_GIT_LINK = 64 * 1024;
// Version 4 compresses names by their common prefix, so a plain search does not work.
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
    // Ignore case: on some file systems `.Claude` and `.claude` are the same folder.
    const wanted = `${Buffer.from(name).toString("latin1").toLowerCase()}\0`;
    const text = bytes.toString("latin1").toLowerCase();
    // A split index keeps most names in another file.
    return text.includes(wanted) || text.includes("link\0\0\0");
  } catch {
    return true;
  }
}

// In an untrusted folder `.git` may be anything, such as a FIFO without a writer or an endless device.
function readGitLink(git: string): string {
  const fd = openSync(git, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_GIT_LINK) throw new Error(`Not a link to a git folder: ${git}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

// In worktrees and submodules `.git` is a file that names the real folder.
function indexFolder(git: string): string {
  if (statSync(git).isDirectory()) return git;
  const target = /^gitdir: (.+)$/m.exec(readGitLink(git))?.[1];
  if (target === undefined) throw new Error(`No gitdir in ${git}`);
  return resolve(dirname(git), target.trim());
}
