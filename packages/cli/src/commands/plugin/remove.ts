// keelson plugin uninstall and prune: remove records, settings and files of plugins.

import { lstatSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import {
  dataFolderName,
  parsePluginId,
  readPluginState,
  writePluginSetting,
  writeRecords,
  type PluginScope,
} from "@keelson/config/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { shellWord, visible } from "../permissions/words.ts";
import { installedId, pluginPlace, type PluginPlace } from "./place.ts";

export async function uninstallPlugin(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [typed, ...more] = words;
  if (typed === undefined || more.length > 0)
    throw new UsageError("usage: keelson plugin uninstall <plugin> [-s <scope>]");
  const place = await pluginPlace(call);
  const { state, folder, snapshot } = place;
  const id = installedId(typed, place);
  const records = Object.hasOwn(state.installed, id) ? state.installed[id]! : [];
  if (records.length === 0) {
    return printError(
      io,
      `"${visible(id)}" is one of your own folders; to stop using it, delete it or run: keelson plugin disable ${id}`,
    );
  }
  const wanted = given.text("scope") as PluginScope | undefined;
  const here = records.filter(
    ({ scope, projectPath }) => projectPath === undefined || projectPath === snapshot.cwd || scope === "user",
  );
  const scopes = [...new Set(here.map(({ scope }) => scope))];
  const scope = wanted ?? scopes[0];
  if (wanted === undefined && scopes.length > 1) {
    const lines = scopes.map((each) => `  keelson plugin uninstall ${shellWord(id)} -s ${each}`);
    return printError(io, `"${visible(id)}" is installed in several scopes; choose one:\n${lines.join("\n")}`);
  }
  const gone = here.filter((record) => record.scope === scope);
  if (gone.length === 0)
    return printError(
      io,
      `"${visible(id)}" is not installed ${scope === undefined ? "here" : `in the ${scope} scope`}`,
    );
  if (scope === "managed") return printError(io, `"${visible(id)}" is installed by your administrator`);
  const left = records.filter((record) => !gone.includes(record));
  const wrote = await writeRecords(folder, id, left);
  if (!wrote.ok) return printError(io, wrote.problem);
  const setting = await writePluginSetting(["enabledPlugins", id], undefined, scope as PluginScope, snapshot);
  if (!setting.ok) return printError(io, setting.problem);
  if (left.length === 0) removeFiles(id, place, given.has("keep-data"));
  await io.write(`Uninstalled ${id} (${scope})\n`);
  return 0;
}

function removeFiles(id: string, { folder }: PluginPlace, keepData: boolean): void {
  const { name, marketplace } = parsePluginId(id) ?? {};
  if (name === undefined || marketplace === undefined) return;
  rmSync(join(folder, "cache", marketplace, name), { recursive: true, force: true });
  if (!keepData) rmSync(join(folder, "data", dataFolderName(id)), { recursive: true, force: true });
}

export async function prunePlugins(call: Invoked): Promise<number> {
  const { given, io } = call;
  const { folder } = await pluginPlace(call);
  const stale = staleFolders(folder);
  const isTrial = given.has("dry-run");
  for (const path of stale) {
    if (!isTrial) rmSync(path, { recursive: true, force: true });
    await io.write(`${isTrial ? "Would remove" : "Removed"} ${visible(path)}\n`);
  }
  if (stale.length === 0) await io.write("Nothing to remove\n");
  return 0;
}

const KEPT_MS = 14 * 24 * 60 * 60 * 1_000;

/**
 * Removes what two weeks ago no installation used any more: sessions that began before an update still work with the old
 * version. `replaced` is the folder of one that was used until now.
 */
export function removeOldVersions(folder: string, replaced: string, now = new Date()): void {
  for (const path of staleFolders(folder)) {
    if (path === replaced) utimesSync(path, now, now);
    else if (now.getTime() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Versions in the cache that no record names, and what interrupted installations left. */
function staleFolders(folder: string): readonly string[] {
  const { installed } = readPluginState(folder);
  const used = new Set(Object.values(installed).flatMap((records) => records.map(({ installPath }) => installPath)));
  const cache = join(folder, "cache");
  const isLeft = (path: string) => basename(path).startsWith(".new-");
  return [
    ...foldersIn(cache).filter(isLeft),
    ...foldersIn(cache)
      .filter((path) => !isLeft(path))
      .flatMap((marketplace) => foldersIn(marketplace).flatMap((plugin) => foldersIn(plugin)))
      .filter((path) => !used.has(path)),
    ...foldersIn(join(folder, "marketplaces")).filter(isLeft),
  ];
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path).isDirectory());
  } catch {
    return [];
  }
}
