// Decides which plugins a session uses, and why others are not used. Loaded only if something asks for a plugin.

import { join } from "node:path";
import type { SkillsPlugin } from "../load/plugins-in-skills.ts";
import type { HookRegistration, Plugin, UnusedPlugin } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import type { Gathered } from "../load/gather.ts";
import type { PluginLanguageServers } from "../lsp/collect.ts";
import type { ConfiguredPlugins } from "../load/snapshot.ts";
import type { Source } from "../load/sources.ts";
import { pluginGrant } from "../trust/present.ts";
import { beliefIn, whyHeld } from "../trust/belief.ts";
import { asShellWord } from "../trust/trust.ts";
import { pluginCandidates, type PluginCandidate } from "./candidates.ts";
import { keepSatisfied, whyUnfit } from "./dependencies.ts";
import { activeDigest } from "./state/digest.ts";
import { readPluginFolder, type PluginFolder } from "./read/folder.ts";
import { pluginsFolder } from "./state/installed.ts";
import { dataFolderName } from "./read/names.ts";
import { pluginOptions, type PluginOptions } from "./options.ts";
import { pluginProblemText, type PluginProblem } from "./read/problem.ts";

export interface PluginQuestion extends Pick<
  Gathered,
  "places" | "flags" | "settings" | "scopes" | "read" | "trust" | "trusted" | "belief" | "held"
> {
  /** Of the process, without the `env` of settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid?: number | undefined;
  /** Folders with a manifest in a skills folder. */
  readonly inSkills: readonly SkillsPlugin[];
  readonly warn: (text: string) => void;
}

/** The MCP servers of one plugin, as it describes them. */
export interface PluginServers {
  readonly plugin: Plugin;
  readonly servers: readonly { readonly name: string; readonly raw: unknown; readonly file: string }[];
  /** What its placeholders stand for: `CLAUDE_PLUGIN_ROOT`, `user_config.KEY`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Options in the secret store. */
  readonly secret: readonly string[];
}

export interface CollectedPlugins {
  readonly plugins: ConfiguredPlugins;
  readonly hooks: readonly HookRegistration[];
  readonly servers: readonly PluginServers[];
  readonly languageServers: readonly PluginLanguageServers[];
  /** The agent that one of them wants sessions to run as. */
  readonly agent?: string;
  readonly sources: readonly Source[];
}

interface Loaded {
  readonly candidate: PluginCandidate;
  readonly plugin: Plugin;
  readonly folder: PluginFolder;
  readonly manifest: PluginFolder["manifest"];
}

/** More plugins that are not installed are reported together. */
const MOST_MISSING = 3;

/** Throws ConfigError if managed settings forbid plugins on the command line. */
export function collectPlugins(question: PluginQuestion): CollectedPlugins {
  const { flags, settings, places, env, warn } = question;
  if ((flags.pluginDirs?.length ?? 0) > 0 && settings.disableSideloadFlags) {
    throw new ConfigError("Managed settings do not allow plugins on the command line (disableSideloadFlags)");
  }
  const found = pluginCandidates(question);
  const unused: UnusedPlugin[] = [...found.unused];
  const sources: Source[] = [...found.sources];
  const data = join(pluginsFolder(places.configDir, env), "data");
  const loaded: Loaded[] = [];
  for (const candidate of found.candidates) {
    const result = loadOne(candidate, { data, loaded, sources, question });
    if ("why" in result) unused.push(result);
    else loaded.push(result);
  }
  const { kept, unused: unsatisfied } = keepSatisfied(loaded);
  unused.push(...unsatisfied);
  // That settings of an untrusted folder are ignored is reported with those settings.
  const notable = unused.filter(
    ({ kind, root }) => kind !== "disabled" && (kind !== "untrusted" || root !== undefined),
  );
  // A repository may enable all plugins of its marketplace.
  const missing = notable.filter(({ kind }) => kind === "missing");
  const together = missing.length > MOST_MISSING ? missing : [];
  for (const each of notable) {
    if (!together.includes(each)) warn(`Plugin "${each.id}" is not loaded: ${lowerFirst(each.why)}`);
  }
  if (together.length > 0) {
    const some = together.slice(0, MOST_MISSING).map(({ id }) => id);
    warn(
      `${together.length} plugins are enabled but not installed (${some.join(", ")}, …); to see them, run: keelson plugin list`,
    );
  }

  const parts = kept.map((each) => {
    const options = pluginOptions(each.plugin.id, each.manifest, settings);
    for (const problem of options.problems) warn(`Plugin "${each.plugin.id}": ${problem}`);
    return { ...each, options };
  });
  const leading = kept.find(({ folder }) => folder.mainAgent !== undefined);
  return {
    ...(leading ? { agent: `${leading.plugin.name}:${leading.folder.mainAgent}` } : {}),
    plugins: { active: kept.map(({ plugin }) => plugin), unused },
    hooks: parts.flatMap(registrationsOf),
    servers: parts.flatMap((each) => serversOf(each)),
    languageServers: parts
      .filter(({ plugin }) => Object.keys(plugin.lspServers).length > 0)
      .map(({ plugin, options }) => ({ plugin, variables: variablesOf(plugin, options), secret: options.secret })),
    sources,
  };
}

function loadOne(
  candidate: PluginCandidate,
  {
    data,
    loaded,
    sources,
    question: { uid, belief, held, warn },
  }: { data: string; loaded: readonly Loaded[]; sources: Source[]; question: PluginQuestion },
): Loaded | UnusedPlugin {
  const { from, path, record } = candidate;
  const reading = readPluginFolder(path, { uid, ...(candidate.name === undefined ? {} : { name: candidate.name }) });
  sources.push(...reading.sources);
  const { plugin: folder } = reading;
  // An installed plugin keeps the name it was installed by, so that it cannot take another's.
  const name = candidate.name ?? folder?.name;
  const id = candidate.id ?? `${name ?? path}@${from}`;
  const without = (kind: UnusedPlugin["kind"], why: string): UnusedPlugin => ({ id, root: path, kind, why });
  if (folder === undefined || name === undefined) {
    const fatal = reading.problems.find((problem) => problem.fatal);
    return without("invalid", fatal ? pluginProblemText(fatal) : `${path} is not a plugin`);
  }
  const refusal = candidate.refusal?.(id, folder.manifest);
  if (refusal !== undefined) return without(refusal.kind, refusal.why);
  const unfit = whyUnfit(folder.manifest);
  if (unfit !== undefined) return without("invalid", unfit);
  const other = loaded.find(({ plugin }) => plugin.name === name);
  if (other !== undefined) {
    return without("shadowed", `The plugin "${other.plugin.id}" has the same name; disable one of them`);
  }
  if (record?.activeHash !== undefined && record.activeHash !== activeDigest(folder, reading.sources)) {
    return without(
      "invalid",
      `Its files changed after it was installed; install them again: keelson plugin update ${id}`,
    );
  }
  if (candidate.ofFolder && belief) {
    const unknown = beliefIn(belief)(path, [pluginGrant(activeDigest(folder, reading.sources))]);
    if (unknown.length > 0) {
      const why = whyHeld(belief);
      held.push({ folder: belief.folder, file: path, names: [`plugin ${JSON.stringify(name)}`], why });
      return without("untrusted", sentence(why));
    }
  }
  for (const text of fewTexts(reading.problems, path)) warn(`Plugin "${id}": ${text}`);
  const { version = record?.version, description } = folder.manifest;
  const plugin: Plugin = {
    name,
    id,
    root: folder.root,
    data: join(data, dataFolderName(id)),
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    ...folder.layout,
    lspServers: folder.lspServers,
    from,
    ...(candidate.managed && { managed: true }),
  };
  return { candidate, plugin, folder, manifest: folder.manifest };
}

function registrationsOf({ plugin, folder, options }: Loaded & { options: PluginOptions }): HookRegistration[] {
  const { id, root, data, managed } = plugin;
  const { values, secret } = options;
  return folder.hooks.map((hook) => ({
    ...hook,
    source: "pluginHook",
    ...(managed && { managed }),
    root,
    data,
    plugin: id,
    ...(Object.keys(values).length > 0 ? { options: values } : {}),
    ...(secret.length > 0 ? { secretOptions: secret } : {}),
  }));
}

function serversOf({ candidate, plugin, folder, options }: Loaded & { options: PluginOptions }): PluginServers[] {
  if (folder.servers.length === 0 || candidate.withoutMcp) return [];
  return [{ plugin, servers: folder.servers, variables: variablesOf(plugin, options), secret: options.secret }];
}

/** What placeholders in the plugin's configuration stand for. */
function variablesOf({ root, data }: Plugin, { values }: PluginOptions): Readonly<Record<string, string>> {
  const own = Object.entries(values).map(([key, value]) => [`user_config.${key}`, value]);
  return { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data, ...Object.fromEntries(own) };
}

const MOST_PROBLEMS = 5;

function fewTexts(problems: readonly PluginProblem[], path: string): readonly string[] {
  const shown = problems.slice(0, MOST_PROBLEMS).map(pluginProblemText);
  const more = problems.length - shown.length;
  return more > 0
    ? [...shown, `${more} more problems; see them with: keelson plugin validate ${asShellWord(path)}`]
    : shown;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const lowerFirst = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);
