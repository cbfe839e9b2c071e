// Unpacks the archives of `--plugin-dir` and `--plugin-url` for the time of a session, so that settings see only folders.

import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Flags } from "@keelson/config";
import { loadOptions, printError, type ProcessIO } from "./process-io.ts";

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
  let refused: boolean;
  try {
    // Nothing is fetched if the administrator does not allow it.
    refused = load(loadOptions(io, { ...flags, pluginDirs: [] })).settings.disableSideloadFlags === true;
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
  if (refused) return work(flags);
  const parent = mkdtempSync(join(io.env["CLAUDE_CODE_TMPDIR"] || tmpdir(), "keelson-plugins-"));
  try {
    const unpacked = [];
    for (const [index, each] of pluginDirs.entries()) {
      if (!isArchive(each.path)) {
        unpacked.push(each);
        continue;
      }
      const files = isAddress(each.path)
        ? host.readArchive(await host.download(each.path))
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
