// A quick look at the instruction files of a project: whether one of them may include another file. The session reads
// them in full, unless there is something to ask.

import { dirname, join } from "node:path";
import { readUserFile } from "@keelson/disk/own-files";

const NAMES = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];

export function mayIncludeFiles(cwd: string): boolean {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (NAMES.some((name) => hasMention(join(folder, name)))) return true;
    if (dirname(folder) === folder) return false;
  }
}

const MOST_BYTES = 64 * 1024 * 1024;

function hasMention(path: string): boolean {
  return readUserFile(path, MOST_BYTES)?.includes("@") === true;
}
