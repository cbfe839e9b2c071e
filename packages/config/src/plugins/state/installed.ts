// What is installed and which marketplaces are known: `installed_plugins.json` and `known_marketplaces.json` in the
// plugins folder. Both keep the form of compatible programs; fields we do not know are left alone.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { readSettingsFile } from "../../scopes/read.ts";
import { stampOf, type Source } from "../../load/sources.ts";
import { liesInside } from "../read/inside.ts";
import { parsePluginId } from "../read/names.ts";

export type InstallScope = "user" | "project" | "local" | "managed";

/** One installation of a plugin. */
export interface InstallRecord {
  readonly scope: InstallScope;
  readonly installPath: string;
  readonly version: string;
  readonly installedAt?: string;
  readonly lastUpdated?: string;
  readonly gitCommitSha?: string;
  /** The folder it was installed for, unless for the user. */
  readonly projectPath?: string;
  /** Digest of all files, of our installations. */
  readonly contentHash?: string;
  /** Digest of the files that say what it may run. */
  readonly activeHash?: string;
}

export interface KnownMarketplace {
  readonly source: Readonly<Record<string, unknown>>;
  /** The folder or file of its catalog. */
  readonly installLocation: string;
  readonly lastUpdated?: string;
  /** The commit it was fetched at, if it comes from git. */
  readonly gitCommitSha?: string;
}

export interface PluginState {
  readonly installed: Readonly<Record<string, readonly InstallRecord[]>>;
  readonly marketplaces: Readonly<Record<string, KnownMarketplace>>;
  readonly sources: readonly Source[];
  readonly problems: readonly string[];
}

/** `$CLAUDE_CODE_PLUGIN_CACHE_DIR`, or `plugins` in the configuration folder. */
export function pluginsFolder(configDir: string, env: Readonly<Record<string, string | undefined>>): string {
  return env["CLAUDE_CODE_PLUGIN_CACHE_DIR"] || join(configDir, "plugins");
}

export const installedFile = (folder: string) => join(folder, "installed_plugins.json");
export const marketplacesFile = (folder: string) => join(folder, "known_marketplaces.json");

export function readPluginState(folder: string): PluginState {
  const sources: Source[] = [];
  const problems: string[] = [];
  const read = (file: string): Readonly<Record<string, unknown>> => {
    sources.push({ path: file, stamp: stampOf(file) });
    const reading = readSettingsFile(file);
    if (reading.kind === "broken") problems.push(`${file} is ${reading.problem}; it is ignored`);
    return reading.kind === "read" ? reading.value : {};
  };
  const { plugins } = read(installedFile(folder));
  const known = read(marketplacesFile(folder));
  return {
    // An older form has one record for each plugin instead of a list.
    installed: mapOf(plugins, (value) => (Array.isArray(value) ? value : [value]).flatMap(installRecord)),
    marketplaces: mapOf(known, knownMarketplace),
    sources,
    problems,
  };
}

function mapOf<T>(value: unknown, read: (entry: unknown) => T | undefined): Readonly<Record<string, T>> {
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(([name, entry]) => {
    const kept = name === "__proto__" ? undefined : read(entry);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(entries);
}

const SCOPES: readonly unknown[] = ["user", "project", "local", "managed"];

function installRecord(value: unknown): InstallRecord[] {
  if (!isObject(value)) return [];
  const { scope, installPath, version } = value;
  if (typeof installPath !== "string") return [];
  return [
    {
      ...texts(value, ["installedAt", "lastUpdated", "gitCommitSha", "projectPath", "contentHash", "activeHash"]),
      scope: SCOPES.includes(scope) ? (scope as InstallScope) : "user",
      installPath,
      version: typeof version === "string" ? version : "unknown",
    },
  ];
}

function knownMarketplace(value: unknown): KnownMarketplace | undefined {
  if (!isObject(value) || !isObject(value["source"])) return undefined;
  const { source, installLocation: location } = value;
  const installLocation = typeof location === "string" ? location : "";
  return { ...texts(value, ["lastUpdated", "gitCommitSha"]), source, installLocation };
}

function texts<K extends string>(value: Readonly<Record<string, unknown>>, keys: readonly K[]) {
  const kept = keys.flatMap((key) => (typeof value[key] === "string" ? [[key, value[key]] as const] : []));
  return Object.fromEntries(kept) as Partial<Record<K, string>>;
}

/** The installation that applies in a folder: its own, then the user's, then the administrator's. */
export function installationFor(records: readonly InstallRecord[], projectRoot: string): InstallRecord | undefined {
  const rank = ({ scope, projectPath }: InstallRecord) => {
    if (scope === "user") return 1;
    if (scope === "managed") return 2;
    return projectPath === projectRoot ? 0 : 3;
  };
  return records.toSorted((a, b) => rank(a) - rank(b))[0];
}

/**
 * Where an installed plugin is: always in the cache. A record from another machine or home names another folder; then
 * the usual place is used.
 */
export function installedRoot(folder: string, id: string, { installPath, version }: InstallRecord): string | undefined {
  const cache = join(folder, "cache");
  const { name, marketplace } = parsePluginId(id) ?? {};
  if (name === undefined || marketplace === undefined) return undefined;
  const usual = /^\w[\w.+-]*$/.test(version) ? [join(cache, marketplace, name, version)] : [];
  for (const path of [installPath, ...usual]) {
    try {
      const [real, within] = [realpathSync(path), realpathSync(cache)];
      if (real !== within && liesInside(within, real)) return real;
    } catch {
      // Missing; the next one may exist.
    }
  }
  return undefined;
}
