// Finds the paths that commands may not change: files that run code just by existing, or that configure us.
// Narrower than the gate's list, because no one can approve here: excludes files that everyday tools write.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { foldersAbove } from "./folders-above.ts";
import { guardGit } from "./guard-git.ts";
import { guardPrograms } from "./guard-programs.ts";
import { createFolderLookup, isFolder, lstatOrNull, statThroughLinks, realPath, type ResolvedFolder } from "./stat.ts";
import { isStandIn } from "../shield/stand-in.ts";

export interface GuardPlaces {
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
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
  /** Links: the target is read-only, but the link itself cannot be mounted. */
  readonly links: readonly string[];
  /** Git settings: writable, because git replaces the file; changes that run programs are reverted. */
  readonly gitSettings: readonly string[];
  /** Files whose content is restored: they have a second name, or tools rewrite them regularly. */
  readonly contents: readonly string[];
  /** Folders where a new file would run as code: new files are moved aside. */
  readonly closedFolders: readonly string[];
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
  keptFolders: [],
  places: [],
  repositories: [],
  unseen: [],
};

const START_FILES =
  ".bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .zlogout".split(
    " ",
  );

const PROJECT_FILES = [
  ".gitconfig .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs",
  "bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml .devcontainer.json .ripgreprc",
  "pyrightconfig.json lefthook.yml .lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml",
  ".cargo/config .cargo/config.toml gradle/wrapper/gradle-wrapper.properties",
].flatMap((line) => line.split(" "));

/** Folders that only people and editors write to. */
const PROJECT_FOLDERS = ".vscode .idea .devcontainer .mvn .yarn/releases .yarn/plugins".split(" ");

/** Editors, direnv and husky run these as soon as they exist. */
const MISSING_IN_PROJECT = ".vscode .husky .envrc".split(" ");

const HOME_FILES = ".npmrc .yarnrc .yarnrc.yml .bunfig.toml .cargo/config .cargo/config.toml .ripgreprc".split(" ");
const MISSING_AT_HOME = [...START_FILES, ".gitconfig", ".config/git", ".claude.json"];

/** Only the files that configure a session: a Keelson run as a command must be able to write its transcripts. */
const CONFIG_FILES =
  "settings.json settings.local.json .claude.json CLAUDE.md agents commands skills hooks plugins output-styles rules".split(
    " ",
  );

/** What members of a team tell each other. Missing ones stay free: another session may make them at any time. */
const TEAM_FOLDERS = ["teams", "tasks"];

export type Guard = (path: string, ifMissing?: "missingFolders" | "missingFiles") => void;

export function findGuarded(options: GuardPlaces): Guarded {
  const { directories, cwd, home, configDir, governing = [], programs = [] } = options;
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
  };
  const lookAt = createFolderLookup();
  const guard: Guard = (path, ifMissing) => {
    const { real: folder, links } = lookAt(dirname(path));
    for (const link of links) found.links.add(link);
    const entry = folder === null ? null : lstatOrNull(path);
    // A stand-in of another session counts as missing: it will be removed unless we hold it too.
    const missing = entry && isStandIn(entry) ? "missingFolders" : entry ? undefined : ifMissing;
    if (missing) found[missing].add(realMissing(path, lookAt));
    if (!entry || missing) return;
    const isLink = entry.isSymbolicLink();
    if (isLink) found.links.add(path);
    const real = isLink ? realPath(path) : join(folder!, basename(path));
    const target = isLink && real ? statThroughLinks(real) : entry;
    if (!real || !(target?.isFile() || target?.isDirectory())) return;
    found.readOnly.add(real);
    if (target.isFile() && target.nlink > 1) found.contents.add(real);
  };

  const held = () => [...found.readOnly, ...found.missingFiles, ...found.missingFolders, ...found.links];

  for (const directory of directories) guardPlace(directory, { isRoot: true, configDir, guard, found });
  for (const directory of directories) guardGit(directory, { home, guard, found });
  for (const name of MISSING_AT_HOME) guard(join(home, name), "missingFiles");
  for (const name of HOME_FILES) guard(join(home, name));
  for (const name of CONFIG_FILES) guard(join(configDir, name), "missingFiles");
  for (const name of TEAM_FOLDERS) guard(join(configDir, name));
  for (const path of governing) guard(path, "missingFiles");
  const firm = held();

  const places = [...new Set([...directories, cwd])];
  if (!directories.includes(cwd)) {
    guardPlace(cwd, { isRoot: false, configDir, guard, found });
    guardGit(cwd, { home, guard, found });
  }
  const { readOnly, missingFiles, missingFolders, links, gitSettings } = found;
  const above = foldersAbove(held(), { readOnly, kept: [...directories, home], free: cwd, firm });
  for (const folder of above.pinned) found.pinned.add(folder);
  const programFolders = guardPrograms(programs, { guard, links, held: [...found.pinned, ...above.kept] });
  return {
    readOnly: [...readOnly],
    pinned: [...found.pinned],
    missingFolders: [...missingFolders],
    missingFiles: [...missingFiles],
    links: [...links],
    repositories: [...found.repositories],
    unseen: [...found.unseen],
    gitSettings: [...gitSettings],
    contents: [...found.contents],
    closedFolders: [...found.closedFolders],
    keptFolders: [...above.kept, ...programFolders],
    places,
  };
}

interface PlaceOptions {
  /** It is a working directory. */
  readonly isRoot: boolean;
  readonly configDir: string;
  readonly guard: Guard;
  readonly found: Record<"pinned" | "closedFolders", Set<string>>;
}

function guardPlace(place: string, { isRoot, configDir, guard, found }: PlaceOptions): void {
  guard(join(place, ".mcp.json"), "missingFiles");
  const claudeDir = join(place, ".claude");
  // Our own config folder, if the home is a working directory, is guarded more narrowly.
  if (claudeDir !== configDir) guard(claudeDir, isRoot ? "missingFolders" : undefined);
  for (const name of PROJECT_FOLDERS) guard(join(place, name), isRoot ? ifMissingInProject(name) : undefined);
  for (const name of [...PROJECT_FILES, ...START_FILES]) {
    guard(join(place, name), isRoot ? ifMissingInProject(name) : undefined);
  }
  guardHusky(join(place, ".husky"), guard, found.closedFolders, isRoot);
  const worktrees = join(claudeDir, "worktrees");
  const free = isFolder(worktrees) ? realPath(worktrees) : null;
  if (free) found.pinned.add(free);
}

function ifMissingInProject(name: string): "missingFiles" | undefined {
  return MISSING_IN_PROJECT.includes(name) ? "missingFiles" : undefined;
}

/** Package installs write to `_`; the hooks that git runs are in the files beside it. */
function guardHusky(folder: string, guard: Guard, closed: Set<string>, isRoot: boolean): void {
  const real = isFolder(folder) ? realPath(folder) : null;
  if (real === null) return guard(folder, isRoot ? "missingFiles" : undefined);
  closed.add(real);
  for (const path of filesIn(real)) guard(path);
}

/** Where it would be created; its parent folders may be missing too. */
function realMissing(path: string, lookAt: (folder: string) => ResolvedFolder): string {
  const parent = dirname(path);
  return join(lookAt(parent).real ?? realMissing(parent, lookAt), basename(path));
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
