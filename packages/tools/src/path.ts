// Resolves paths from the model and shortens paths for it. Works on text only; the gate resolves symbolic links.

import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolError, type ToolContext } from "@keelson/engine";

type Place = Pick<ToolContext, "workspace" | "env">;

/** The absolute path: relative paths start at the shell's working directory, `~` is the home directory. */
export function resolvePath(path: string, { workspace, env }: Place): string {
  if (path.includes("\0")) throw new ToolError("The path contains a NUL character");
  const home = env.HOME;
  if (home && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return resolve(workspace.cwd, path);
}

/** Relative to the working directory, or absolute outside it. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return isOutside(shown) ? path : shown || ".";
}

export const isInFolders = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => !isOutside(relative(folder, path)));

const isOutside = (path: string) => path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);

export function cwdNote({ workspace }: Place): string {
  return `Note: your current working directory is ${workspace.cwd}.`;
}

/** The error for a missing file. Suggests a similar name if there is one the model may see. */
export async function missingFileError(path: string, context: ToolContext): Promise<ToolError> {
  const near = await suggestName(path, context);
  return new ToolError(`File does not exist. ${cwdNote(context)}${near ? ` Did you mean ${near}?` : ""}`);
}

const MAX_SUGGESTIONS_TRIED = 5;

/** The gate has not checked this path, so suggest only readable files inside the working directories. */
async function suggestName(path: string, { files, mayRead, workspace }: ToolContext): Promise<string | undefined> {
  const folder = dirname(path);
  const isInside = async (place: string) => {
    const real = (await files.stat(place).catch(() => null))?.realPath;
    return real !== undefined && isInFolders(real, workspace.directories);
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

// Do not scan a folder with a million files because of a typo.
const MAX_NAMES = 5_000;

/** The name that was probably meant: different case, different extension, or a typo of up to two letters. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const candidates = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES) : names;
  const folded = wanted.toLowerCase();
  const sameLetters = candidates.find((name) => name.toLowerCase() === folded);
  if (sameLetters) return sameLetters;

  const stem = stemOf(folded);
  const otherExtension = stem === "" ? undefined : candidates.find((name) => stemOf(name.toLowerCase()) === stem);
  if (otherExtension) return otherExtension;

  const slips = folded.length < 5 ? 1 : 2;
  return candidates.find((name) => isWithinEdits(slips, folded, name.toLowerCase()));
}

const stemOf = (name: string) => name.slice(0, name.length - extname(name).length);

/** Whether the edit distance of two words is within the limit. */
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

/** Where a search looks, as people read it. */
export const inFolder = (path: string) => (path === "" ? "" : ` in ${path}`);
