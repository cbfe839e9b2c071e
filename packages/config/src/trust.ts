// Whether the user trusts a folder. Trust does not extend to subfolders: what is cloned or unpacked into a trusted folder
// was not there when the user looked.

import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { readAccepted, type Accepted } from "./scopes/accepted.ts";
import { readSettingsFile } from "./scopes/read.ts";
import type { Snapshot } from "./snapshot.ts";

/** The same key as in the reference, so a folder trusted there is trusted here. */
export const TRUSTED = "hasTrustDialogAccepted";

export interface Trust {
  readonly trusted: boolean;
  /** How to trust the folder, for warnings. */
  readonly fix: string;
  /** What the user accepted in this folder without trusting it. */
  readonly accepted: Accepted;
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
  return { file, value, project: { ...projectIn(value, folder.given), ...projectIn(value, folder.cwd) } };
}

/** Looks up the folder, by its given and its resolved path, in the global config file. */
export function readTrust(
  folder: { readonly cwd: string; readonly given: string },
  { value }: Pick<GlobalConfig, "value">,
): Trust {
  const trusted = isTrustedIn(value, folder.cwd) || isTrustedIn(value, folder.given);
  return { trusted, fix: trustFix(folder.cwd), accepted: readAccepted(projectIn(value, folder.cwd)) };
}

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
