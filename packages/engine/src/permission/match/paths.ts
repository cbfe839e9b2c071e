// Paths as text: absolute, without `.` and `..`. Knows nothing of what is on disk.

import { dirname, normalize, resolve } from "node:path/posix";

/** True for the folder itself and for what lies beneath it; never for a sibling whose name begins alike. */
export function isInside(folder: string, path: string): boolean {
  const parent = stripSlash(normalize(folder));
  const child = stripSlash(normalize(path));
  return parent === "/" || child === parent || child.startsWith(`${parent}/`);
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}

/** Makes a path absolute. `cwd` must be absolute already, so the process's own directory never counts. */
export function absolute(cwd: string, path: string): string {
  return resolve("/", cwd, path);
}

/** The folder and every folder above it, up to the root. */
export function withParents(folder: string): string[] {
  const chain = [stripSlash(normalize(folder))];
  for (let at = chain[0]!; at !== "/" && at !== "."; at = chain.at(-1)!) chain.push(dirname(at));
  return chain;
}

/** Two names that some file system takes for one become the same: case, and letters written in several ways. */
export function fold(path: string): string {
  return (/^[ -~]*$/.test(path) ? path : path.normalize("NFKC")).toLowerCase();
}

/**
 * Folded names under which a path may be known besides its own: the names that some systems would open in its place, and
 * without the detours through `/proc` and the like. For comparing with what is forbidden.
 */
export function otherNames(path: string, cwd: string): string[] {
  const own = fold(path);
  const direct = fold(withoutDetour(path, cwd));
  if (own === direct && !/:|[. ](?:\/|$)/.test(own)) return [own];
  const opened = direct
    .split("/")
    .map(openedName)
    .filter((name) => name !== "");
  return [...new Set([own, direct, `/${opened.join("/")}`])];
}

/**
 * The name Windows opens for this one: without the dots and blanks at its end, and without the stream that follows a
 * colon, so that `.env::$DATA` is `.env` and `.git:x` is a part of `.git`.
 */
export function openedName(name: string): string {
  if (name === "." || name === "..") return name;
  const colon = name.indexOf(":");
  let end = colon > 0 ? colon : name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return name.slice(0, end);
}

/**
 * Whether a name may be the short (8.3) name that Windows keeps for a long one: `git~1` for `.git`, `settin~1.jso` for
 * `settings.json`. Both folded.
 */
export function isShortNameOf(name: string, long: string): boolean {
  const [, stem, number, extension = ""] = /^([^.~]{1,6})~(\d{1,6})(?:\.([^.]{0,3}))?$/.exec(name) ?? [];
  if (stem === undefined) return false;
  const visible = long.replace(/^\.+/, "");
  const dot = visible.lastIndexOf(".");
  const base = (dot < 0 ? visible : visible.slice(0, dot)).replace(/[. ]/g, "");
  if (extension !== (dot < 0 ? "" : visible.slice(dot + 1, dot + 4))) return false;
  // After a few of one kind, the name is two letters and a number made from all of it.
  const isHashed = /^..?[\da-f]{4}$/.test(stem) && stem.slice(0, -4) === base.slice(0, 2);
  return isHashed || stem === base.slice(0, 7 - number!.length);
}

const DETOUR = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(root|cwd)(?=\/|$)|^\/system\/volumes\/data(?=\/)/i;
const MOST_DETOURS = 16;

/** `/proc/self/root/etc` is `/etc`, and `/proc/self/cwd` is where the shell stands. */
export function withoutDetour(path: string, cwd: string): string {
  let direct = path;
  for (let turns = 0; turns < MOST_DETOURS; turns++) {
    const found = DETOUR.exec(direct);
    if (!found) return direct;
    const rest = direct.slice(found[0].length);
    direct = found[1]?.toLowerCase() === "cwd" ? absolute(cwd, `.${rest}`) : rest || "/";
  }
  return direct;
}

/** `name/..`: where that leads depends on whether the name is a link, which the text does not tell. */
export function climbsBack(path: string): boolean {
  return /(^|\/)(?!\.{1,2}\/)[^/]+\/+(\.\/+)*\.\.(\/|$)/.test(path);
}

function stripSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
