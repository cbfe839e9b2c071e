// Tells the model why a command failed if that was because of a file or folder that it may not read, and how to go on.

import { existsSync } from "node:fs";
import { basename, relative } from "node:path";
import { isInsideFolder, ruleFor } from "./deny-pattern.ts";
import { topOf, trackedIn, type TrackedFiles } from "./git-index.ts";
import type { Denied, DenyOptions } from "./denied.ts";

interface DeniedContext {
  readonly hidden: Denied;
  /** Those folders that commands can write to. */
  readonly writable: readonly string[];
  readonly cwd: string;
  /** The files of the repository that a path is in. */
  trackedNear(path: string): TrackedFiles;
  readonly options: Pick<DenyOptions, "rules" | "directories" | "home">;
}

/** What git says about a file that cannot be opened. */
const GIT_ERROR =
  /can only add regular files|unsupported file type|cannot hash|unable to index file|open\(".*"\): Permission denied/;
const FOLDER_ERROR =
  /Read-only file system|Device or resource busy|Permission denied|No such file|cross-device link|\bE(?:ROFS|BUSY|ACCES|NOENT|XDEV)\b/i;
const MAX_NAMED = 3;
const MAX_LEFT_OUT = 20;

export function deniedNotes(
  { text, code }: { readonly text: string; readonly code: number | null },
  { hidden, writable, cwd, options, trackedNear }: DeniedContext,
): string[] {
  const lines = text.split("\n");
  // Later commands of the line may have succeeded.
  const git = namedIn(lines, GIT_ERROR, [...hidden.files, ...hidden.folders]);
  const folders = code === 0 ? [] : namedIn(lines, FOLDER_ERROR, hidden.folders).filter((path) => !git.includes(path));
  const places = { directories: options.directories(), home: options.home };
  const rule = (path: string) => ruleFor(path, options.rules(), places) ?? "Read";
  const shown = (path: string) => (isInsideFolder(cwd, path) ? relative(cwd, path) : path);
  return [
    ...git.slice(0, 1).map((path) => {
      // git stops at the first one.
      const rest = withTracked(hidden, trackedNear).slice(0, MAX_LEFT_OUT);
      const out = [...new Set([path, ...rest])]
        .map((each) => ` ':(top,exclude)${relative(topOf(each) ?? cwd, each)}'`)
        .join("");
      return `The deny rule ${rule(path)} hides '${shown(path)}' from commands, so git cannot read it. Leave it out: git add -A -- :/${out}, then git commit without -a; or git stash push -- :/${out}`;
    }),
    ...folders.slice(0, MAX_NAMED).map((path) => {
      const start = `The deny rule ${rule(path)} hides '${shown(path)}' from commands: it appears empty.`;
      return writable.includes(path)
        ? `${start} New files in it are kept and replace those of the same name; what was in it before cannot be read, changed or removed, and neither can the folder itself. Leave it in place and write into it (copy, not rename), or ask the user to remove it.`
        : `${start} Commands cannot write to it either. Ask the user to do this, or to change the rule.`;
    }),
  ];
}

/** What is hidden of what git tracks. */
function withTracked({ files, folders }: Denied, trackedNear: (path: string) => TrackedFiles): readonly string[] {
  return [
    ...files.filter((path) => trackedNear(path).has(path)),
    ...folders.filter((path) => trackedIn(path, trackedNear(path)).size > 0),
  ];
}

/** A command that stages everything records the files of a hidden folder as deleted. */
export function untrackedNotes(before: TrackedFiles, after: TrackedFiles): string[] {
  const gone = [...before.keys()].filter((path) => !after.has(path) && existsSync(path));
  if (gone.length === 0) return [];
  const shown = gone.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  const more = gone.length > MAX_NAMED ? ` and ${gone.length - MAX_NAMED} more` : "";
  return [
    `git no longer tracks ${shown.join(", ")}${more}: a deny rule hides the folder from commands, so the files looked deleted. To undo it: git reset -q HEAD; if it is committed: git reset -q --soft HEAD~1, git reset -q, and commit again. Next time leave the folder out: git add -A -- :/ ':(top,exclude)FOLDER'`,
  ];
}

/** Those that a line with such an error names, by path or by name. */
function namedIn(lines: readonly string[], error: RegExp, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const failed = lines.filter((line) => error.test(line)).map((line) => ` ${line.replaceAll(/["'`():,/\s]+/g, " ")} `);
  const isNamed = (path: string) =>
    failed.some((line) => line.includes(` ${basename(path).replaceAll(/["'`():,/\s]+/g, " ")} `));
  return paths.filter(isNamed);
}
