// Reads and checks all settings files and removes what each may not set. `load` turns the result into a snapshot.

import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PermissionMode, Settings, SettingsKey } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";
import type { Environment } from "../env/env.ts";
import { ConfigError } from "../errors.ts";
import type * as Folder from "../scopes/folder.ts";
import type { Standing } from "../scopes/folder.ts";
import { keepManagedLists } from "../scopes/managed-lists.ts";
import { mergeSettings } from "../scopes/merge.ts";
import { isAsking } from "./mode.ts";
import { permissionsOf } from "./rules.ts";
import {
  managedDirectory,
  readScopes,
  type Places,
  type Scope,
  type WarnScope,
  type WarningKind,
} from "../scopes/scopes.ts";
import type { Flags } from "./snapshot.ts";
import { mcpFiles, stampOf, type McpFiles, type Source } from "./sources.ts";
import type * as Beliefs from "../trust/belief.ts";
import type { BeliefPlace, Held } from "../trust/belief.ts";
import { globalConfigFile, readGlobalConfig, readTrust, type GlobalConfig, type Trust } from "../trust/trust.ts";

export interface LoadSettingsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly flags: Flags;
  readonly platform: string;
  /** Absent on systems without user ids. */
  readonly uid?: number;
  /** Overrides the system's folder for an administrator's files. */
  readonly managedDir?: string;
  /** Someone is at a terminal: a folder inside a trusted one is trusted. */
  readonly trustFromAbove?: boolean;
  /** Believe what an earlier session found in large folders. Loading again looks at them. */
  readonly quick?: boolean;
  /** A session is under way. */
  readonly underWay?: UnderWay;
}

export interface UnderWay {
  /** When it read the files first. */
  readonly since: number;
  /** The files of which something was not believed then. */
  readonly heldAtStart: readonly string[];
}

export interface Gathered {
  readonly places: Places;
  readonly flags: Flags;
  /** Trust in the folder whose settings apply. */
  readonly trust: Trust;
  /** Whether that folder and the working directory are both trusted. */
  readonly trusted: boolean;
  readonly requireTrust: boolean;
  /** Every file as read, lowest precedence first. */
  readonly read: readonly Scope[];
  /** The same without what each file may not set. */
  readonly scopes: readonly Scope[];
  /** What the user has not been asked about in the folder's files. It may only restrict. */
  readonly held: Held[];
  /** Absent if the folder is not trusted and in no trusted one. */
  readonly belief?: BeliefPlace;
  readonly settings: Settings;
  readonly global: GlobalConfig;
  readonly mcpFiles: McpFiles;
  readonly sources: readonly Source[];
  readonly warnings: readonly Warning[];
  readonly warn: WarnScope;
}

export interface Warning {
  readonly text: string;
  readonly kind: WarningKind;
}

/** Throws ConfigError if the working directory, `--settings` or a managed file cannot be read. */
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
    ...(isVariableOn(env["CLAUDE_CODE_SIMPLE"]) ? { bare: true } : {}),
    ...(isVariableOn(env["CLAUDE_CODE_SAFE_MODE"]) ? { safe: true } : {}),
  };

  const globalFile = globalConfigFile(home, env["CLAUDE_CONFIG_DIR"] ? configDir : undefined);
  const globalSource = { path: globalFile, stamp: stampOf(globalFile) };
  const own = { cwd, given: resolve(options.cwd) };
  const global = readGlobalConfig(own, globalFile, (text) => warn(text, "broken"));
  const { projectRoot } = places;
  const above = { home, configDir, fromAbove: options.trustFromAbove === true };
  const trust = readTrust(projectRoot === undefined ? own : { cwd: projectRoot, given: projectRoot }, global, above);
  const trusted = trust.trusted && (projectRoot === undefined || readTrust(own, global, above).trusted);
  const servers = mcpFiles({ folder: projectRoot ?? cwd, home, managedDir: places.managedDir });
  const serverSources = [servers.managed, ...servers.project].map((path) => ({ path, stamp: stampOf(path) }));
  const read = readScopes(places, flags, warn);
  const isPolicy = mergeSettings(read.scopes.map(({ settings }) => settings)).requireTrust === true;
  const required = isPolicy || flags.requireTrust === true ? "yes" : flags.requireTrust || "no";
  const requireTrust = required !== "no";
  const belief = trust.basis && { ...trust, ...trust.basis, configDir, home, uid: options.uid, ...options.underWay };
  const asked =
    belief && read.scopes.some(isFolderScope)
      ? (require("../trust/belief.ts") as typeof Beliefs).askedScopes(read.scopes, belief, warn)
      : { scopes: read.scopes, held: [] };
  const plain = flags.bare || flags.safe ? asked.scopes.map(withoutCustomization) : asked.scopes;
  const scopes = keepManagedLists(withinBounds(plain, { ...trust, required }, warn), warn);
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
    held: asked.held,
    ...(belief ? { belief } : {}),
    settings: scopes.some((scope) => scope.unreadMode) ? withAskingMode(settings) : settings,
    global,
    mcpFiles: servers,
    sources: [globalSource, ...read.sources, ...serverSources],
    warnings,
    warn,
  };
}

/** The folders that settings come from. Throws ConfigError if one cannot be opened. */
export function placesOf({ cwd: given, home, env, flags, managedDir, platform }: LoadSettingsOptions): Places {
  const cwd = resolved(resolve(given), "The working directory");
  const { projectConfigRoot: other } = flags;
  const root = other === undefined ? cwd : resolved(resolve(cwd, other), "The folder of --project-config-root");
  const moved = env["CLAUDE_CONFIG_DIR"];
  return {
    cwd,
    ...(root === cwd ? {} : { projectRoot: root }),
    home,
    configDir: moved ? resolve(cwd, moved) : join(home, ".claude"),
    managedDir: managedDir ?? managedDirectory(platform),
  };
}

function unreadText(scopes: readonly Scope[]): string {
  const files = scopes.map(({ file }) => file ?? "--settings").join(", ");
  return (
    `${files}: deny or ask rules may be missing; until this is fixed, allow rules are ignored, ` +
    "and so are modes less strict than default"
  );
}

/** An invalid mode may have been a stricter one. */
function withAskingMode(settings: Settings): Settings {
  const { defaultMode = "default", ...others } = permissionsOf(settings);
  return isAsking(defaultMode) ? settings : { ...settings, permissions: others };
}

function resolved(path: string, what: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`${what} ${path} cannot be opened (${code})`);
  }
}

/** Lower scopes go first, because a folder's mode is compared with theirs. */
function withinBounds(
  scopes: readonly Scope[],
  trust: Trust & Pick<Standing, "required">,
  warn: WarnScope,
): readonly Scope[] {
  let before: PermissionMode = "default";
  const keys = scopes.flatMap(({ settings }) => keyVariables(settings));
  return scopes.map((scope) => {
    let bounded = scope;
    if (isFolderScope(scope)) {
      // Most folders have no settings.
      const { restrict } = require("../scopes/folder.ts") as typeof Folder;
      bounded = withoutKeys(restrict(scope, standingOf(scope, trust), before, warn), keys, warn);
    }
    before = permissionsOf(bounded.settings).defaultMode ?? before;
    return bounded;
  });
}

/** The variables that settings name as keys of model servers and searches. Only the user's and the administrator's can. */
export function keyVariables({ providers = {}, webSearch }: Settings): readonly string[] {
  const searching = webSearch?.apiKeyEnv;
  return [...Object.values(providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []), ...(searching ? [searching] : [])];
}

/** A folder may not set them, whatever they are called. */
function withoutKeys(scope: Scope, keys: readonly string[], warn: WarnScope): Scope {
  const { env = {} } = scope.settings;
  const taken = keys.filter((name) => Object.hasOwn(env, name));
  if (taken.length === 0) return scope;
  const names = taken.map((name) => `env.${name}`).join(", ");
  warn(`${scope.file ?? "--settings"}: ${names} ignored: a folder may not set keys of model servers`);
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !taken.includes(name)));
  return { ...scope, settings: { ...scope.settings, env: kept } };
}

const isFolderScope = ({ source }: Scope) => source === "projectSettings" || source === "localSettings";

/**
 * A local file is meant to be written by its user, but may come with a repository or an archive. Without trust, it allows
 * only what the user accepted. (The reference applies all of it, 2.1.197.)
 */
function standingOf(
  { source }: Scope,
  { trusted, fix, accepted, required }: Trust & Pick<Standing, "required">,
): Standing {
  return { trusted, fix, required, ...(source === "projectSettings" ? {} : { accepted }) };
}

// What `--bare` and `--safe-mode` skip in the user's and the project's files. Rules, mode, model and limits still apply.
const CUSTOMIZATION: readonly string[] = [
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
  "lspServers",
] satisfies readonly SettingsKey[];

function withoutCustomization(scope: Scope): Scope {
  if (scope.source === "policySettings" || scope.source === "flagSettings") return scope;
  const kept = Object.entries(scope.settings).filter(([key]) => !CUSTOMIZATION.includes(key));
  return { ...scope, settings: Object.fromEntries(kept) };
}
