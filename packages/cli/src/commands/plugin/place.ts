// What the commands of plugins share: the settings, the plugins folder, what is installed, and which plugin is meant.

import type { Snapshot } from "@keelson/config";
import {
  installationFor,
  parsePluginId,
  pluginsFolder,
  readCatalog,
  readPluginState,
  writtenSource,
  type Catalog,
  type InstallRecord,
  type KnownMarketplace,
  type MarketplaceSource,
  type PluginScope,
  type PluginState,
} from "@keelson/config/plugins";
import { isObject } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";

export interface PluginPlace {
  readonly snapshot: Snapshot;
  /** Where plugins are kept. */
  readonly folder: string;
  readonly state: PluginState;
}

export async function pluginPlace(call: Invoked): Promise<PluginPlace> {
  const snapshot = await snapshotFor(call);
  const folder = pluginsFolder(snapshot.configDir, snapshot.origin.env);
  return { snapshot, folder, state: readPluginState(folder) };
}

/** The same after a change. */
export const reread = ({ snapshot, folder }: PluginPlace): PluginPlace => ({
  snapshot,
  folder,
  state: readPluginState(folder),
});

export function scopeOfCall({ given }: Invoked): PluginScope {
  return (given.text("scope") ?? "user") as PluginScope;
}

/** Marketplaces that settings name, whether they were added or not. */
export function declaredMarketplaces({ settings }: Snapshot): ReadonlyMap<string, MarketplaceSource> {
  const entries = Object.entries(settings.extraKnownMarketplaces ?? {}).flatMap(([name, value]) => {
    const source = writtenSource(isObject(value) ? value["source"] : undefined);
    return source === undefined ? [] : [[name, source] as const];
  });
  return new Map(entries);
}

/** The catalog of a marketplace that was added. */
export function catalogOf(known: KnownMarketplace, uid: number | undefined): Catalog | undefined {
  const { source, installLocation } = known;
  const local = source["source"] === "directory" || source["source"] === "file" ? source["path"] : undefined;
  return readCatalog(typeof local === "string" ? local : installLocation, uid).catalog;
}

/** The id of an installed plugin, from an id or a name that only one has. Throws UsageError. */
export function installedId(typed: string, { state, snapshot }: PluginPlace): string {
  const inFolders = [...snapshot.plugins.active, ...snapshot.plugins.unused].flatMap(({ id }) =>
    id.endsWith("@skills-dir") ? [id] : [],
  );
  const ids = [...new Set([...Object.keys(state.installed), ...inFolders])];
  if (ids.includes(typed)) return typed;
  const named = ids.filter((id) => parsePluginId(id)?.name === typed);
  if (named.length === 1) return named[0]!;
  if (named.length > 1)
    throw new UsageError(`several plugins are called "${visible(typed)}"; use one of ${named.join(", ")}`);
  throw new UsageError(
    `plugin "${visible(typed)}" is not installed${didYouMean(typed, ids) || "; to list plugins, run: keelson plugin list"}`,
  );
}

/** The installation that applies here, or that of the scope. */
export function recordOf(id: string, { state, snapshot }: PluginPlace, scope?: PluginScope): InstallRecord | undefined {
  const records = Object.hasOwn(state.installed, id) ? state.installed[id]! : [];
  if (scope === undefined) return installationFor(records, snapshot.cwd);
  return records.find(
    (each) =>
      each.scope === scope && (scope === "user" || each.projectPath === undefined || each.projectPath === snapshot.cwd),
  );
}
