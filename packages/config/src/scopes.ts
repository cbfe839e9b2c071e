// Which settings files count, lowest precedence first, and what each of them is called on the wire.

import { readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { RuleSource } from "@keelson/protocol";
import { checkSettings } from "./check.ts";
import { ConfigError } from "./errors.ts";
import { parseSettings, readSettingsFile, type Reading } from "./read.ts";
import type { Flags } from "./snapshot.ts";

/** One settings file, or the text of `--settings`, with its unsound values already gone. */
export interface Scope {
  readonly source: RuleSource;
  /** Its path; absent for inline settings. */
  readonly file?: string;
  /** What a leading `/` in a path rule is anchored at. */
  readonly base: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Places {
  readonly cwd: string;
  readonly home: string;
  readonly configDir: string;
  readonly managedDir: string;
}

/** Reads every scope that applies. Files that cannot be read become warnings, except the two that may not be missed. */
export function readScopes(places: Places, flags: Flags, warn: (text: string) => void): readonly Scope[] {
  const { cwd, configDir } = places;
  const wanted = flags.settingSources ?? ["user", "project", "local"];
  const scopes: Scope[] = [];
  const add = (source: RuleSource, base: string, file: string, reading: Reading) => {
    if (reading.kind === "missing") return;
    if (reading.kind === "broken") return warn(`${file} is ignored: ${reading.problem}`);
    scopes.push(checked(source, base, reading.value, warn, file));
  };
  const standard = (source: RuleSource, base: string, file: string) => add(source, base, file, readSettingsFile(file));

  if (wanted.includes("user")) standard("userSettings", configDir, join(configDir, "settings.json"));
  if (wanted.includes("project")) standard("projectSettings", cwd, join(cwd, ".claude", "settings.json"));
  if (wanted.includes("local")) standard("localSettings", cwd, join(cwd, ".claude", "settings.local.json"));
  if (flags.settings !== undefined) scopes.push(flagScope(flags.settings, places, warn));
  for (const file of managedFiles(places.managedDir)) {
    const reading = readSettingsFile(file);
    // A policy nobody can read must not turn into no policy.
    if (reading.kind === "broken") {
      throw new ConfigError(`Managed settings file ${file} is ${reading.problem}. Ask your administrator to fix it.`);
    }
    add("policySettings", cwd, file, reading);
  }
  return scopes;
}

/** Where an administrator's files are on this system. */
export function managedDirectory(platform: string): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

function checked(
  source: RuleSource,
  base: string,
  value: Readonly<Record<string, unknown>>,
  warn: (text: string) => void,
  file?: string,
): Scope {
  const { settings, warnings } = checkSettings(value, file ?? "--settings");
  warnings.forEach(warn);
  return { source, base, settings, ...(file === undefined ? {} : { file }) };
}

function flagScope(given: string, { cwd, home }: Places, warn: (text: string) => void): Scope {
  if (given.trim().startsWith("{")) {
    const reading = parseSettings(given);
    if (reading.kind === "read") return checked("flagSettings", cwd, reading.value, warn);
    throw new ConfigError(
      `Invalid JSON provided to --settings: ${reading.kind === "broken" ? reading.problem : given}`,
    );
  }
  const file = atHome(given, home, cwd);
  const reading = readSettingsFile(file);
  if (reading.kind === "missing") throw new ConfigError(`Settings file not found: ${file}`);
  if (reading.kind === "broken") throw new ConfigError(`Settings file ${file} is ${reading.problem}`);
  return checked("flagSettings", cwd, reading.value, warn, file);
}

function managedFiles(directory: string): readonly string[] {
  const dropIns = join(directory, "managed-settings.d");
  let names: string[];
  try {
    names = readdirSync(dropIns).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      throw new ConfigError(`Managed settings directory ${dropIns} is not readable. Ask your administrator to fix it.`);
    }
    names = [];
  }
  return [join(directory, "managed-settings.json"), ...names.sort().map((name) => join(dropIns, name))];
}

/** A path as people write it in settings and flags: `~` is home, anything relative starts at `cwd`. */
export function atHome(path: string, home: string, cwd: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}
