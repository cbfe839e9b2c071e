// Finds the files that Read deny rules hide from commands, by their real paths. The gate confirms each one.
// Links and hard links to a hidden file are hidden too.

import { realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { denyPlaces, isInsideFolder, matcherOf, type DenyPlace, type DenyRule } from "./deny-pattern.ts";
import { createFolderIndex, type FolderIndex } from "./folder-index.ts";
import { foldersInRules } from "./folders-in-rules.ts";
import { linkedFiles, findLinkNames, type LinkedFiles } from "./hard-links.ts";
import { lstatOrNull } from "../guarded/stat.ts";
import { throwIfStarved } from "../throw-if-starved.ts";

export interface DenyOptions {
  /** The current rules. Returns a new array if they have changed. */
  rules(): readonly DenyRule[];
  /** The gate's decision for one path, by name only. */
  mayRead(path: string): boolean;
  directories(): readonly string[];
  /** Where the session worked before: the rules still hide files there. */
  former?(): readonly string[];
  readonly home: string;
  warn(text: string): void;
}

export interface Denied {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Folders above them that must stay in place: under another name, the rules would not find what is in them. */
  readonly above: readonly string[];
  /** False if a limit was reached, so some denied files are missing. */
  readonly complete: boolean;
}

/** Denied files that have more than one name. */
export interface DeniedLinks {
  readonly linked: LinkedFiles;
  /** False if a limit was reached, so there may be more. */
  readonly complete: boolean;
}

export interface DeniedFiles {
  find(cwd: string): Promise<Denied>;
  links(cwd: string): Promise<DeniedLinks>;
}

/** Each mount takes time. Beyond this, only the gate enforces the rules. */
const MAX_HIDDEN = 400;
/** Each is held open. Beyond this, too, only the gate enforces the rules. */
const MAX_ABOVE = 200;
/** How many files in denied folders are checked for hard links: before each command, and before a linked file is read. */
const MAX_LINK_CHECKS = { command: 500, read: 10_000 };
/** Outside the working directories, trees may be huge. */
const MAX_FOLDERS_OUTSIDE = 5_000;

interface Search {
  readonly index: FolderIndex;
  readonly folder: string;
}

export function createDeniedFiles(options: DenyOptions): DeniedFiles {
  let key = "";
  let rulesSeen: readonly DenyRule[] | undefined;
  let literals: readonly string[] = [];
  let searches: readonly Search[] = [];
  const trees = new Map<string, FolderIndex>();
  let otherNames: { readonly key: string; readonly names: readonly string[]; readonly complete: boolean } | undefined;
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (!warned.has(text)) options.warn(text);
    warned.add(text);
  };

  function planSearches(directories: readonly string[], roots: readonly string[]): void {
    const rules = options.rules();
    const newKey = [...directories, "", ...roots].join("\0");
    if (rules === rulesSeen && newKey === key) return;
    rulesSeen = rules;
    key = newKey;
    const places = denyPlaces(rules, { directories, home: options.home });
    literals = [...new Set(places.flatMap((place) => (place.kind === "path" ? [place.path] : [])))];
    searches = searchesFor(places, roots, options.mayRead);
  }

  /** Where commands run. */
  function placesFor(cwd: string): readonly string[] {
    const directories = options.directories();
    return directories.some((directory) => isInsideFolder(directory, cwd)) ? directories : [...directories, cwd];
  }

  /** What is denied now, by real path. */
  async function search(places: readonly string[], roots: readonly string[]) {
    planSearches(places, roots);
    let complete = true;
    const found = [...literals.filter((path) => lstatOrNull(path) && !options.mayRead(path))];
    for (const { index, folder } of searches) {
      found.push(...(await index.refresh()));
      if (!index.isCut) continue;
      complete = false;
      warnOnce(
        `Not all folders in '${folder}' are searched for denied files: there are too many, or the rules take too long to match`,
      );
    }
    const files = new Set<string>();
    const folders = new Set<string>();
    for (const path of found) {
      const real = resolveEntry(path);
      if (!real) continue;
      if (!real.stat.isDirectory()) files.add(real.path);
      else if ([...places, options.home].some((root) => isInsideFolder(real.path, root))) {
        complete = false;
        warnOnce(`A deny rule covers '${real.path}', where commands run, so it is not hidden from commands`);
      } else folders.add(real.path);
    }
    return { files, folders, complete };
  }

  /** Other names of these files in the working directories. */
  async function namesElsewhere(linked: LinkedFiles, roots: readonly string[]) {
    // A new hard link changes the stamp of the file, so the result is valid until a stamp changes.
    const newKey = [...roots, ...[...linked.values()].map(({ stamp }) => stamp)].join("\0");
    if (otherNames?.key === newKey) return otherNames;
    const folders = new Set<string>();
    let complete = true;
    for (const root of roots) {
      let tree = trees.get(root);
      if (!tree) trees.set(root, (tree = createFolderIndex({ folder: root, depth: 64, matches: () => false })));
      await tree.refresh();
      if (tree.isCut) complete = false;
      for (const folder of tree.folders()) folders.add(folder);
    }
    const found = findLinkNames(folders, linked);
    otherNames = { key: newKey, names: found.names, complete: complete && found.complete };
    return otherNames;
  }

  return {
    async find(cwd) {
      const places = placesFor(cwd);
      const roots = withFormer(places, options.former?.());
      const { files, folders, complete: isSearched } = await search(places, roots);
      let complete = isSearched;
      const { linked } = linkedFiles(files, folders, { limit: MAX_LINK_CHECKS.command });
      if (linked.size > 0) {
        const elsewhere = await namesElsewhere(linked, roots);
        for (const name of elsewhere.names) files.add(name);
        complete &&= elsewhere.complete;
      }
      const outer = [...folders].filter((path) => !isInsideAny(path, folders));
      const single = [...files].filter((path) => !isInsideAny(path, folders));
      if (outer.length + single.length > MAX_HIDDEN) {
        complete = false;
        warnOnce(
          `Deny rules cover more than ${MAX_HIDDEN} files and folders; only the first ${MAX_HIDDEN} are hidden from commands`,
        );
      }
      const hidden = {
        folders: outer.slice(0, MAX_HIDDEN),
        files: single.slice(0, Math.max(0, MAX_HIDDEN - outer.length)),
      };
      const inside = [...hidden.files, ...hidden.folders.map((folder) => join(folder, "x"))];
      const named = foldersInRules(inside, { roots, mayRead: options.mayRead });
      const above = named.filter((path) => !folders.has(path));
      if (above.length > MAX_ABOVE) {
        complete = false;
        warnOnce(
          `Deny rules depend on the names of more than ${MAX_ABOVE} folders; only the first ${MAX_ABOVE} are moved back if a command renames them`,
        );
      }
      return { ...hidden, above: above.slice(0, MAX_ABOVE), complete };
    },
    async links(cwd) {
      const places = placesFor(cwd);
      const { files, folders, complete } = await search(places, withFormer(places, options.former?.()));
      const found = linkedFiles(files, folders, { limit: MAX_LINK_CHECKS.read });
      return { linked: found.linked, complete: complete && found.complete };
    },
  };
}

/** These folders, and those of an earlier time that are not in one of them. */
export function withFormer(places: readonly string[], former: readonly string[] = []): readonly string[] {
  const isElsewhere = (path: string) =>
    ![...places, ...former].some((root) => root !== path && isInsideFolder(root, path));
  const more = former.filter((path) => !places.includes(path) && isElsewhere(path) && lstatOrNull(path) !== null);
  return more.length === 0 ? places : [...places, ...more];
}

/** One index per folder, however many rules there are. */
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
    const matchesRule = matcherOf(group.map(({ pattern }) => pattern));
    const index = createFolderIndex({
      folder,
      depth: Math.max(...group.map(({ depth }) => depth)),
      matches: (relative) => matchesRule(relative) && !mayRead(join(folder, relative)),
      ...(directories.some((directory) => isInsideFolder(directory, folder))
        ? {}
        : { maxFolders: MAX_FOLDERS_OUTSIDE }),
    });
    return { index, folder };
  });
}

function resolveEntry(path: string): { path: string; stat: Stats } | null {
  try {
    const real = realpathSync(path);
    return { path: real, stat: statSync(real) };
  } catch (error) {
    throwIfStarved(error);
    return null; // a dangling link, or gone
  }
}

function isInsideAny(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    if (folders.has(path.slice(0, at))) return true;
  }
  return false;
}
