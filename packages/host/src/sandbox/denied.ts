// The files a command must not see: every path that Read deny rules speak of, found on disk, by its real name.
// The gate has the last word on each; links and hard links to a hidden file are hidden with it.

import { readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { denyPlaces, isMeant, type DenyPlace, type DenyRule } from "./deny-pattern.ts";
import { createFolderIndex, type FolderIndex } from "./folder-index.ts";
import { look } from "./look.ts";

export interface DenyOptions {
  /** The rules as they are now. A new array when they have changed. */
  rules(): readonly DenyRule[];
  /** The gate's own answer for one path. */
  mayRead(path: string): boolean;
  directories(): readonly string[];
  readonly home: string;
  warn(text: string): void;
}

export interface Denied {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** False when a limit was met: then some of what is denied is not among these. */
  readonly complete: boolean;
}

export interface DeniedFiles {
  find(cwd: string): Promise<Denied>;
}

/** Mounting takes time for each; past this the rules alone have to do. */
const MOST_HIDDEN = 400;
const MOST_LINK_LOOKS = 200_000;
/** Outside the working directories trees may be endless. */
const MOST_FOLDERS_OUTSIDE = 5_000;

const NONE: Denied = { files: [], folders: [], complete: true };

interface Search {
  readonly index: FolderIndex;
  readonly folder: string;
}

export function createDeniedFiles(options: DenyOptions): DeniedFiles {
  let key = "";
  let rulesSeen: readonly DenyRule[] | undefined;
  let literals: readonly string[] = [];
  let searches: readonly Search[] = [];
  const linked = new Map<string, readonly string[]>();
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (!warned.has(text)) options.warn(text);
    warned.add(text);
  };

  function plan(directories: readonly string[]): void {
    const rules = options.rules();
    const newKey = directories.join("\0");
    if (rules === rulesSeen && newKey === key) return;
    rulesSeen = rules;
    key = newKey;
    const places = denyPlaces(rules, { directories, home: options.home });
    literals = [...new Set(places.flatMap((place) => (place.kind === "path" ? [place.path] : [])))];
    searches = searchesFor(places, directories, options.mayRead);
  }

  return {
    async find(cwd) {
      const directories = options.directories();
      const places = directories.some((directory) => isInside(directory, cwd)) ? directories : [...directories, cwd];
      plan(places);
      if (literals.length === 0 && searches.length === 0) return NONE;
      let complete = true;
      const found = [...literals.filter((path) => look(path) && !options.mayRead(path))];
      for (const { index, folder } of searches) {
        found.push(...(await index.refresh()));
        if (!index.isCut) continue;
        complete = false;
        warnOnce(`Not every folder beneath '${folder}' is searched for denied files: there are too many`);
      }
      const files = new Set<string>();
      const folders = new Set<string>();
      for (const path of found) {
        const real = resolved(path);
        if (!real) continue;
        if (!real.stat.isDirectory()) {
          files.add(real.path);
          if (real.stat.isFile() && real.stat.nlink > 1) {
            for (const other of hardLinks(real, searches, places, linked)) files.add(other);
          }
        } else if ([...places, options.home].some((place) => isInside(real.path, place))) {
          complete = false;
          warnOnce(`A deny rule covers '${real.path}', where commands run; for commands it is not hidden`);
        } else folders.add(real.path);
      }
      const outer = [...folders].filter((path) => !inAny(path, folders));
      const single = [...files].filter((path) => !inAny(path, folders));
      if (outer.length + single.length > MOST_HIDDEN) {
        complete = false;
        warnOnce(
          `Deny rules cover more than ${MOST_HIDDEN} files and folders; commands are kept from the first ${MOST_HIDDEN}`,
        );
      }
      return {
        folders: outer.slice(0, MOST_HIDDEN),
        files: single.slice(0, Math.max(0, MOST_HIDDEN - outer.length)),
        complete,
      };
    },
  };
}

/** One index for each folder, whatever the number of rules. */
function searchesFor(
  places: readonly DenyPlace[],
  directories: readonly string[],
  mayRead: (path: string) => boolean,
): Search[] {
  const byFolder = Map.groupBy(
    places.filter((place) => place.kind === "search"),
    ({ folder }) => folder,
  );
  return [...byFolder].map(([folder, group]) => {
    const patterns = group.map(({ pattern }) => pattern);
    const index = createFolderIndex({
      folder,
      depth: Math.max(...group.map(({ depth }) => depth)),
      matches: (relative) => patterns.some((pattern) => isMeant(pattern, relative)) && !mayRead(join(folder, relative)),
      ...(directories.some((directory) => isInside(directory, folder)) ? {} : { mostFolders: MOST_FOLDERS_OUTSIDE }),
    });
    return { index, folder };
  });
}

function resolved(path: string): { path: string; stat: Stats } | null {
  try {
    const real = realpathSync(path);
    return { path: real, stat: statSync(real) };
  } catch {
    return null; // a link that leads nowhere, or gone
  }
}

/** Other names of the same file in the working directories. Only asked for when the file says it has some. */
function hardLinks(
  file: { readonly path: string; readonly stat: Stats },
  searches: readonly Search[],
  directories: readonly string[],
  known: Map<string, readonly string[]>,
): readonly string[] {
  const { dev, ino, nlink, ctimeMs } = file.stat;
  // A new name changes ctime, so what was found stays true as long as that does.
  const key = `${dev}:${ino}:${nlink}:${ctimeMs}`;
  const before = known.get(key);
  if (before) return before;
  const found: string[] = [];
  let looks = 0;
  const folders = searches.filter(({ folder }) => directories.includes(folder)).flatMap(({ index }) => index.folders());
  for (const folder of folders.length > 0 ? folders : directories) {
    for (const name of names(folder)) {
      if (++looks > MOST_LINK_LOOKS || found.length + 1 >= nlink) break;
      const path = join(folder, name);
      const stat = look(path);
      if (path !== file.path && stat?.ino === ino && stat.dev === dev) found.push(path);
    }
  }
  known.set(key, found);
  return found;
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function inAny(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
}
