// A quick look at the instruction files of a project: whether one of them may include another file. The session reads
// them in full, unless there is something to ask.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NAMES = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];

export function mayIncludeFiles(cwd: string): boolean {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (NAMES.some((name) => hasMention(join(folder, name)))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function hasMention(path: string): boolean {
  try {
    return readFileSync(path, "latin1").includes("@");
  } catch {
    return false;
  }
}
