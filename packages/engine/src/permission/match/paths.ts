// Paths as text: absolute, without `.` and `..`. Does not access the disk.

import { dirname, normalize, resolve } from "node:path/posix";

/** True for the folder itself and everything below it; never for a sibling whose name starts the same. */
export function isInside(folder: string, path: string): boolean {
  const parent = stripSlash(normalize(folder));
  const child = stripSlash(normalize(path));
  return parent === "/" || child === parent || child.startsWith(`${parent}/`);
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}

/** Makes a path absolute. `cwd` must already be absolute, so the process's own directory never matters. */
export function absolute(cwd: string, path: string): string {
  return resolve("/", cwd, path);
}

/** The folder and every folder above it, up to the root. */
export function withParents(folder: string): string[] {
  const chain = [stripSlash(normalize(folder))];
  for (let at = chain[0]!; at !== "/" && at !== "."; at = chain.at(-1)!) chain.push(dirname(at));
  return chain;
}

/** Makes names equal that some file system treats as equal: different case, and characters with several encodings. */
export function fold(path: string): string {
  return (/^[ -~]*$/.test(path) ? path : path.normalize("NFKC")).toLowerCase();
}

/**
 * Folded names that may refer to the same path: names that some systems would open in its place, and names without
 * detours through `/proc` and similar. For comparison with what is denied.
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
 * The name Windows opens for this one: without trailing dots and spaces, and without the stream after a colon. So
 * `.env::$DATA` is `.env`, and `.git:x` is part of `.git`.
 */
export function openedName(name: string): string {
  if (name === "." || name === "..") return name;
  const colon = name.indexOf(":");
  let end = colon > 0 ? colon : name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return name.slice(0, end);
}

/**
 * Whether a name may be the short (8.3) name of a long one on Windows: `git~1` for `.git`, `settin~1.jso` for
 * `settings.json`. Both must be folded.
 */
export function isShortNameOf(name: string, long: string): boolean {
  const [, stem, number, extension = ""] = /^([^.~]{1,6})~(\d{1,6})(?:\.([^.]{0,3}))?$/.exec(name) ?? [];
  if (stem === undefined) return false;
  const visible = long.replace(/^\.+/, "");
  const dot = visible.lastIndexOf(".");
  const base = (dot < 0 ? visible : visible.slice(0, dot)).replace(/[. ]/g, "");
  if (extension !== (dot < 0 ? "" : visible.slice(dot + 1, dot + 4))) return false;
  // After a few similar names, Windows uses two letters and a hash.
  const isHashed = /^..?[\da-f]{4}$/.test(stem) && stem.slice(0, -4) === base.slice(0, 2);
  return isHashed || stem === base.slice(0, 7 - number!.length);
}

const DETOUR = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(root|cwd)(?=\/|$)|^\/system\/volumes\/data(?=\/)/i;
const MOST_DETOURS = 16;

/** `/proc/self/root/etc` is `/etc`, and `/proc/self/cwd` is the shell's current folder. */
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

/** `name/..`: where it leads depends on whether the name is a link, which the text does not show. */
export function climbsBack(path: string): boolean {
  return /(^|\/)(?!\.{1,2}\/)[^/]+\/+(\.\/+)*\.\.(\/|$)/.test(path);
}

function stripSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
