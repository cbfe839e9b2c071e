// Finds the paths that commands may not change: files that run code just by existing, or that configure us.
// Narrower than the gate's list, because no one can approve here: excludes files that everyday tools write.

import { readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { servedPaths } from "@keelson/disk/served-paths";
import { AT_HOME, foldersAtHome, isStartFile, START_FILES } from "./at-home.ts";
import { foldersAbove } from "./folders-above.ts";
import { guardGit } from "./guard-git.ts";
import { guardPrograms } from "./guard-programs.ts";
import {
  createFolderLookup,
  isFolder,
  isWritable,
  lstatOrNull,
  readLink,
  realPathOrThrow,
  statThroughLinks,
  type FolderLookup,
} from "./stat.ts";
import { isStandIn } from "../shield/stand-in.ts";
import { throwIfStarved } from "../throw-if-starved.ts";

export interface GuardPlaces {
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Variables may move parts of the home. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly configDir: string;
  /** Files and folders that configure this session: settings, hook scripts, environment files. */
  readonly governing?: readonly string[];
  /** Programs that run outside the shield, and names that must not become one. */
  readonly programs?: readonly string[];
}

export interface Guarded {
  /** Existing paths, mounted read-only. Real paths. */
  readonly readOnly: readonly string[];
  /** Folders that contain guarded paths: writable, but they cannot be replaced. */
  readonly pinned: readonly string[];
  /** Folders that do not exist and must not be created. */
  readonly missingFolders: readonly string[];
  /** Paths that do not exist; if a command creates one, it is moved aside. */
  readonly missingFiles: readonly string[];
  /** Links: the target is guarded, but the link itself cannot be mounted. */
  readonly links: readonly string[];
  /** Git settings: writable, because git replaces the file; changes that run programs are reverted. */
  readonly gitSettings: readonly string[];
  /** Files whose content is restored: they have a second name, or tools rewrite them regularly. */
  readonly contents: readonly string[];
  /** Folders where a new file would run as code: new files are moved aside. */
  readonly closedFolders: readonly string[];
  /** The home: new files that are named as programs name their start files are moved aside. */
  readonly startFolders: readonly string[];
  /** The working directories, the home, and their parents: moved back if a command moves them. */
  readonly keptFolders: readonly string[];
  /** Where commands run. A repository that appears there is checked too. */
  readonly places: readonly string[];
  /** The repositories that already existed. */
  readonly repositories: readonly string[];
  /** Existing folders with too many submodules to check. */
  readonly unseen: readonly string[];
}

export const NOTHING_GUARDED: Guarded = {
  readOnly: [],
  pinned: [],
  missingFolders: [],
  missingFiles: [],
  links: [],
  gitSettings: [],
  contents: [],
  closedFolders: [],
  startFolders: [],
  keptFolders: [],
  places: [],
  repositories: [],
  unseen: [],
};

// One list for each place. What is protected when it exists is moved aside when a command creates it.

/** The folders are ones that only people and editors write to. */
const IN_PROJECT = [
  ".mcp.json .gitconfig .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs",
  "bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml .devcontainer.json .ripgreprc",
  "pyrightconfig.json lefthook.yml .lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml",
  ".cargo/config .cargo/config.toml gradle/wrapper/gradle-wrapper.properties",
  ".vscode .idea .devcontainer .mvn .yarn/releases .yarn/plugins",
]
  .flatMap((line) => line.split(" "))
  .concat(START_FILES);

const startFilesIn = (folder: string) => entriesIn(folder).flatMap(({ name }) => (isStartFile(name) ? [name] : []));

/** Protects a path that exists, and one that does not: as a folder that cannot be created, or as anything moved aside. */
export type Guard = (path: string, ifMissing?: "missingFolders" | "missingFiles") => void;

export function findGuarded(options: GuardPlaces): Guarded {
  const { directories, cwd, home, env = {}, configDir, governing = [], programs = [] } = options;
  const found = {
    readOnly: new Set<string>(),
    pinned: new Set<string>(),
    missingFolders: new Set<string>(),
    missingFiles: new Set<string>(),
    links: new Set<string>(),
    repositories: new Set<string>(),
    unseen: new Set<string>(),
    gitSettings: new Set<string>(),
    contents: new Set<string>(),
    closedFolders: new Set<string>(),
    /** Writable folders inside read-only ones. */
    free: new Set<string>(),
  };
  const lookAt = createFolderLookup();
  const guard: Guard = (path, ifMissing = "missingFiles") => {
    const { real: folder, links } = lookAt(dirname(path));
    for (const link of links) found.links.add(link);
    const entry = folder === null ? null : lstatOrNull(path);
    // A stand-in of another session counts as missing: it will be removed unless we hold it too.
    if (entry && isStandIn(entry)) return void found.missingFolders.add(realMissing(path, lookAt));
    if (!entry) return void found[ifMissing].add(realMissing(path, lookAt));
    const isLink = entry.isSymbolicLink();
    if (isLink) found.links.add(path);
    const real = isLink ? realPathOrThrow(path) : join(folder!, basename(path));
    // What a link leads to does not exist: if a command creates that, the link makes it count.
    if (!real) return followDangling(path, (target) => found.missingFiles.add(realMissing(target, lookAt)));
    const target = isLink ? statThroughLinks(real) : entry;
    if (!(target?.isFile() || target?.isDirectory())) return;
    found.readOnly.add(real);
    if (target.isFile() && target.nlink > 1) found.contents.add(real);
  };

  // Missing files are looked up by their path afterwards, so the folders above them may be replaced.
  const held = () => [...found.readOnly, ...found.pinned, ...found.free, ...found.missingFolders, ...found.links];

  // The user's other sessions use the one in the home, which may be another.
  for (const folder of new Set([configDir, join(home, ".claude")])) guardConfiguration(folder, { guard, found });
  for (const directory of directories) guardPlace(directory, { isRoot: true, guard, found });
  for (const directory of directories) guardGit(directory, { home, guard, found });
  for (const folder of new Set(directories.flatMap(above))) guardAbove(folder, { guard, found });
  for (const name of [...AT_HOME, ...startFilesIn(home)]) guard(join(home, name));
  for (const path of governing) guard(path);
  const places = [...new Set([...directories, cwd])];
  for (const path of new Set([configDir, join(home, ".claude")].flatMap(servedPaths)))
    if (isThereOrJournal(path) && !isAround(realPathOrThrow(path), places)) guard(path);
  const firm = held();

  if (!directories.includes(cwd)) {
    guardPlace(cwd, { isRoot: false, guard, found });
    guardGit(cwd, { home, guard, found });
  }
  const { readOnly, missingFiles, missingFolders, links, gitSettings } = found;
  /** Inside a read-only folder: it needs no mount of its own, and nothing can be created or renamed there. */
  const isCovered = (path: string): boolean => {
    const folder = dirname(path);
    if (folder === path || found.free.has(path) || found.free.has(folder)) return false;
    return readOnly.has(folder) || isCovered(folder);
  };
  // The read-only ones last, because they decide about the others.
  for (const paths of [missingFiles, missingFolders, found.pinned, readOnly]) {
    for (const path of [...paths].filter(isCovered)) paths.delete(path);
  }
  for (const link of links) if (isCovered(join(lookAt(dirname(link)).real ?? "/", basename(link)))) links.delete(link);
  const isFixed = (folder: string) => readOnly.has(folder) || isCovered(folder);
  const around = foldersAbove(held(), { isFixed, kept: [...directories, home], free: cwd, firm });
  for (const folder of around.pinned) found.pinned.add(folder);
  const keptAlready = [...found.pinned, ...around.kept];
  const programFolders = guardPrograms(programs, { guard, links, lookAt, held: keptAlready });
  const homeFolders = guardInHome(foldersAtHome(home, env), places, { guard, found, lookAt });
  const keptToo = new Set([...programFolders, ...homeFolders.filter((folder) => !keptAlready.includes(folder))]);
  return {
    readOnly: [...readOnly],
    pinned: [...found.pinned.union(found.free)],
    missingFolders: [...missingFolders],
    missingFiles: [...missingFiles],
    links: [...links],
    repositories: [...found.repositories],
    unseen: [...found.unseen],
    gitSettings: [...gitSettings],
    contents: [...found.contents],
    closedFolders: [...found.closedFolders],
    startFolders: [home],
    keptFolders: [...around.kept, ...keptToo],
    places,
  };
}

interface GuardOptions {
  readonly guard: Guard;
  readonly found: Record<"free" | "closedFolders", Set<string>>;
}

/** The whole folder, wherever it is. Links in it lead to what configures us too. */
function guardConfiguration(folder: string, { guard, found }: GuardOptions): void {
  guard(folder, "missingFolders");
  for (const { name } of entriesIn(folder).filter((entry) => entry.isSymbolicLink())) guard(join(folder, name));
  freeWorktrees(folder, found.free);
}

/** People and commands work in these. */
function freeWorktrees(claudeDir: string, free: Set<string>): void {
  const worktrees = join(claudeDir, "worktrees");
  const real = isFolder(worktrees) ? realPathOrThrow(worktrees) : null;
  if (real) free.add(real);
}

function guardPlace(place: string, { isRoot, guard, found }: GuardOptions & { readonly isRoot: boolean }): void {
  const claudeDir = join(place, ".claude");
  guard(claudeDir, isRoot ? "missingFolders" : "missingFiles");
  for (const name of IN_PROJECT) guard(join(place, name));
  guardHusky(join(place, ".husky"), guard, found.closedFolders);
  freeWorktrees(claudeDir, found.free);
}

interface InHomeOptions {
  readonly guard: Guard;
  readonly found: Record<"links" | "missingFiles", Set<string>>;
  readonly lookAt: FolderLookup;
}

/**
 * Most of them are missing, so each folder is listed once. Not those in which someone works: the project would be closed.
 * Returns the existing folders, which must stay in place.
 */
function guardInHome(
  folders: ReturnType<typeof foldersAtHome>,
  places: readonly string[],
  { guard, found, lookAt }: InHomeOptions,
): readonly string[] {
  const kept = new Set<string>();
  for (const [folder, names] of folders) {
    const { real, links } = lookAt(folder);
    for (const link of links) found.links.add(link);
    const there = new Set(real === null ? [] : entriesIn(real).map((entry) => entry.name.toLowerCase()));
    const target = real ?? realMissing(folder, lookAt);
    for (const each of names) {
      if (!there.has(each.toLowerCase())) found.missingFiles.add(`${target}/${each}`);
      else if (!isAround(realPathOrThrow(`${target}/${each}`), places)) guard(`${folder}/${each}`);
    }
    for (let at = real; at !== null && at !== dirname(at) && !kept.has(at); at = dirname(at)) kept.add(at);
  }
  return [...kept].filter((folder) => isWritable(dirname(folder)));
}

/**
 * SQLite believes a journal beside a database, and a server makes none there. The other files beside it are there from the first
 * start of a server on; one that a server makes later, while a command runs, must not be moved aside.
 */
const isThereOrJournal = (path: string) =>
  lstatOrNull(path) !== null || (path.endsWith(JOURNAL) && lstatOrNull(path.slice(0, -JOURNAL.length)) !== null);

const JOURNAL = "-journal";

const isAround = (folder: string | null, places: readonly string[]) =>
  folder !== null && places.some((place) => `${place}/`.startsWith(`${folder}/`));

/** Skills, agents and servers are also read from the folders above the one where a session works. */
function guardAbove(folder: string, { guard, found }: GuardOptions): void {
  guard(join(folder, ".mcp.json"));
  guard(join(folder, ".claude"));
  freeWorktrees(join(folder, ".claude"), found.free);
}

function above(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...above(parent)];
}

/** Package installs write to `_`; the hooks that git runs are in the files beside it. */
function guardHusky(folder: string, guard: Guard, closed: Set<string>): void {
  const real = isFolder(folder) ? realPathOrThrow(folder) : null;
  if (real === null) return guard(folder);
  closed.add(real);
  for (const entry of entriesIn(real)) if (entry.isFile()) guard(join(real, entry.name));
}

/** A link may lead to a link. */
const MOST_LINKS = 40;

function followDangling(link: string, onTarget: (path: string) => void): void {
  let at = link;
  for (let count = 0; count < MOST_LINKS; count++) {
    const target = readLink(at);
    if (target === null) return onTarget(at);
    at = resolve(realPathOrThrow(dirname(at)) ?? dirname(at), target);
  }
}

/** Where it would be created; its parent folders may be missing too. */
function realMissing(path: string, lookAt: FolderLookup): string {
  const parent = dirname(path);
  return join(lookAt(parent).real ?? realMissing(parent, lookAt), basename(path));
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throwIfStarved(error);
    return [];
  }
}
