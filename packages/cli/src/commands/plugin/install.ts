// keelson plugin install: fetches a plugin and those it needs, puts them into the cache, and enables them.

import {
  dependencyOf,
  marketplaceRefusal,
  parsePluginId,
  recordInstallation,
  writePluginSetting,
  type Catalog,
  type KnownMarketplace,
  type MarketplaceEntry,
  type PluginScope,
} from "@keelson/config/plugins";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { stagePlugin, warnOfMissing, type StagedPlugin } from "./fetch-plugin.ts";
import { refreshMarketplace } from "./marketplace/add-source.ts";
import { mayRun, shortLines } from "./may-run.ts";
import { catalogOf, pluginPlace, reread, scopeOfCall, type PluginPlace } from "./place.ts";

export async function installPlugins(call: Invoked): Promise<number> {
  const { words, io } = call;
  if (words.length === 0) throw new UsageError("usage: keelson plugin install <plugin>[@<marketplace>] [-s <scope>]");
  const place = await pluginPlace(call);
  const scope = scopeOfCall(call);
  for (const typed of words) {
    const id = wantedId(typed, place);
    const staged = await stageAll(id, reread(place), io);
    for (const each of staged) {
      const code = await keepPlugin(each, scope, place, io);
      if (code !== 0) return code;
    }
  }
  return warnIfUnused(words, place, io);
}

/** The id of a plugin to install, from an id or a name that one marketplace has. */
function wantedId(typed: string, { state, snapshot }: PluginPlace): string {
  const parsed = parsePluginId(typed);
  if (parsed !== undefined) return typed;
  const catalogs = Object.values(state.marketplaces).flatMap((known) => catalogOf(known, snapshot.origin.uid) ?? []);
  const having = catalogs.filter(({ marketplace }) => marketplace.plugins.some(({ name }) => name === typed));
  const [first] = having;
  if (having.length === 1) return `${typed}@${first!.marketplace.name}`;
  if (having.length > 1) {
    const ids = having.map(({ marketplace }) => `${typed}@${marketplace.name}`);
    throw new UsageError(`several marketplaces have "${visible(typed)}"; choose one of ${ids.join(", ")}`);
  }
  const names = catalogs.flatMap(({ marketplace }) => marketplace.plugins.map(({ name }) => name));
  const fix = didYouMean(typed, names) || "; to list them, run: keelson plugin list --available";
  throw new UsageError(`no marketplace has a plugin "${visible(typed)}"${fix}`);
}

/** The plugin and all it needs that is not installed, those first. Nothing is kept if one of them cannot be had. */
async function stageAll(id: string, place: PluginPlace, io: ProcessIO): Promise<readonly StagedPlugin[]> {
  const staged = new Map<string, StagedPlugin>();
  const visit = async (wanted: string, neededBy?: string): Promise<void> => {
    if (staged.has(wanted) || (neededBy !== undefined && Object.hasOwn(place.state.installed, wanted))) return;
    const { entry, catalog, known } = await findEntry(wanted, place, io);
    const plugin = await stagePlugin(wanted, entry, { catalog, known }, place);
    staged.set(wanted, plugin);
    for (const given of plugin.plugin.manifest.dependencies ?? []) {
      const { name, marketplace = catalog.marketplace.name } = dependencyOf(given);
      if (marketplace !== catalog.marketplace.name && !catalog.marketplace.dependsOn.includes(marketplace)) {
        throw new UsageError(
          `"${wanted}" needs "${name}@${marketplace}", from a marketplace that its own does not list ` +
            `(allowCrossMarketplaceDependenciesOn); install that one first`,
        );
      }
      await visit(`${name}@${marketplace}`, wanted);
    }
  };
  try {
    await visit(id);
  } catch (error) {
    for (const each of staged.values()) each.discard();
    throw error;
  }
  return [...staged.values()].toReversed();
}

export interface FoundEntry {
  readonly entry: MarketplaceEntry;
  readonly catalog: Catalog;
  readonly known: KnownMarketplace;
}

/** The entry of a plugin in its marketplace; a marketplace that only settings name is added first. */
export async function findEntry(id: string, place: PluginPlace, io: ProcessIO): Promise<FoundEntry> {
  const { name, marketplace = "" } = parsePluginId(id) ?? {};
  let { state } = place;
  const { snapshot } = place;
  if (!Object.hasOwn(state.marketplaces, marketplace)) {
    await refreshMarketplace(marketplace, place, io);
    ({ state } = reread(place));
  }
  const known = state.marketplaces[marketplace]!;
  const refusal = marketplaceRefusal(known.source, snapshot.settings);
  if (refusal !== undefined) throw new UsageError(`cannot install "${visible(id)}": ${refusal}`);
  const catalog = catalogOf(known, snapshot.origin.uid);
  if (catalog === undefined) {
    throw new UsageError(
      `the catalog of "${marketplace}" cannot be read; run: keelson plugin marketplace update ${marketplace}`,
    );
  }
  const { plugins, renames } = catalog.marketplace;
  const entry = plugins.find((each) => each.name === name);
  if (entry !== undefined) return { entry, catalog, known };
  const renamed =
    name !== undefined && Object.hasOwn(renames, name) ? `; it is called "${renames[name]}" now` : undefined;
  const fix =
    renamed ??
    (didYouMean(
      name ?? "",
      plugins.map((each) => each.name),
    ) ||
      `; to list them, run: keelson plugin list --available`);
  throw new UsageError(`marketplace "${marketplace}" has no plugin "${visible(name ?? id)}"${visible(fix)}`);
}

async function keepPlugin(
  staged: StagedPlugin,
  scope: PluginScope,
  { snapshot, folder }: PluginPlace,
  io: ProcessIO,
): Promise<number> {
  const { id, entry, plugin, files } = staged;
  const now = new Date().toISOString();
  const kept = staged.keep();
  const wrote = await recordInstallation(folder, id, {
    scope,
    ...kept,
    installedAt: now,
    lastUpdated: now,
    ...(scope === "user" ? {} : { projectPath: snapshot.cwd }),
  });
  if (!wrote.ok) return printError(io, wrote.problem);
  const isOn = entry.defaultEnabled && plugin.manifest.defaultEnabled !== false;
  if (isOn) {
    const enabled = await writePluginSetting(["enabledPlugins", id], true, scope, snapshot);
    if (!enabled.ok) return printError(io, enabled.problem);
  }
  const lines = shortLines(mayRun(plugin, files));
  await io.write(
    [
      `Installed ${id} ${staged.version} (${scope})${isOn ? "" : `; to enable it, run: keelson plugin enable ${id}`}`,
      ...(lines.length > 0 ? ["It may run:", ...lines.map((line) => `  ${line}`)] : []),
      "",
    ].join("\n"),
  );
  warnOfMissing(staged, kept.installPath, io);
  return 0;
}

/** Without this, a plugin that something else keeps from being used would look like a bug. */
async function warnIfUnused(words: readonly string[], { snapshot }: PluginPlace, io: ProcessIO): Promise<number> {
  const { reload } = await import("@keelson/config");
  const { plugins } = reload(snapshot);
  const isMeant = (id: string) => words.some((word) => id === word || id.startsWith(`${word}@`));
  for (const { id, kind, why } of plugins.unused) {
    if (isMeant(id) && kind !== "disabled") printWarning(io, `"${visible(id)}" is not used here: ${visible(why)}`);
  }
  return 0;
}
