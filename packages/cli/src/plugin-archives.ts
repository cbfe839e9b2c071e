// Unpacks the archives of `--plugin-dir` and `--plugin-url` for the time of a session, so that settings see only folders.

import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Flags, Snapshot } from "@keelson/config";
import { loadOptions, printError, type ProcessIO } from "./process/process-io.ts";

/** Runs the work with folders in place of archives, and removes them afterwards. */
export async function withUnpackedPlugins(
  flags: Flags,
  io: ProcessIO,
  work: (flags: Flags) => Promise<number>,
): Promise<number> {
  const { pluginDirs = [] } = flags;
  if (!pluginDirs.some(({ path }) => isArchive(path))) return work(flags);
  const { load, ConfigError } = await import("@keelson/config");
  const host = await import("@keelson/host/plugins");
  const { networkFetch } = await import("@keelson/model");
  let snapshot: Snapshot;
  try {
    // Nothing is fetched if the administrator does not allow it.
    snapshot = load(loadOptions(io, { ...flags, pluginDirs: [] }));
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
  if (snapshot.settings.disableSideloadFlags) return work(flags);
  const { makeTemporary } = await import("@keelson/host");
  const parent = makeTemporary(io.env, "plugins-");
  try {
    const unpacked = [];
    for (const [index, each] of pluginDirs.entries()) {
      if (!isArchive(each.path)) {
        unpacked.push(each);
        continue;
      }
      const files = isAddress(each.path)
        ? host.readArchive(await host.download(each.path, { fetch: networkFetch(snapshot.env) }))
        : host.readArchiveFile(each.path);
      const folder = join(parent, String(index), nameOf(each.path));
      host.moveFolder(host.placeFiles(files, parent), folder);
      unpacked.push({ ...each, path: folder });
    }
    return await work({ ...flags, pluginDirs: unpacked });
  } catch (error) {
    if (error instanceof host.PluginFetchError) return printError(io, `cannot use the plugin: ${error.message}`);
    throw error;
  } finally {
    host.removeFolder(parent);
  }
}

const isAddress = (path: string) => /^https?:\/\//.test(path);

const isArchive = (path: string) => isAddress(path) || statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** A plugin without a manifest has the name of its archive. */
const nameOf = (path: string) => basename(path).replace(/(?:\.(?:zip|tgz|tar|gz))+$|\?.*$/g, "") || "plugin";
