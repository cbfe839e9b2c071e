// What git would do in a folder besides what it is told, from the settings and hooks of the repositories there.
// Asked at each call, because a folder can get a repository at any time. Git is never started.

import { lstatSync, readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { GitRepository } from "@keelson/engine";
import { dangerOf, parseGitConfig, runsPrograms, type GitSetting } from "@keelson/engine/git-keys";
import { fileStamp } from "@keelson/protocol";
import { commonFolder, discover, findIn, isRepository, statOf, type Discovered } from "./discovery.ts";
import { submodulePaths } from "./submodules.ts";
import { realPathOf } from "../files/real-path.ts";
import { readRegular } from "../files/regular-file.ts";

export interface GitLookupOptions {
  /** Where the session was started: the repository there is its own. */
  readonly root: string;
  readonly home: string;
  /** Whether somebody trusts that folder, and with it the settings of its own repository. */
  isTrusted(): boolean;
  /** Working directories. */
  directories(): readonly string[];
  /** Of commands; GIT_DIR. */
  env(): Readonly<Record<string, string | undefined>>;
}

/** Repositories git would use when it runs in this folder, and what is dangerous about each; harmless ones left out. */
export type GitLookup = (folder: string) => readonly GitRepository[];

const LARGEST_CONFIG = 1024 * 1024;
const MOST_REPOSITORIES = 1_000;
/** The hook that also runs when git only refreshes what it knows of files, as `git status` does. */
const LOOKING_HOOK = "post-index-change";

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
    const told = options.env()["GIT_DIR"];
    return [...discover(folder), ...(told ? discover(resolve(folder, told)) : [])];
  };

  return (place) => {
    const owned = startingIn(root).flatMap(ownFolders);
    const isOwn = (path: string) => owned.some((folder) => isOfRepository(folder, path));
    const isTrusted = options.isTrusted();
    const queue = [...startingIn(place)];
    const seen = new Set<string>();
    const found: GitRepository[] = [];
    const report = ({ folder }: Discovered, what: Omit<GitRepository, "folder">) => found.push({ folder, ...what });
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      const { gitFolder, folder, isBare } = at;
      if (gitFolder === null) {
        report(at, both("the file .git cannot be read"));
        continue;
      }
      if (seen.has(`${gitFolder} ${folder}`)) continue;
      seen.add(`${gitFolder} ${folder}`);
      if (seen.size > MOST_REPOSITORIES) {
        report(at, both("there are too many submodules to check"));
        break;
      }
      const config = readSettings(gitFolder);
      const own = isOwn(gitFolder);
      if (!own || !isTrusted) {
        const danger = dangerIn({ at, gitFolder, config, home, directories: options.directories() });
        if (!own && (danger.looking ?? danger.acting)) report(at, danger);
        if (own && danger.looking) report(at, { looking: `${danger.looking}, and this folder is not trusted` });
      }
      if (isBare) continue;
      const paths = submodules(gitFolder, usesSha256(config) ? "sha256" : "sha1");
      if (paths === null) report(at, both("the git index cannot be read"));
      queue.push(...(paths ?? []).flatMap((path) => findIn(realPathOf(join(folder, path)))));
    }
    return found;
  };
}

function ownFolders({ gitFolder }: Discovered): string[] {
  if (gitFolder === null) return [];
  const shared = commonFolder(gitFolder);
  return shared !== gitFolder && isRepository(shared) ? [gitFolder, shared] : [gitFolder];
}

/** The repository itself, and what it keeps for its work trees and submodules. */
function isOfRepository(own: string, path: string): boolean {
  return path === own || path.startsWith(`${own}/worktrees/`) || path.startsWith(`${own}/modules/`);
}

interface Settings {
  readonly settings: readonly GitSetting[];
  readonly isReadable: boolean;
}

/** Of the repository and of this work tree; the second is read even where git would not. */
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
    const bytes = readRegular(path, LARGEST_CONFIG + 1);
    return bytes.length > LARGEST_CONFIG ? null : parseGitConfig(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

interface Question {
  readonly at: Discovered;
  readonly gitFolder: string;
  readonly config: Settings;
  readonly home: string;
  readonly directories: readonly string[];
}

function dangerIn(question: Question): Omit<GitRepository, "folder"> {
  const { config, gitFolder } = question;
  const { settings, isReadable } = config;
  if (!isReadable) return both("the git configuration cannot be read");
  const isPartial = settings.some(({ name, key }) => name === "extensions.partialclone" || key === "promisor");
  const read = settings.find((setting) => {
    const danger = dangerOf(setting);
    return danger === "looking" || (isPartial && danger === "fetching");
  });
  const hooks = hooksFolder(question);
  const looking = read
    ? runs(read)
    : (worksElsewhere(question) ??
      (hooks === null || isActive(join(hooks, LOOKING_HOOK)) ? `git runs the hook ${LOOKING_HOOK}` : undefined));
  if (looking) return both(looking);
  const other = settings.find(runsPrograms);
  if (other) return { acting: runs(other) };
  const hook = activeHooks(hooks ?? join(commonFolder(gitFolder), "hooks"))[0];
  return hook === undefined ? {} : { acting: `git runs the hook ${hook}` };
}

const both = (reason: string) => ({ looking: reason, acting: reason });
const runs = ({ name }: GitSetting) => `git may run a program set by ${name}`;

/** A work tree that lies elsewhere: git shows and overwrites files there. */
function worksElsewhere({ at, gitFolder, config, directories }: Question): string | undefined {
  const setting = config.settings.findLast(({ name }) => name === "core.worktree");
  if (!setting) return undefined;
  const tree = realPathOf(resolve(gitFolder, setting.value ?? ""));
  const isHere = [at.folder, ...directories].some((folder) => tree === folder || tree.startsWith(`${folder}/`));
  return isHere ? undefined : "git works on files elsewhere, set by core.worktree";
}

/** Null when only git could tell. */
function hooksFolder({ at, gitFolder, config, home }: Question): string | null {
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
