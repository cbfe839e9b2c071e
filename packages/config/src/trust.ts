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

/** Looks up the folder, by its given and its resolved path, in the global config file. */
export function readTrust(
  folder: { readonly cwd: string; readonly given: string },
  file: string,
  warn: (text: string) => void,
): Trust {
  const fix = `run: keelson trust ${shellWord(folder.cwd)}`;
  const reading = readSettingsFile(file, { maxBytes: MAX_BYTES });
  if (reading.kind === "broken") warn(`${file} is ignored, so no folder is trusted: ${reading.problem}`);
  const projects = reading.kind === "read" ? reading.value["projects"] : undefined;
  const entry = (path: string) => (isObject(projects) && Object.hasOwn(projects, path) ? projects[path] : undefined);
  const isTrusted = (project: unknown) => isObject(project) && project[TRUSTED] === true;
  const trusted = isTrusted(entry(folder.cwd)) || isTrusted(entry(folder.given));
  return { trusted, fix, accepted: readAccepted(entry(folder.cwd)) };
}

const shellWord = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The global config file of a snapshot. */
export function globalFileOf({ home, configDir, origin }: Pick<Snapshot, "home" | "configDir" | "origin">): string {
  return globalConfigFile(home, origin.env["CLAUDE_CONFIG_DIR"] ? configDir : undefined);
}

/** `~/.claude.json`, or the file of that name in `$CLAUDE_CONFIG_DIR`. */
export function globalConfigFile(home: string, configDirGiven: string | undefined): string {
  return join(configDirGiven ?? home, ".claude.json");
}
