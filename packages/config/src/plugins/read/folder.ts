// Reads the folder of a plugin: its manifest, and the files that say what it may run. Runs nothing.

import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import type { Source } from "../../load/sources.ts";
import { layoutOf, type Layout } from "./layout.ts";
import { checkManifest, type Manifest } from "./manifest.ts";
import type { PluginProblem } from "./problem.ts";
import { hooksOf, type PluginHook } from "./plugin-hooks.ts";
import { lspServersOf, mcpServersOf, type PluginServer } from "./plugin-servers.ts";
import { readJsonInside, type FolderReading } from "./read-json.ts";

export interface PluginFolder {
  /** With links resolved. */
  readonly root: string;
  /** From the manifest, or the folder's name. */
  readonly name: string;
  /** Empty if there is none. */
  readonly manifest: Manifest;
  readonly layout: Layout;
  readonly hooks: readonly PluginHook[];
  readonly servers: readonly PluginServer[];
  readonly lspServers: JsonObject;
  /** The one of its agents that sessions run as, from `settings.json`. Other settings have no effect there. */
  readonly mainAgent?: string;
}

export interface PluginFolderReading {
  /** Absent if the plugin cannot be used; then one of the problems is fatal. */
  readonly plugin?: PluginFolder;
  readonly problems: readonly PluginProblem[];
  /** Every file that was read or is missing. */
  readonly sources: readonly Source[];
}

export const MANIFEST = join(".claude-plugin", "plugin.json");

/** `name` is used if there is no manifest. Never throws. */
export function readPluginFolder(
  folder: string,
  { uid, name }: { readonly uid: number | undefined; readonly name?: string },
): PluginFolderReading {
  const root = realFolder(folder);
  if (typeof root !== "string") return { problems: [{ file: folder, text: root.problem, fatal: true }], sources: [] };
  const reading: FolderReading = { root, uid, problems: [], sources: [] };
  const { problems, sources } = reading;
  const unusable = () => ({ problems, sources });
  const file = join(root, MANIFEST);
  const read = readJsonInside(file, reading, true);
  if (problems.length > 0) return unusable();

  const checked = checkManifest(read?.value ?? { name: name ?? basename(root) });
  for (const { path, text } of checked.problems) {
    problems.push({ file: read ? file : root, ...lineIn(read?.lineOf(path)), text, fatal: true });
  }
  if (checked.problems.length > 0) return unusable();
  const { manifest } = checked;
  const layout = layoutOf(root, manifest, (path, text) => {
    problems.push({
      file: path.length === 0 ? root : file,
      ...lineIn(read && path.length > 0 ? read.lineOf(path) : undefined),
      text,
    });
  });
  const own = { manifest, file, lineOf: read?.lineOf ?? (() => undefined) };
  const plugin = {
    root,
    name: manifest.name ?? basename(root),
    manifest: read === undefined ? {} : manifest,
    layout,
    hooks: hooksOf(own, reading),
    servers: mcpServersOf(own, reading),
    lspServers: lspServersOf(own, reading),
    ...mainAgentOf(reading),
  };
  return { plugin, problems, sources };
}

function mainAgentOf(reading: FolderReading): Pick<PluginFolder, "mainAgent"> {
  const file = join(reading.root, "settings.json");
  const read = existsSync(file) ? readJsonInside(file, reading) : undefined;
  const agent = read?.value["agent"];
  return typeof agent === "string" && agent !== "" ? { mainAgent: agent } : {};
}

const lineIn = (line: number | undefined) => (line === undefined ? {} : { line });

function realFolder(folder: string): string | { readonly problem: string } {
  try {
    const real = realpathSync(folder);
    return statSync(real).isDirectory() ? real : { problem: "is not a folder; name the folder of a plugin" };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === "ENOENT" ? "does not exist; check the path" : `cannot be read (${code})` };
  }
}
