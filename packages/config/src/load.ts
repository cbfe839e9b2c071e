// From a directory, an environment and flags to one frozen snapshot. A handful of small reads, nothing is executed.

import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PermissionMode, Settings } from "@keelson/protocol";
import { workingDirectories } from "./directories.ts";
import { applyBlocks, childEnvironment, type Environment } from "./env.ts";
import { ConfigError } from "./errors.ts";
import { restrict, type Standing } from "./folder.ts";
import { mergeSettings } from "./merge.ts";
import { startingMode } from "./mode.ts";
import { collectRules, permissionsOf } from "./rules.ts";
import { managedDirectory, readScopes, type Scope } from "./scopes.ts";
import type { Flags, Snapshot } from "./snapshot.ts";
import { isTracked } from "./tracked.ts";
import { globalConfigFile, readTrust, type Trust } from "./trust.ts";

export interface LoadOptions {
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

/** Reads all settings once. Throws ConfigError for what was asked for and cannot be had. */
export function load(options: LoadOptions): Snapshot {
  const { home, env } = options;
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);

  const given = resolve(options.cwd);
  const cwd = resolved(given);
  const configDirGiven = env["CLAUDE_CONFIG_DIR"] || undefined;
  const configDir = configDirGiven === undefined ? join(home, ".claude") : resolve(cwd, configDirGiven);
  const managedDir = options.managedDir ?? managedDirectory(options.platform);
  const places = { cwd, home, configDir, managedDir };
  const flags: Flags = env["CLAUDE_CODE_SIMPLE"] === "1" ? { ...options.flags, bare: true } : options.flags;

  const trust = readTrust({ cwd, given }, globalConfigFile(home, configDirGiven && configDir), warn);
  const read = readScopes(places, flags, warn);
  const scopes = withinBounds(flags.bare ? read.map(withoutCustomisation) : read, trust, warn);
  const settings = mergeSettings(scopes.map((scope) => scope.settings));

  const question = { settings, flags, isRoot: options.uid === 0, isSandbox: env["IS_SANDBOX"] === "1" };
  const ownEnv = applyBlocks(
    env,
    scopes.map((scope) => scope.settings["env"] ?? {}),
  );
  return deepFreeze({
    cwd,
    home,
    configDir,
    env: ownEnv,
    childEnv: childEnvironment(ownEnv),
    settings: settings as Settings,
    flags,
    rules: collectRules(scopes, flags, cwd),
    mode: startingMode(question, warn),
    directories: workingDirectories(scopes, flags.addDirs ?? [], places, warn),
    trusted: trust.trusted,
    warnings,
  });
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`The working directory ${path} cannot be opened (${code})`);
  }
}

/** Takes from the folder's own files what they may not decide; lower scopes first, since modes are compared. */
function withinBounds(scopes: readonly Scope[], trust: Trust, warn: (text: string) => void): readonly Scope[] {
  let before: PermissionMode = "default";
  return scopes.map((scope) => {
    const bounded = isFolderScope(scope) ? restrict(scope, standingOf(scope, trust), before, warn) : scope;
    before = (permissionsOf(bounded.settings)["defaultMode"] as PermissionMode | undefined) ?? before;
    return bounded;
  });
}

const isFolderScope = ({ source }: Scope) => source === "projectSettings" || source === "localSettings";

/**
 * A local file is its user's own and its allow rules count in untrusted folders too (observed, 2.1.197), unless the
 * repository ships it.
 */
function standingOf({ source, file }: Scope, { trusted, fix }: Trust): Standing {
  const shipped = source === "projectSettings" || (!trusted && file !== undefined && isTracked(file));
  return { trusted, fix, shipped };
}

// What `--bare` leaves out of the standard files. Rules, mode, model and limits stay: bare is plain, not permissive.
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

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
