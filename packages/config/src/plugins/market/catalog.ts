// Reads the catalog of a marketplace from a folder or a file.

import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@keelson/protocol";
import { insidePath } from "../read/inside.ts";
import { checkMarketplace, type Marketplace } from "./marketplace.ts";
import type { PluginProblem } from "../read/problem.ts";
import { readJsonInside, type FolderReading } from "../read/read-json.ts";

export interface Catalog {
  /** The folder that paths of plugins start from, with links resolved. */
  readonly root: string;
  readonly file: string;
  readonly marketplace: Marketplace;
  /** Where the source of a plugin is in the file. */
  lineOf(plugin: string): number | undefined;
}

export const CATALOG = join(".claude-plugin", "marketplace.json");

/** `location`: a folder, or the catalog itself. Never throws. */
export function readCatalog(
  location: string,
  uid?: number,
): { readonly catalog?: Catalog; readonly problems: readonly PluginProblem[] } {
  let isFolder: boolean;
  let real: string;
  try {
    real = realpathSync(location);
    isFolder = statSync(real).isDirectory();
  } catch {
    return { problems: [{ file: location, text: "does not exist; check the path", fatal: true }] };
  }
  const file = isFolder ? join(real, CATALOG) : real;
  const root = isFolder ? real : file.endsWith(CATALOG) ? dirname(dirname(file)) : dirname(file);
  const reading: FolderReading = { root, uid, problems: [], sources: [] };
  const read = readJsonInside(file, reading, true);
  if (read === undefined) {
    const missing = { file, text: "does not exist; a marketplace needs it", fatal: true } as const;
    return { problems: reading.problems.length > 0 ? reading.problems : [missing] };
  }
  const { marketplace, problems } = checkMarketplace(read.value);
  const found = problems.map(({ path, text }): PluginProblem => {
    const line = read.lineOf(path);
    return {
      file,
      ...(line === undefined ? {} : { line }),
      text,
      ...(marketplace === undefined ? { fatal: true } : {}),
    };
  });
  if (marketplace === undefined) return { problems: found };
  const lineOf = (plugin: string) => {
    const entries = read.value["plugins"] as readonly unknown[];
    const at = entries.findIndex((entry) => isObject(entry) && entry["name"] === plugin);
    return read.lineOf(["plugins", at, "source"]);
  };
  return { catalog: { root, file, marketplace, lineOf }, problems: found };
}

/** The folder of a plugin inside its marketplace, or why it cannot be used. */
export function folderInCatalog({ root }: Pick<Catalog, "root">, path: string): string | { readonly problem: string } {
  const at = insidePath(root, path === "./" ? "." : path);
  if ("problem" in at) return { problem: `"${path}" ${at.problem}` };
  return at.kind === "folder" ? at.path : { problem: `"${path}" is not a folder` };
}
