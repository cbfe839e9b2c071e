// Which paths commands may not change, as they are on disk right now: files that run code by being there, or steer us.
// Narrower than what the gate asks about, because here nobody can be asked: nothing that everyday tools write.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gitFolders } from "./git-folders.ts";
import { look, lookThrough, realPath } from "./look.ts";
import { isStandIn } from "./stand-in.ts";

export interface GuardPlaces {
  /** The working directories. */
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly configDir: string;
}

export interface Guarded {
  /** Exist: read-only. Real paths. */
  readonly readOnly: readonly string[];
  readonly pinned: readonly string[];
  /** Folders that do not exist and must not come into being. */
  readonly missingFolders: readonly string[];
  /** Files that do not exist and must not come into being. */
  readonly missingFiles: readonly string[];
  /** Names that are links: what they lead to is read-only, but a link itself cannot be held. */
  readonly links: readonly string[];
}

const START_FILES =
  ".bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .zlogout".split(
    " ",
  );

const PROJECT_FILES = [
  ".gitconfig .gitmodules .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs",
  "bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml .devcontainer.json .ripgreprc",
  "pyrightconfig.json lefthook.yml .lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml",
  ".cargo/config .cargo/config.toml gradle/wrapper/gradle-wrapper.properties",
].flatMap((line) => line.split(" "));

/** Whole folders that only people and editors write to. */
const PROJECT_FOLDERS = ".vscode .idea .devcontainer .mvn .yarn/releases .yarn/plugins".split(" ");

const HOME_FILES =
  ".gitconfig .config/git .npmrc .yarnrc .yarnrc.yml .bunfig.toml .cargo/config .cargo/config.toml .ripgreprc";

/** Of our own folder only what steers a session: programs of our kind, run as commands, keep their transcripts there. */
const CONFIG_FILES = "agents commands skills hooks plugins output-styles rules".split(" ");

export function findGuarded({ directories, cwd, home, configDir }: GuardPlaces): Guarded {
  const found = {
    readOnly: new Set<string>(),
    pinned: new Set<string>(),
    missingFolders: new Set<string>(),
    missingFiles: new Set<string>(),
    links: new Set<string>(),
  };
  const guard = (path: string, ifMissing?: "missingFolders" | "missingFiles") => {
    const entry = look(path);
    // What another session has put there for the time of a command is missing, and goes unless we hold it too.
    const missing = entry && isStandIn(entry) ? "missingFolders" : entry ? undefined : ifMissing;
    if (missing) {
      const folder = realPath(dirname(path));
      if (folder) found[missing].add(join(folder, basename(path)));
    }
    if (!entry || missing) return;
    const isLink = entry.isSymbolicLink();
    if (isLink) found.links.add(path);
    const real = realPath(path);
    const target = isLink && real ? lookThrough(real) : entry;
    if (real && (target?.isFile() || target?.isDirectory())) found.readOnly.add(real);
  };

  const places = new Set([...directories, cwd]);
  for (const place of places) {
    guard(join(place, ".mcp.json"), "missingFiles");
    const steering = join(place, ".claude");
    // Where our own folder lies in a working directory (the home), it is guarded below, more narrowly.
    if (steering !== configDir) guard(steering, directories.includes(place) ? "missingFolders" : undefined);
    for (const name of PROJECT_FOLDERS) guard(join(place, name));
    for (const name of [...PROJECT_FILES, ...START_FILES]) guard(join(place, name));
    for (const path of filesIn(join(place, ".husky"))) guard(path);
    const worktrees = join(steering, "worktrees");
    const free = isFolder(worktrees) ? realPath(worktrees) : null;
    if (free) found.pinned.add(free);
  }
  for (const place of places) guardGit(place, guard, found.pinned);

  for (const name of START_FILES) guard(join(home, name), "missingFiles");
  for (const name of HOME_FILES.split(" ")) guard(join(home, name));
  for (const name of ["settings.json", "settings.local.json"]) guard(join(configDir, name), "missingFiles");
  for (const name of CONFIG_FILES) guard(join(configDir, name));
  for (const folder of [home, configDir]) guard(join(folder, ".claude.json"));
  return {
    readOnly: [...found.readOnly],
    pinned: [...found.pinned],
    missingFolders: [...found.missingFolders],
    missingFiles: [...found.missingFiles],
    links: [...found.links],
  };
}

/** Commits, branches and stashes are free; what makes git run a program is not. */
function guardGit(
  place: string,
  guard: (path: string, ifMissing?: "missingFolders" | "missingFiles") => void,
  pinned: Set<string>,
): void {
  const git = gitFolders(place);
  if (!git) return;
  for (const folder of git.folders) {
    // Pinned, or it could be moved away and another put in its place.
    const real = realPath(folder);
    if (real) pinned.add(real);
    guard(join(folder, "config"), "missingFiles");
    guard(join(folder, "config.worktree"), "missingFiles");
    guard(join(folder, "info", "attributes"));
    guard(join(folder, "hooks"), isFolder(join(folder, "objects")) ? "missingFolders" : undefined);
    guard(join(folder, "commondir"), "missingFiles");
  }
  if (!git.folders.includes(git.entry)) guard(git.entry);
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() === true;
}
