// keelson plugin update: gets the newest files of installed plugins, and asks if what one may run changed.

import {
  installedRoot,
  parsePluginId,
  readPluginFolder,
  recordInstallation,
  type InstallRecord,
} from "@keelson/config/plugins";
import { contentHash, PluginFetchError, readFolder } from "@keelson/host/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { createLines } from "../mcp/sign-in/typed-lines.ts";
import { oneLine, visible } from "../permissions/words.ts";
import { stagePlugin, warnOfMissing, type StagedPlugin } from "./fetch-plugin.ts";
import { findEntry } from "./install.ts";
import { refreshMarketplace } from "./marketplace/add-source.ts";
import { changesBetween, mayRun, type Changes, type MayRun } from "./may-run.ts";
import { installedId, pluginPlace, recordOf, reread, type PluginPlace } from "./place.ts";
import { removeOldVersions } from "./remove.ts";

export async function updatePlugins(call: Invoked): Promise<number> {
  const { words, io } = call;
  const place = await pluginPlace(call);
  const ids = words.length > 0 ? words.map((typed) => installedId(typed, place)) : Object.keys(place.state.installed);
  if (ids.length === 0) {
    await io.write("No plugins are installed\n");
    return 0;
  }
  const refreshed = new Map<string, Promise<unknown>>();
  let failed = false;
  for (const id of ids) {
    const { marketplace = "" } = parsePluginId(id) ?? {};
    const refresh = refreshed.get(marketplace) ?? refreshMarketplace(marketplace, place, io);
    refreshed.set(marketplace, refresh);
    try {
      await refresh;
      if ((await updateOne(id, reread(place), call)) !== 0) failed = true;
    } catch (error) {
      if (!(error instanceof PluginFetchError) && !(error instanceof UsageError)) throw error;
      failed = true;
      printError(io, `plugin "${visible(id)}": ${error.message}`);
    }
  }
  return failed ? 1 : 0;
}

async function updateOne(id: string, place: PluginPlace, call: Invoked): Promise<number> {
  const { io } = call;
  const record = recordOf(id, place);
  if (record === undefined) throw new UsageError("it is not installed for this folder");
  const staged = await stagePlugin(id, ...(await entryFor(id, place, call)), place);
  const before = installedFiles(id, record, place);
  if (before?.hash === staged.contentHash) {
    staged.discard();
    await io.write(`${id} is up to date (${record.version})\n`);
    return 0;
  }
  const changes = changesBetween(before?.mayRun ?? { lines: [], files: {} }, mayRun(staged.plugin, staged.files));
  await io.write(`${id} ${record.version} -> ${staged.version}\n${changesText(changes)}`);
  if (isNotable(changes) && !(await isAccepted(id, call))) {
    staged.discard();
    return 1;
  }
  return keep(id, staged, record, place, call);
}

async function entryFor(id: string, place: PluginPlace, { io }: Invoked) {
  const { entry, catalog, known } = await findEntry(id, place, io);
  return [entry, { catalog, known }] as const;
}

function installedFiles(
  id: string,
  record: InstallRecord,
  { folder, snapshot }: PluginPlace,
): { readonly hash: string; readonly mayRun: MayRun } | undefined {
  const root = installedRoot(folder, id, record);
  if (root === undefined) return undefined;
  const files = readFolder(root);
  const name = parsePluginId(id)?.name;
  const { plugin } = readPluginFolder(root, { uid: snapshot.origin.uid, ...(name === undefined ? {} : { name }) });
  return { hash: contentHash(files), mayRun: plugin === undefined ? { lines: [], files: {} } : mayRun(plugin, files) };
}

const isNotable = ({ added, removed, changed }: Changes) => added.length + removed.length + changed.length > 0;

/** Someone decides by these lines, so little is cut. */
const LONGEST = 4_000;

function changesText({ added, removed, changed }: Changes): string {
  const lines = [
    ...removed.map((line) => `  - ${oneLine(line, LONGEST)}`),
    ...added.map((line) => `  + ${oneLine(line, LONGEST)}`),
    ...changed.map((path) => `  ~ file ${visible(path)}`),
  ];
  return lines.length === 0 ? "" : `Changes in what it may run:\n${lines.join("\n")}\n`;
}

async function isAccepted(id: string, { given, io }: Invoked): Promise<boolean> {
  if (given.has("yes")) return true;
  if (!io.terminal.stdin) {
    printError(
      io,
      `not updated, because the changes need approval; to accept them, run: keelson plugin update ${id} --yes`,
    );
    return false;
  }
  using lines = createLines(io);
  await lines.skipTypedAhead();
  // A word that no one types by chance: whoever types something else must not agree.
  await io.write('To update it, type "update": ');
  const isYes = (await lines.next())?.trim() === "update";
  if (!isYes) await io.write("Nothing was changed.\n");
  return isYes;
}

async function keep(
  id: string,
  staged: StagedPlugin,
  old: InstallRecord,
  place: PluginPlace,
  { io }: Invoked,
): Promise<number> {
  const { gitCommitSha: _, ...kept } = old;
  const record = { ...kept, ...staged.keep(), lastUpdated: new Date().toISOString() };
  const wrote = await recordInstallation(place.folder, id, record);
  if (!wrote.ok) return printError(io, wrote.problem);
  removeOldVersions(place.folder, old.installPath);
  await io.write(`Updated ${id} to ${staged.version}\n`);
  warnOfMissing(staged, record.installPath, io);
  return 0;
}
