// Where skills, commands and agents are searched: managed, user, project, additional directories.

import { realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { SkillProblem, SkillSource } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";
import { atHome, managedDirectory } from "../../scopes/scopes.ts";
import { readSettingsFile } from "../../scopes/read.ts";
import type { Snapshot } from "../../load/snapshot.ts";
import { globalFileOf, isTrustedIn, MAX_BYTES, trustFix } from "../../trust/trust.ts";
import { isPlanted } from "../../planted.ts";

export type SkillSettings = Pick<
  Snapshot,
  | "cwd"
  | "home"
  | "configDir"
  | "env"
  | "settings"
  | "flags"
  | "plugins"
  | "hooks"
  | "directories"
  | "trusted"
  | "requireTrust"
  | "origin"
>;

/** What is searched for. Commands are found with skills. */
export type SearchedFor = "skills" | "agents";

/** A folder with `skills`, `commands` or `agents` in it. */
export interface SkillPlace {
  readonly source: SkillSource;
  /** `.claude`, or the user's config folder. */
  readonly folder: string;
  /** The folder that `paths` are relative to. */
  readonly base: string;
  /** Links may not lead out of this folder. Absent: anywhere. */
  readonly root?: string;
  readonly untrusted?: true;
}

export interface SkillPlaces {
  readonly places: readonly SkillPlace[];
  /** Folders that exist and are not used. */
  readonly off: readonly SkillProblem[];
  /** Folders that do not exist, but would be used. */
  readonly missing: readonly string[];
  /** A folder below the working directory; undefined if it has none or it is not used. */
  nested(folder: string): SkillPlace | undefined;
}

export function findPlaces(settings: SkillSettings, what: SearchedFor = "skills"): SkillPlaces {
  const { cwd, home, configDir, flags, env } = settings;
  const places: SkillPlace[] = [];
  const off: SkillProblem[] = [];
  const missing: string[] = [];
  const why = reasons(settings, what);
  const isTrusted = trustReader(settings);
  const others = new Set([configDir, join(home, ".claude")]);
  const root = flags.projectConfigRoot ?? cwd;

  const add = (place: SkillPlace, reason: string | undefined) => {
    if (reason === undefined) return void places.push(place);
    for (const folder of foldersOf(place, what))
      if (isFolder(folder)) off.push({ file: folder, kind: "off", why: reason });
  };
  /** The `.claude` of a folder that may come from a repository. */
  const ofFolder = (folder: string, source: SkillSource, repository: string): SkillPlace | string | undefined => {
    const dot = join(folder, ".claude");
    if (others.has(dot)) return undefined;
    const stat = look(dot);
    if (!stat?.isDirectory()) return void missing.push(dot);
    if (isPlanted(folder, stat.uid, settings.origin.uid))
      return "it belongs to another user and is in a folder that everyone can write to";
    const trusted = isTrusted(folder);
    if (!trusted && settings.requireTrust)
      return `trust is required and this folder is not trusted; to trust it, ${trustFix(folder)}`;
    if (trusted) return { source, folder: dot, base: folder, root: repository };
    // The repository around it may be another one, such as a home folder under version control.
    return { source, folder: dot, base: folder, root: isInRoot(cwd, folder) ? cwd : folder, untrusted: true };
  };
  const take = (folder: string, source: SkillSource, repository: string, reason: string | undefined) => {
    const place = ofFolder(folder, source, repository);
    if (typeof place === "object") add(place, reason);
    else if (place !== undefined) add({ source, folder: join(folder, ".claude"), base: folder }, reason ?? place);
  };

  const managed = settings.origin.managedDir ?? managedDirectory(settings.origin.platform);
  const noPolicy =
    what === "skills" && isVariableOn(env["CLAUDE_CODE_DISABLE_POLICY_SKILLS"])
      ? "CLAUDE_CODE_DISABLE_POLICY_SKILLS is set"
      : undefined;
  add({ source: "managed", folder: join(managed, ".claude"), base: cwd }, noPolicy);
  add({ source: "user", folder: configDir, base: cwd }, why.user);

  const repository = repositoryOf(root);
  // With --project-config-root, only the `.claude` of that folder is read.
  const upward = root === cwd ? upTo(cwd, repository) : [root];
  for (const folder of upward) take(folder, "project", repository, why.project);
  // Additional directories have skills, not agents.
  for (const folder of what === "skills" ? settings.directories : []) {
    if (!upward.includes(folder)) take(folder, "directory", repositoryOf(folder), why.directory(folder));
  }
  return {
    places,
    off,
    missing,
    nested(folder) {
      if (root !== cwd || why.project !== undefined) return undefined;
      const place = isFolder(join(folder, ".claude", "skills")) ? ofFolder(folder, "nested", repository) : undefined;
      if (typeof place === "string") off.push({ file: join(folder, ".claude", "skills"), kind: "off", why: place });
      return typeof place === "object" ? place : undefined;
    },
  };
}

/** Only skills come from an administrator and from folders below the working directory. */
export function foldersOf({ source, folder }: SkillPlace, what: SearchedFor = "skills"): readonly string[] {
  if (what === "agents") return [join(folder, "agents")];
  const skills = join(folder, "skills");
  return source === "managed" || source === "nested" ? [skills] : [skills, join(folder, "commands")];
}

interface Reasons {
  readonly user: string | undefined;
  readonly project: string | undefined;
  directory(folder: string): string | undefined;
}

/** Why those of each source are not used. */
function reasons({ flags, settings, home, cwd }: SkillSettings, what: SearchedFor): Reasons {
  const all = (why: string) => ({ user: why, project: why, directory: () => why });
  if (isReserved(settings.strictPluginOnlyCustomization, what))
    return all(`managed settings allow only ${what} of plugins (strictPluginOnlyCustomization)`);
  if (flags.safe) return all("--safe-mode skips it");
  if (flags.bare) {
    const given = new Set((flags.addDirs ?? []).map((written) => realpathSync(atHome(written, home, cwd))));
    // What the command line names is used.
    return {
      ...all("--bare skips it"),
      directory: (folder) => (given.has(folder) ? undefined : "--bare skips it"),
    };
  }
  const { settingSources: sources = ["user", "project", "local"] } = flags;
  const without = (source: "user" | "project") =>
    sources.includes(source) ? undefined : `--setting-sources does not include ${source}`;
  return { user: without("user"), project: without("project"), directory: () => without("project") };
}

/** True for `true` and for a list that names it. An invalid value also restricts: the administrator meant to. */
export function isReserved(value: unknown, what: SearchedFor): boolean {
  return Array.isArray(value) ? value.includes(what) : value !== undefined && value !== false;
}

/** Trust does not extend to other folders, neither inside nor around. */
function trustReader(settings: SkillSettings): (folder: string) => boolean {
  const { cwd, flags, trusted } = settings;
  let global: Readonly<Record<string, unknown>> | undefined;
  return (folder) => {
    if (folder === (flags.projectConfigRoot ?? cwd)) return trusted;
    if (global === undefined) {
      const reading = readSettingsFile(globalFileOf(settings), { maxBytes: MAX_BYTES });
      global = reading.kind === "read" ? reading.value : {};
    }
    return isTrustedIn(global, folder);
  };
}

/** The nearest folder with a `.git`; without one, the folder itself. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (look(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return folder;
  }
}

/** From the folder to its repository, the nearest first. */
function upTo(folder: string, repository: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== repository && dirname(at) !== at;) folders.push((at = dirname(at)));
  return folders;
}

/** Follows links. What cannot be looked at counts as missing. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isFolder = (path: string) => look(path)?.isDirectory() === true;

/** The file system root contains everything, so it does not count as a folder here. */
export function isInRoot(folder: string, path: string): boolean {
  return folder !== sep && (path === folder || path.startsWith(folder + sep));
}
