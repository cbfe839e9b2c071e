// Finds programs that git would run in a folder because of the settings and hooks of the repositories there.
// Checks again at every call, because a repository can appear at any time. Never runs git.

import { lstatSync, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { GitRepository } from "@keelson/engine";
import { dangerOf, parseGitConfig, runsPrograms, type GitSetting } from "@keelson/engine/git-keys";
import {
  commonFolder,
  findRepositories,
  repositoriesIn,
  isRepository,
  statOf,
  type FoundRepository,
} from "./discovery.ts";
import { fileStamp } from "@keelson/protocol";
import { submodulePaths } from "./submodules.ts";
import { realPathOf } from "@keelson/disk/real-path";
import { readRegularFile } from "../files/regular-file.ts";

export interface GitLookupOptions {
  /** Where the session was started. The repository there is the session's own. */
  readonly root: string;
  readonly home: string;
  /** Whether the user trusts that folder, and so the settings of its repository. */
  isTrusted(): boolean;
  directories(): readonly string[];
  /** The environment of commands; read for GIT_DIR. */
  env(): Readonly<Record<string, string | undefined>>;
}

/** The repositories git would use in this folder that are dangerous, with the reasons. */
export type GitLookup = (folder: string) => readonly GitRepository[];

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_REPOSITORIES = 1_000;
/** The hook that runs even when git only refreshes its index, as in `git status`. */
const READ_HOOK = "post-index-change";

export function createGitLookup(options: GitLookupOptions): GitLookup {
  const { root, home } = options;
  const links = new Map<string, { readonly stamp: string; readonly paths: readonly string[] | null }>();

  function submodules(gitFolder: string, hash: "sha1" | "sha256"): readonly string[] | null {
    const stat = statOf(join(gitFolder, "index"));
    if (!stat) return [];
    const stamp = `${fileStamp(stat)} ${hash}`;
    const known = links.get(gitFolder);
    if (known?.stamp === stamp) return known.paths;
    const paths = submodulePaths(gitFolder, hash);
    links.set(gitFolder, { stamp, paths });
    return paths;
  }

  const startingIn = (folder: string) => {
    const gitDir = options.env()["GIT_DIR"];
    return [...findRepositories(folder), ...(gitDir ? findRepositories(resolve(folder, gitDir)) : [])];
  };

  return (place) => {
    const owned = startingIn(root).flatMap(ownFolders);
    const isOwn = (path: string) => owned.some((folder) => isPartOfRepository(folder, path));
    const isTrusted = options.isTrusted();
    const queue = [...startingIn(place)];
    const seen = new Set<string>();
    const found: GitRepository[] = [];
    const report = ({ folder }: FoundRepository, what: Omit<GitRepository, "folder">) =>
      found.push({ folder, ...what });
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      const { gitFolder, folder, isBare } = at;
      if (gitFolder === null) {
        report(at, bothReasons("the file .git cannot be read"));
        continue;
      }
      if (seen.has(`${gitFolder} ${folder}`)) continue;
      seen.add(`${gitFolder} ${folder}`);
      if (seen.size > MAX_REPOSITORIES) {
        report(at, bothReasons("there are too many submodules to check"));
        break;
      }
      const config = readSettings(gitFolder);
      const own = isOwn(gitFolder);
      if (!own || !isTrusted) {
        const danger = findDanger({ at, gitFolder, config, home, directories: options.directories() });
        if (!own && (danger.looking ?? danger.acting)) report(at, danger);
        if (own && danger.looking) report(at, { looking: `${danger.looking}, and this folder is not trusted` });
      }
      if (isBare) continue;
      const paths = submodules(gitFolder, usesSha256(config) ? "sha256" : "sha1");
      if (paths === null) report(at, bothReasons("the git index cannot be read"));
      queue.push(...(paths ?? []).flatMap((path) => repositoriesIn(realPathOf(join(folder, path)))));
    }
    return found;
  };
}

function ownFolders({ gitFolder }: FoundRepository): string[] {
  if (gitFolder === null) return [];
  const shared = commonFolder(gitFolder);
  return shared !== gitFolder && isRepository(shared) ? [gitFolder, shared] : [gitFolder];
}

/** Whether a path is the repository itself, or one of its work trees or submodules. */
function isPartOfRepository(own: string, path: string): boolean {
  return path === own || path.startsWith(`${own}/worktrees/`) || path.startsWith(`${own}/modules/`);
}

interface Settings {
  readonly settings: readonly GitSetting[];
  readonly isReadable: boolean;
}

/** Settings of the repository and of this work tree. Reads the second even if git would not. */
function readSettings(gitFolder: string): Settings {
  const files = [join(commonFolder(gitFolder), "config"), join(gitFolder, "config.worktree")].map(readConfig);
  return {
    settings: files.flatMap((file) => file?.settings ?? []),
    isReadable: files.every((file) => file !== null && !file.broken),
  };
}

function readConfig(path: string) {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return { settings: [], broken: false };
    const bytes = readRegularFile(path, MAX_CONFIG_BYTES + 1);
    return bytes.length > MAX_CONFIG_BYTES ? null : parseGitConfig(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

interface RepositoryFacts {
  readonly at: FoundRepository;
  readonly gitFolder: string;
  readonly config: Settings;
  readonly home: string;
  readonly directories: readonly string[];
}

function findDanger(question: RepositoryFacts): Omit<GitRepository, "folder"> {
  const { config, gitFolder } = question;
  const { settings, isReadable } = config;
  if (!isReadable) return bothReasons("the git configuration cannot be read");
  const isPartial = settings.some(({ name, key }) => name === "extensions.partialclone" || key === "promisor");
  const read = settings.find((setting) => {
    const danger = dangerOf(setting);
    return danger === "looking" || (isPartial && danger === "fetching");
  });
  const hooks = hooksFolder(question);
  const looking = read
    ? runsProgram(read)
    : (externalWorktree(question) ??
      (hooks === null || isActive(join(hooks, READ_HOOK)) ? `git runs the hook ${READ_HOOK}` : undefined));
  if (looking) return bothReasons(looking);
  const other = settings.find(runsPrograms);
  if (other) return { acting: runsProgram(other) };
  const hook = activeHooks(hooks ?? join(commonFolder(gitFolder), "hooks"))[0];
  return hook === undefined ? {} : { acting: `git runs the hook ${hook}` };
}

const bothReasons = (reason: string) => ({ looking: reason, acting: reason });
const runsProgram = ({ name }: GitSetting) => `git may run a program set by ${name}`;

/** With a work tree elsewhere, git shows and overwrites files there. */
function externalWorktree({ at, gitFolder, config, directories }: RepositoryFacts): string | undefined {
  const setting = config.settings.findLast(({ name }) => name === "core.worktree");
  if (!setting) return undefined;
  const tree = realPathOf(resolve(gitFolder, setting.value ?? ""));
  const isHere = [at.folder, ...directories].some((folder) => tree === folder || tree.startsWith(`${folder}/`));
  return isHere ? undefined : "git works on files elsewhere, set by core.worktree";
}

/** Null if only git can tell. */
function hooksFolder({ at, gitFolder, config, home }: RepositoryFacts): string | null {
  const path = config.settings.findLast(({ name }) => name === "core.hookspath")?.value;
  if (path === undefined || path === null) return join(commonFolder(gitFolder), "hooks");
  if (path.startsWith("~/")) return join(home, path.slice(2));
  if (/^[~%]/.test(path)) return null;
  return isAbsolute(path) ? path : resolve(at.isBare ? gitFolder : at.folder, path);
}

function activeHooks(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.endsWith(".sample") && isActive(join(folder, name)));
  } catch {
    return [];
  }
}

function isActive(hook: string): boolean {
  const stat = statOf(hook);
  return stat !== undefined && stat.isFile() && (stat.mode & 0o111) !== 0;
}

const usesSha256 = ({ settings }: Settings) =>
  settings.some(({ name, value }) => name === "extensions.objectformat" && value?.toLowerCase() === "sha256");
