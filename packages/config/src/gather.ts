// All settings files read, checked and cut down to what each may decide; nothing is concluded from them here.

import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PermissionMode } from "@keelson/protocol";
import type { Environment } from "./env.ts";
import { ConfigError } from "./errors.ts";
import { restrict, type Standing } from "./scopes/folder.ts";
import { keepManagedLists } from "./scopes/managed-lists.ts";
import { mergeSettings } from "./scopes/merge.ts";
import { isAsking } from "./mode.ts";
import { permissionsOf } from "./rules.ts";
import {
  managedDirectory,
  readScopes,
  type Places,
  type Scope,
  type WarnScope,
  type WarningKind,
} from "./scopes/scopes.ts";
import type { Flags } from "./snapshot.ts";
import { stampOf, type Source } from "./sources.ts";
import { isTracked } from "./scopes/tracked.ts";
import { globalConfigFile, readTrust, type Trust } from "./trust.ts";

export interface LoadSettingsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly flags: Flags;
  readonly platform: string;
  /** Absent where the system has none. */
  readonly uid?: number;
  /** Instead of the system's own place for an administrator's files. */
  readonly managedDir?: string;
}

export interface Gathered {
  readonly places: Places;
  readonly flags: Flags;
  /** Of the folder whose settings count. */
  readonly trust: Trust;
  /** Of the folder that is worked in as well, where that is another. */
  readonly trusted: boolean;
  readonly requireTrust: boolean;
  /** Every file as it was read, lowest precedence first. */
  readonly read: readonly Scope[];
  /** What counts of each of them. */
  readonly scopes: readonly Scope[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly sources: readonly Source[];
  readonly warnings: readonly Warning[];
  readonly warn: WarnScope;
}

export interface Warning {
  readonly text: string;
  readonly kind: WarningKind;
}

/** All files read, checked and cut down to what each may decide; nothing concluded from them yet. */
export function gather(options: LoadSettingsOptions): Gathered {
  const { home, env } = options;
  const warnings: Warning[] = [];
  const warn: WarnScope = (text, kind = "restricted") => void warnings.push({ text, kind });

  const places = placesOf(options);
  const { cwd, configDir } = places;
  const { projectConfigRoot: _, ...given } = options.flags;
  const flags: Flags = {
    ...given,
    ...(places.projectRoot === undefined ? {} : { projectConfigRoot: places.projectRoot }),
    ...(env["CLAUDE_CODE_SIMPLE"] === "1" ? { bare: true } : {}),
    ...(env["CLAUDE_CODE_SAFE_MODE"] === "1" ? { safe: true } : {}),
  };

  const globalFile = globalConfigFile(home, env["CLAUDE_CONFIG_DIR"] ? configDir : undefined);
  const globalSource = { path: globalFile, stamp: stampOf(globalFile) };
  const trustOf = (folder: string, given: string) =>
    readTrust({ cwd: folder, given: resolve(given) }, globalFile, (text) => warn(text, "broken"));
  const { projectRoot } = places;
  const trust = projectRoot === undefined ? trustOf(cwd, options.cwd) : trustOf(projectRoot, projectRoot);
  const trusted = trust.trusted && (projectRoot === undefined || trustOf(cwd, options.cwd).trusted);
  const read = readScopes(places, flags, warn);
  const requireTrust = flags.requireTrust === true || asksForTrust(read.scopes);
  const plain = flags.bare || flags.safe ? read.scopes.map(withoutCustomisation) : read.scopes;
  const scopes = keepManagedLists(withinBounds(plain, { ...trust, required: requireTrust }, warn), warn);
  const unread = scopes.filter((scope) => scope.unread);
  if (unread.length > 0) warn(unreadText(unread), "broken");
  const settings = mergeSettings(scopes.map((scope) => scope.settings));
  return {
    places,
    flags,
    trust,
    trusted,
    requireTrust,
    read: read.scopes,
    scopes,
    settings: scopes.some((scope) => scope.unreadMode) ? withAskingMode(settings) : settings,
    sources: [globalSource, ...read.sources],
    warnings,
    warn,
  };
}

/** Where everything is. Throws ConfigError when the working directory is not there. */
export function placesOf({ cwd: given, home, env, flags, managedDir, platform }: LoadSettingsOptions): Places {
  const cwd = resolved(resolve(given), "The working directory");
  const { projectConfigRoot: other } = flags;
  const root = other === undefined ? cwd : resolved(resolve(cwd, other), "The folder of --project-config-root,");
  const moved = env["CLAUDE_CONFIG_DIR"];
  return {
    cwd,
    ...(root === cwd ? {} : { projectRoot: root }),
    home,
    configDir: moved ? resolve(cwd, moved) : join(home, ".claude"),
    managedDir: managedDir ?? managedDirectory(platform),
  };
}

/** The highest scope that says anything about it decides. */
function asksForTrust(scopes: readonly Scope[]): boolean {
  return scopes.findLast(({ settings }) => settings["requireTrust"] !== undefined)?.settings["requireTrust"] === true;
}

function unreadText(scopes: readonly Scope[]): string {
  const files = scopes.map(({ file }) => file ?? "--settings").join(", ");
  return (
    `${files}: rules that deny or ask may be missing; until that is mended no allow rule counts, ` +
    "and no mode starts that asks less than default"
  );
}

/** A mode that could not be read may have been narrower than those that could. */
function withAskingMode(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { defaultMode, ...others } = permissionsOf(settings);
  return isAsking((defaultMode ?? "default") as PermissionMode) ? settings : { ...settings, permissions: others };
}

function resolved(path: string, what: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`${what} ${path} cannot be opened (${code})`);
  }
}

/** Takes from the folder's own files what they may not decide; lower scopes first, since modes are compared. */
function withinBounds(
  scopes: readonly Scope[],
  trust: Trust & { readonly required: boolean },
  warn: WarnScope,
): readonly Scope[] {
  let before: PermissionMode = "default";
  return scopes.map((scope) => {
    const bounded = isFolderScope(scope) ? restrict(scope, standingOf(scope, trust), before, warn) : scope;
    before = (permissionsOf(bounded.settings)["defaultMode"] as PermissionMode | undefined) ?? before;
    return bounded;
  });
}

const isFolderScope = ({ source }: Scope) => source === "projectSettings" || source === "localSettings";

/**
 * A local file is meant to be its user's own, but a repository or an archive may bring one. Whose it is no file can say
 * of itself, so without trust it widens only what its user accepted (the reference lets all of it count, 2.1.197).
 */
function standingOf(
  { source, file, settings }: Scope,
  { trusted, fix, accepted, required }: Trust & { required: boolean },
): Standing {
  const isProject = source === "projectSettings";
  // Looking it up means reading git's index, so only where it makes a difference.
  const matters = permissionsOf(settings)["defaultMode"] !== undefined;
  const shipped = isProject || (matters && file !== undefined && isTracked(file));
  return { trusted, fix, shipped, required, ...(isProject ? {} : { accepted }) };
}

// What `--bare` and `--safe-mode` leave out of the standard files. Rules, mode, model and limits stay: bare is plain, not permissive.
const CUSTOMISATION = [
  "hooks",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "pluginConfigs",
  "agent",
  "outputStyle",
  "statusLine",
  "subagentStatusLine",
  "apiKeyHelper",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
];

function withoutCustomisation(scope: Scope): Scope {
  if (scope.source === "policySettings" || scope.source === "flagSettings") return scope;
  const kept = Object.entries(scope.settings).filter(([key]) => !CUSTOMISATION.includes(key));
  return { ...scope, settings: Object.fromEntries(kept) };
}
