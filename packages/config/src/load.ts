// From a directory, an environment and flags to one frozen snapshot. A handful of small reads, nothing is executed.

import type { Settings } from "@keelson/protocol";
import { workingDirectories } from "./directories.ts";
import { applyBlocks, inheritedEnvironment } from "./env.ts";
import { gather, type LoadSettingsOptions } from "./gather.ts";
import { collectHooks } from "./hooks.ts";
import { startingMode } from "./mode.ts";
import { collectRules, permissionsOf } from "./rules.ts";
import type { RuleOrigin, Snapshot } from "./snapshot.ts";

/** Reads all settings once. Throws ConfigError for what was asked for and cannot be had. */
export function load(options: LoadSettingsOptions): Snapshot {
  const { home, env } = options;
  const gathered = gather(options);
  const { places, flags, scopes, warn } = gathered;
  const { cwd, configDir } = places;
  const unread = scopes.some((scope) => scope.unread);
  const settings = unread ? forbidWideModes(gathered.settings) : gathered.settings;

  const question = { settings, flags, isRoot: options.uid === 0, isSandbox: env["IS_SANDBOX"] === "1", unread };
  const ownEnv = applyBlocks(
    env,
    scopes.map((scope) => scope.settings["env"] ?? {}),
  );
  return deepFreeze({
    cwd,
    home,
    configDir,
    env: ownEnv,
    childEnv: inheritedEnvironment(ownEnv),
    settings: settings as Settings,
    flags,
    rules: collectRules(scopes, flags, cwd, { unread }),
    hooks: collectHooks({ ...gathered, bare: flags.bare === true, safe: flags.safe === true }),
    mode: startingMode(question, warn),
    directories: workingDirectories(scopes, flags.addDirs ?? [], places, warn),
    trusted: gathered.trusted,
    requireTrust: gathered.requireTrust,
    sources: gathered.sources,
    origin: originOf(options),
    warnings: gathered.warnings.map(({ text }) => text),
  });
}

/** The same again, from the files as they are now. Throws ConfigError; the old snapshot stays good. */
export function reload({ origin, home }: Snapshot): Snapshot {
  return load({ ...origin, home });
}

/** The same with variables a client set since, as if the program had been started with them. Settings stand above. */
export function withEnvironment(snapshot: Snapshot, variables: Readonly<Record<string, string>>): Snapshot {
  const { env, origin, settings } = snapshot;
  const news = Object.fromEntries(Object.entries(variables).filter(([name]) => !SETTLED.has(name)));
  const own = { ...env, ...news, ...settings.env };
  return {
    ...snapshot,
    env: own,
    childEnv: inheritedEnvironment(own),
    origin: { ...origin, env: { ...origin.env, ...news } },
  };
}

/** Where the program keeps its things and where it believes to run is settled at the start. */
const SETTLED = new Set(["CLAUDE_CONFIG_DIR", "IS_SANDBOX", "HOME"]);

/** Nobody switches to these later either. */
function forbidWideModes(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const off = { disableBypassPermissionsMode: "disable", disableAutoMode: "disable" };
  return { ...settings, permissions: { ...permissionsOf(settings), ...off } };
}

function originOf({ cwd, env, platform, uid, managedDir, flags }: LoadSettingsOptions): RuleOrigin {
  return {
    cwd,
    // A copy: the snapshot is frozen, the process's own environment must not be.
    env: Object.freeze({ ...env }),
    platform,
    flags,
    ...(uid === undefined ? {} : { uid }),
    ...(managedDir === undefined ? {} : { managedDir }),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
