// Turns a directory, an environment and flags into one frozen snapshot. It reads a few small files and runs nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "@keelson/engine";
import { isObject, isVariableOn, type JsonObject, type Settings } from "@keelson/protocol";
import { workingDirectories } from "./directories.ts";
import { applyBlocks, beneathFolder, inheritedEnvironment } from "../env/env.ts";
import { ConfigError } from "../errors.ts";
import { gather, keyVariables, type Gathered, type LoadSettingsOptions } from "./gather.ts";
import { collectHooks, withoutCommandsLikeHooks } from "./hooks.ts";
import type * as Lsp from "../lsp/collect.ts";
import type { LanguageServerQuestion } from "../lsp/collect.ts";
import type * as Mcp from "../mcp/collect.ts";
import type { McpQuestion } from "../mcp/candidates.ts";
import type * as Plugins from "../plugins/collect.ts";
import type { CollectedPlugins, PluginQuestion } from "../plugins/collect.ts";
import { pluginsInSkills, staysIn, type SkillsPlugin } from "./plugins-in-skills.ts";
import { startingMode } from "./mode.ts";
import { collectRules, permissionsOf } from "./rules.ts";
import type { ConfiguredLanguageServers, ConfiguredMcp, Flags, RuleOrigin, Snapshot } from "./snapshot.ts";

/** Throws ConfigError if a flag or an administrator asked for something that cannot be done. */
export function load(options: LoadSettingsOptions): Snapshot {
  const { home, env } = options;
  const gathered = gather(options);
  const { places, scopes, warn } = gathered;
  const { flags, dynamic } = withoutPrograms(gathered.flags);
  const { cwd, configDir } = places;
  const unread = scopes.some((scope) => scope.unread);
  const settings = unread ? forbidWideModes(gathered.settings) : gathered.settings;

  checkAgentFlag(flags, settings);
  const question = { settings, flags, isRoot: options.uid === 0, isSandbox: isVariableOn(env["IS_SANDBOX"]), unread };
  const ownEnv = applyBlocks(
    env,
    scopes.map((scope) => scope.settings.env ?? {}),
  );
  const beneath = beneathFolder(env, scopes);
  const collected = pluginsFor({ ...gathered, settings, flags, env, uid: options.uid, quick: options.quick });
  const { plugins, servers, languageServers, sources } = collected;
  const hookFlags = { bare: flags.bare === true, safe: flags.safe === true };
  const hooks = collectHooks({ ...gathered, ...hookFlags, plugins: collected.hooks });
  const effective = withoutCommandsLikeHooks(settings, scopes, hooks.policy);
  return deepFreeze({
    cwd,
    home,
    configDir,
    env: ownEnv,
    ...(beneath ? { beneath } : {}),
    childEnv: inheritedEnvironment(ownEnv, keyVariables(settings)),
    settings: collected.agent === undefined ? effective : { agent: collected.agent, ...effective },
    flags,
    rules: [...collectRules(scopes, flags, cwd, { unread }), ...secretRules(configDir)],
    hooks,
    mcp: mcpServers({ ...gathered, settings, flags, dynamic, plugins: servers, env: ownEnv, uid: options.uid }),
    lsp: lspServers({ ...gathered, settings, flags, plugins: languageServers, env: ownEnv }),
    plugins,
    mode: startingMode(question, warn),
    directories: workingDirectories(scopes, flags.addDirs ?? [], places, warn),
    trusted: gathered.trusted,
    ...trustFacts(gathered, options),
    requireTrust: gathered.requireTrust,
    sources: [...gathered.sources, ...sources],
    origin: originOf(options),
    warnings: gathered.warnings.map(({ text }) => text),
  });
}

/** Read last: servers and plugins add to what is held. */
function trustFacts({ trust: { basis }, held }: Gathered, { underWay }: LoadSettingsOptions) {
  const { since = Date.now() } = underWay ?? {};
  return { ...(basis ? { trustBasis: { ...basis, since } } : {}), ...(held.length > 0 ? { held } : {}) };
}

/** Tokens of MCP servers are for no tool, whatever the working directories are. */
function secretRules(configDir: string): readonly Rule[] {
  const folder = join(configDir, "mcp-credentials");
  if (!existsSync(folder)) return [];
  const content = `/${folder}/**`;
  return [
    { behavior: "deny", tool: "Read", content, source: "policySettings", base: configDir, text: `Read(${content})` },
  ];
}

/** Reads the files again. Throws ConfigError; the old snapshot stays usable. */
export function reload({ origin, home, held = [], trustBasis }: Snapshot): Snapshot {
  const { since = Date.now() } = trustBasis ?? {};
  return load({ ...origin, home, underWay: { since, heldAtStart: held.map(({ file }) => file) } });
}

/** Adds variables from a client, as if the program had been started with them. The `env` of the settings still wins. */
export function withEnvironment(snapshot: Snapshot, variables: Readonly<Record<string, string>>): Snapshot {
  const { env, beneath, origin, settings } = snapshot;
  const added = Object.fromEntries(Object.entries(variables).filter(([name]) => !FIXED.has(name)));
  const own = { ...env, ...added, ...settings.env };
  return {
    ...snapshot,
    env: own,
    ...(beneath ? { beneath: { ...beneath, ...pick(added, Object.keys(beneath)) } } : {}),
    childEnv: inheritedEnvironment(own, keyVariables(settings)),
    origin: { ...origin, env: { ...origin.env, ...added } },
  };
}

const pick = (variables: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));

/**
 * The environment without what the folder's files set, for what has to do with the user's keys: a proxy or a certificate
 * authority that a folder names would see them, and its PATH would run its own programs for them.
 */
export const ownEnvironment = ({ env, beneath }: Pick<Snapshot, "env" | "beneath">): Snapshot["env"] =>
  beneath ? { ...env, ...beneath } : env;

/** Read once at the start: where files are, and whether this is a sandbox. */
const FIXED = new Set(["CLAUDE_CONFIG_DIR", "IS_SANDBOX", "HOME"]);

/** Separates the servers of `--mcp-config` that are inside the client from all others. */
function withoutPrograms(flags: Flags): { readonly flags: Flags; readonly dynamic: JsonObject } {
  const { mcpServers, ...others } = flags;
  if (mcpServers === undefined) return { flags, dynamic: {} };
  const isInClient = ([, entry]: [string, unknown]) => isObject(entry) && entry["type"] === "sdk";
  const entries = Object.entries(mcpServers);
  const inClient = entries.filter(isInClient);
  const dynamic = Object.fromEntries(entries.filter((entry) => !isInClient(entry)));
  return { flags: { ...others, ...(inClient.length > 0 && { mcpServers: Object.fromEntries(inClient) }) }, dynamic };
}

/** Throws ConfigError if managed settings forbid agents on the command line. */
function checkAgentFlag({ agents }: Flags, settings: Settings): void {
  if (agents !== undefined && settings.disableSideloadFlags) {
    throw new ConfigError("Managed settings do not allow agents on the command line (disableSideloadFlags)");
  }
}

/** Throws ConfigError if managed settings forbid servers on the command line. */
function mcpServers(question: McpQuestion & Pick<Gathered, "sources">): ConfiguredMcp {
  const { dynamic, settings, global, mcpFiles, sources, plugins } = question;
  const onCommandLine = Object.keys(dynamic).length > 0;
  if (onCommandLine && settings.disableSideloadFlags) {
    throw new ConfigError("Managed settings do not allow MCP servers on the command line (disableSideloadFlags)");
  }
  const files = new Set([mcpFiles.managed, ...mcpFiles.project]);
  const isConfigured =
    onCommandLine ||
    plugins.length > 0 ||
    settings.managedMcpServers !== undefined ||
    global.value["mcpServers"] !== undefined ||
    global.project["mcpServers"] !== undefined ||
    sources.some(({ path, stamp }) => files.has(path) && stamp !== "absent");
  if (!isConfigured) return { servers: [], unused: [] };
  return (require("../mcp/collect.ts") as typeof Mcp).collectServers(question);
}

function lspServers(question: LanguageServerQuestion): ConfiguredLanguageServers {
  const { settings, plugins } = question;
  if (plugins.length === 0 && settings.lspServers === undefined) return { servers: [], unused: [] };
  return (require("../lsp/collect.ts") as typeof Lsp).collectLanguageServers(question);
}

const NO_PLUGINS: CollectedPlugins = {
  plugins: { active: [], unused: [] },
  hooks: [],
  servers: [],
  languageServers: [],
  sources: [],
};

/** Throws ConfigError if managed settings forbid plugins on the command line. */
function pluginsFor(
  question: Omit<PluginQuestion, "inSkills"> & Pick<Gathered, "read"> & { readonly quick?: boolean },
) {
  const { flags, places, read, warn, uid, quick } = question;
  const { configDir } = places;
  const pluginsIn = (folder: string, of: SkillsPlugin["of"]) =>
    pluginsInSkills(join(folder, "skills"), { of, configDir, uid, quick });
  const { settingSources: wanted = ["user", "project"] } = flags;
  const root = places.projectRoot ?? places.cwd;
  const ofProject = wanted.includes("project") ? pluginsIn(join(root, ".claude"), "project") : [];
  const inSkills = [
    ...(wanted.includes("user") ? pluginsIn(configDir, "user") : []),
    ...ofProject.filter(({ folder }) => staysIn(root, folder, warn)),
  ];
  const isAsked =
    (flags.pluginDirs?.length ?? 0) > 0 ||
    inSkills.length > 0 ||
    read.some(({ settings }) => settings.enabledPlugins !== undefined);
  if (!isAsked) return NO_PLUGINS;
  return (require("../plugins/collect.ts") as typeof Plugins).collectPlugins({ ...question, inSkills });
}

/** Also keeps a client from switching to these modes later. */
function forbidWideModes(settings: Settings): Settings {
  const off = { disableBypassPermissionsMode: "disable", disableAutoMode: "disable" } as const;
  return { ...settings, permissions: { ...permissionsOf(settings), ...off } };
}

function originOf(options: LoadSettingsOptions): RuleOrigin {
  const { cwd, env, platform, uid, managedDir, flags, trustFromAbove } = options;
  return {
    cwd,
    // A copy, because the snapshot is frozen and the environment of the process must not be.
    env: Object.freeze({ ...env }),
    platform,
    flags,
    ...(uid === undefined ? {} : { uid }),
    ...(managedDir === undefined ? {} : { managedDir }),
    ...(trustFromAbove ? { trustFromAbove } : {}),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
