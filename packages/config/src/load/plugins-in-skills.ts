// The folders in a skills folder that are plugins: they have a manifest.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import type * as Plain from "../skills/index/plain-folder.ts";

export interface SkillsPlugin {
  readonly folder: string;
  readonly of: "user" | "project";
}

export interface PluginSearch {
  readonly of: SkillsPlugin["of"];
  readonly configDir: string;
  readonly uid?: number | undefined;
  /** Believe what an earlier session found in a large folder. */
  readonly quick?: boolean | undefined;
}

/** From this number of folders on, what was found is remembered. */
export const LEAST_REMEMBERED = 100;
/** Each name is looked up, and each plugin read and reported. */
const MOST_NAMES = 10_000;
const MOST_PLUGINS = 200;

export function pluginsInSkills(folder: string, { of, configDir, uid, quick }: PluginSearch): readonly SkillsPlugin[] {
  if (quick && existsSync(join(configDir, "cache", "skills"))) {
    // Loaded late: few have so many skills that anything is remembered.
    const { isKnownPlain } = require("../skills/index/plain-folder.ts") as typeof Plain;
    if (isKnownPlain(configDir, folder, uid)) return [];
  }
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return manifestsIn(folder, names.toSorted()).map((name) => ({ folder: join(folder, name), of }));
}

export function manifestsIn(folder: string, names: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of names.slice(0, MOST_NAMES)) {
    if (found.length === MOST_PLUGINS) break;
    if (existsSync(`${folder}/${name}/.claude-plugin/plugin.json`)) found.push(name);
  }
  return found;
}

/** As for skills, links of a folder do not lead out of it. */
export function staysIn(root: string, folder: string, warn: (text: string) => void): boolean {
  let real: string;
  try {
    real = realpathSync(folder);
  } catch {
    return false; // removed since it was found
  }
  if (real.startsWith(`${root}${sep}`)) return true;
  warn(`${folder} is not used as a plugin: it links to ${real}, outside ${root}; copy the files instead`);
  return false;
}
