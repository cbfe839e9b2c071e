// Whether the user trusts a folder. Without a user at a terminal, trust does not extend to subfolders: what is cloned or
// unpacked into a trusted folder was not there when the user looked.

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isObject, type JsonObject } from "@keelson/protocol";
import type * as Repository from "../instructions/files/repository.ts";
import { readAccepted, type Accepted } from "../scopes/accepted.ts";
import { readSettingsFile } from "../scopes/read.ts";
import type { Snapshot } from "../load/snapshot.ts";

/** The same key as in the reference, so a folder trusted there is trusted here. */
export const TRUSTED = "hasTrustDialogAccepted";

export interface Trust {
  readonly trusted: boolean;
  /** How to trust the folder, for warnings. */
  readonly fix: string;
  /** What the user accepted in this folder without trusting it. */
  readonly accepted: Accepted;
  /** Absent if neither the folder nor one around it is trusted. */
  readonly basis?: TrustBasis;
}

/** Why the files of a folder may be believed, as far as they are what the user trusted (`belief.ts`). */
export interface TrustBasis {
  readonly folder: string;
  /** Only a folder around it is trusted, or the main checkout: nobody was asked about its own files. */
  readonly inherited: boolean;
  /** The main checkout of a worktree: the same content counts as trusted. */
  readonly main?: string;
}

// Older versions also keep prompt history in this file, so it may be large.
export const MAX_BYTES = 64 * 1024 * 1024;

/** The global config file, parsed. */
export interface GlobalConfig {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** What it holds about the working directory. */
  readonly project: Readonly<Record<string, unknown>>;
}

export function readGlobalConfig(
  folder: { readonly cwd: string; readonly given: string },
  file: string,
  warn: (text: string) => void,
): GlobalConfig {
  const reading = readSettingsFile(file, { maxBytes: MAX_BYTES });
  if (reading.kind === "broken") {
    warn(`${file} is ignored, so no folder is trusted and its MCP servers are not used: ${reading.problem}`);
  }
  const value = reading.kind === "read" ? reading.value : {};
  const main = mainCheckout(folder.cwd);
  const names = [...(main === undefined ? [] : [main]), folder.given, folder.cwd];
  return { file, value, project: Object.assign({}, ...names.map((name) => projectIn(value, name))) as JsonObject };
}

/**
 * Looks up the folder, by its given and its resolved path, in the global config file. A worktree that the main checkout
 * keeps in its own folder is trusted like it. With `fromAbove`, so is a folder inside a trusted one.
 */
export function readTrust(
  folder: { readonly cwd: string; readonly given: string },
  { value }: Pick<GlobalConfig, "value">,
  { home, configDir, fromAbove }: { readonly home: string; readonly configDir: string; readonly fromAbove: boolean },
): Trust {
  const { cwd, given } = folder;
  const isOwn = isTrustedIn(value, cwd) || isTrustedIn(value, given);
  const main = isOwn ? undefined : mainCheckout(cwd);
  const ofMain = main !== undefined && isTrustedIn(value, main) ? { main } : undefined;
  const isInside = !isOwn && foldersAround(cwd, home).some((name) => isTrustedIn(value, name));
  // A record without trust: its files changed while commands ran (`nested.ts`).
  const isRecorded = existsSync(recordFile(configDir, cwd));
  return {
    trusted: isOwn || ofMain !== undefined || (fromAbove && isInside),
    fix: trustFix(cwd),
    accepted: readAccepted(projectIn(value, cwd)),
    ...(isOwn || ofMain || isInside || isRecorded ? { basis: { folder: cwd, inherited: !isOwn, ...ofMain } } : {}),
  };
}

/** The home folder and those around it are not among them: whoever trusts one of those does not mean everything in it. */
function foldersAround(cwd: string, home: string): readonly string[] {
  const around: string[] = [];
  for (let at = dirname(cwd); at !== dirname(at) && !`${home}${sep}`.startsWith(`${at}${sep}`); at = dirname(at)) {
    around.push(at);
  }
  return around;
}

/** The main checkout of a folder that is one of its worktrees; git must name it too. Undefined for other folders. */
function mainCheckout(cwd: string): string | undefined {
  const main = /^(.*)\/\.claude\/worktrees\/[^/]+$/.exec(cwd)?.[1];
  if (main === undefined) return undefined;
  const { repositoryRoot } = require("../instructions/files/repository.ts") as typeof Repository;
  return repositoryRoot(cwd) === main ? main : undefined;
}

/** What the user trusted in a folder, by content. */
export const recordFile = (configDir: string, folder: string): string =>
  join(configDir, "trust", `${new Bun.CryptoHasher("sha256").update(folder).digest("hex")}.json`);

export function isTrustedIn(global: GlobalConfig["value"], folder: string): boolean {
  return projectIn(global, folder)[TRUSTED] === true;
}

/** How to trust a folder, for warnings. */
export const trustFix = (folder: string) => `run: keelson trust ${asShellWord(folder)}`;

function projectIn({ projects }: GlobalConfig["value"], folder: string): Readonly<Record<string, unknown>> {
  const project = isObject(projects) && Object.hasOwn(projects, folder) ? projects[folder] : undefined;
  return isObject(project) ? project : {};
}

/** The text as one word of a shell command. */
export const asShellWord = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The global config file of a snapshot. */
export function globalFileOf({ home, configDir, origin }: Pick<Snapshot, "home" | "configDir" | "origin">): string {
  return globalConfigFile(home, origin.env["CLAUDE_CONFIG_DIR"] ? configDir : undefined);
}

/** `~/.claude.json`, or the file of that name in `$CLAUDE_CONFIG_DIR`. */
export function globalConfigFile(home: string, configDirGiven: string | undefined): string {
  return join(configDirGiven ?? home, ".claude.json");
}
