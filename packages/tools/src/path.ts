// Paths as the model gives them and as it is shown them. Resolving is plain text work; links are the gate's business.

import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolError, type ToolContext } from "@keelson/engine";

type Place = Pick<ToolContext, "workspace" | "env">;

/** The absolute path a tool input means: relative ones start where the shell stands, `~` is the home directory. */
export function resolvePath(path: string, { workspace, env }: Place): string {
  if (path.includes("\0")) throw new ToolError("The path contains a NUL character, which no file name can have");
  const home = env.HOME;
  if (home && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return resolve(workspace.cwd, path);
}

/** Relative to the working directory, or absolute outside it. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return isOutside(shown) ? path : shown || ".";
}

const isOutside = (path: string) => path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);

export function cwdNote({ workspace }: Place): string {
  return `Note: your current working directory is ${workspace.cwd}.`;
}

/** What to throw for a file that is not there, with the nearest name beside it when there is one that may be told. */
export async function missingFileError(path: string, context: ToolContext): Promise<ToolError> {
  const near = await suggestName(path, context);
  return new ToolError(`File does not exist. ${cwdNote(context)}${near ? ` Did you mean ${near}?` : ""}`);
}

const MAX_SUGGESTIONS_TRIED = 5;

/** Nobody has judged the path yet, so only names that need no asking count: inside the working directories, not hidden. */
async function suggestName(path: string, { files, mayRead, workspace }: ToolContext): Promise<string | undefined> {
  const folder = dirname(path);
  const isInside = async (place: string) => {
    const real = (await files.stat(place).catch(() => null))?.realPath;
    return real !== undefined && workspace.directories.some((each) => !isOutside(relative(each, real)));
  };
  if (!(await isInside(folder))) return undefined;
  let names = await files.names(folder);
  for (let tried = 0; tried < MAX_SUGGESTIONS_TRIED; tried++) {
    const near = nearestName(basename(path), names);
    if (near === undefined) return undefined;
    const place = join(folder, near);
    if (mayRead(place) && (await isInside(place))) return near;
    names = names.filter((name) => name !== near);
  }
  return undefined;
}

// A folder of a million names must not turn a typing slip into a pause.
const MAX_NAMES = 5_000;

/** The name somebody probably meant: other case, other extension, or a slip of at most two letters. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const few = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES) : names;
  const folded = wanted.toLowerCase();
  const sameLetters = few.find((name) => name.toLowerCase() === folded);
  if (sameLetters) return sameLetters;

  const stem = stemOf(folded);
  const otherExtension = stem === "" ? undefined : few.find((name) => stemOf(name.toLowerCase()) === stem);
  if (otherExtension) return otherExtension;

  const slips = folded.length < 5 ? 1 : 2;
  return few.find((name) => isWithinEdits(slips, folded, name.toLowerCase()));
}

const stemOf = (name: string) => name.slice(0, name.length - extname(name).length);

/** Whether two words are at most so many insertions, deletions or changes of one letter apart. */
function isWithinEdits(limit: number, a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > limit || a.length > 100) return false;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]! <= limit;
}
