// Reads the settings files that apply, lowest precedence first.

import { readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isObject, type RuleSource, type Settings } from "@keelson/protocol";
import type { Holder } from "@keelson/protocol/settings-table";
import { checkSettings } from "../check/check.ts";
import { ConfigError } from "../errors.ts";
import type * as ParentPolicy from "./parent-policy.ts";
import { parseSettings, readSettingsFile, type Reading } from "./read.ts";
import type { Flags } from "../load/snapshot.ts";
import { stampOf, type Source } from "../load/sources.ts";

/** One settings file, or inline `--settings`, without its invalid values. */
export interface Scope {
  readonly source: RuleSource;
  /** Absent for inline settings. */
  readonly file?: string;
  /** Where a leading `/` in a path rule starts. */
  readonly base: string;
  readonly settings: Settings;
  /** A deny or ask rule of this file may be lost. */
  readonly unread?: true;
  /** Its permission mode is invalid. */
  readonly unreadMode?: true;
}

export interface Places {
  readonly cwd: string;
  /** The folder whose `.claude` is used instead of that of `cwd`. */
  readonly projectRoot?: string;
  readonly home: string;
  readonly configDir: string;
  readonly managedDir: string;
}

/** `broken`: a mistake to fix. `restricted`: a valid value that this file may not set. */
export type WarningKind = "broken" | "restricted";
export type WarnScope = (text: string, kind?: WarningKind) => void;

export interface ScopesRead {
  /** Lowest precedence first. */
  readonly scopes: readonly Scope[];
  readonly sources: readonly Source[];
}

/** Unreadable files become warnings, except those of `--settings` and of the administrator: they throw ConfigError. */
export function readScopes(places: Places, flags: Flags, warn: WarnScope): ScopesRead {
  const { cwd } = places;
  const wanted = flags.settingSources ?? ["user", "project", "local"];
  const scopes: Scope[] = [];
  const sources: Source[] = [];
  const read = (path: string): Reading => {
    sources.push({ path, stamp: stampOf(path) });
    return readSettingsFile(path);
  };

  for (const { name, source, base, file } of standardFiles(places)) {
    if (!wanted.includes(name)) continue;
    const reading = read(file);
    if (reading.kind === "missing") continue;
    if (reading.kind === "read") scopes.push(checked({ source, base, file }, reading, warn));
    else scopes.push(remains({ source, base, file }, reading, warn));
  }
  if (flags.settings !== undefined) scopes.push(flagScope(flags.settings, places, read, warn));

  if (flags.managedSettings !== undefined) scopes.push(parentScope(flags.managedSettings, cwd, warn));

  const managed = managedFiles(places.managedDir);
  sources.push({ path: managed.dropIns, stamp: stampOf(managed.dropIns) });
  for (const file of managed.files) {
    const reading = read(file);
    // An unreadable policy must not become no policy.
    if (reading.kind === "broken") {
      throw new ConfigError(`Managed settings file ${file} is ${reading.problem}; ask your administrator to fix it`);
    }
    if (reading.kind === "read") scopes.push(checked({ source: "policySettings", base: cwd, file }, reading, warn));
  }
  return { scopes, sources };
}

export interface StandardFile {
  readonly name: "user" | "project" | "local";
  readonly source: "userSettings" | "projectSettings" | "localSettings";
  readonly base: string;
  readonly file: string;
}

/** The files of the user and the project, lowest precedence first. */
export function standardFiles({
  cwd,
  configDir,
  projectRoot = cwd,
}: Pick<Places, "cwd" | "configDir" | "projectRoot">): readonly StandardFile[] {
  // Path rules apply to the working directory, even if they are in another folder's files.
  const inFolder = (name: string) => join(projectRoot, ".claude", name);
  return [
    { name: "user", source: "userSettings", base: configDir, file: join(configDir, "settings.json") },
    { name: "project", source: "projectSettings", base: cwd, file: inFolder("settings.json") },
    { name: "local", source: "localSettings", base: cwd, file: inFolder("settings.local.json") },
  ];
}

/** The folder of an administrator's files. */
export function managedDirectory(platform: string): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

const HOLDERS: Readonly<Partial<Record<RuleSource, Holder>>> = {
  policySettings: "managed",
  projectSettings: "project",
  localSettings: "local",
};

/** Where settings come from. Without a file they are those of a flag, unless they have another name. */
interface Origin extends Pick<Scope, "source" | "base" | "file"> {
  readonly name?: string;
}

function checked(
  { source, base, file, name = file ?? "--settings" }: Origin,
  { value, doubled }: Extract<Reading, { kind: "read" }>,
  warn: WarnScope,
): Scope {
  if (doubled)
    warn(`${name}: a key with rules appears more than once; the deny and ask rules of all copies apply`, "broken");
  const { settings, warnings, unread, unreadMode } = checkSettings(
    doubled ? joined(value, doubled) : value,
    name,
    HOLDERS[source] ?? "user",
  );
  for (const text of warnings) warn(text, "broken");
  return {
    source,
    base,
    settings,
    ...(file === undefined ? {} : { file }),
    ...(unread ? { unread } : {}),
    ...(unreadMode ? { unreadMode } : {}),
  };
}

/** What can be recovered from a file that does not parse: its deny and ask rules. */
function remains(
  { source, base, file }: Origin & { readonly file: string },
  { problem, salvaged }: Extract<Reading, { kind: "broken" }>,
  warn: WarnScope,
): Scope {
  const rest = salvaged === undefined ? "it is ignored" : "only its deny and ask rules are used";
  warn(`${file} is ${problem}; ${rest}`, "broken");
  const { settings } = checkSettings({ permissions: { ...salvaged } }, file, HOLDERS[source] ?? "user");
  return { source, base, settings, file, unread: true };
}

function joined(
  value: Readonly<Record<string, unknown>>,
  { deny, ask }: { deny: readonly string[]; ask: readonly string[] },
) {
  const permissions = isObject(value["permissions"]) ? value["permissions"] : {};
  const both = (last: unknown, all: readonly string[]) => [
    ...new Set([...all, ...(Array.isArray(last) ? (last as readonly unknown[]) : [])]),
  ];
  return {
    ...value,
    permissions: { ...permissions, deny: both(permissions["deny"], deny), ask: both(permissions["ask"], ask) },
  };
}

function flagScope(given: string, { cwd, home }: Places, read: (path: string) => Reading, warn: WarnScope): Scope {
  if (given.trim().startsWith("{")) {
    const reading = parseSettings(given);
    if (reading.kind === "read") return checked({ source: "flagSettings", base: cwd }, reading, warn);
    throw new ConfigError(
      `Invalid JSON provided to --settings: ${reading.kind === "broken" ? reading.problem.replace(/^not valid JSON: /, "") : given}`,
    );
  }
  const file = atHome(given, home, cwd);
  const reading = read(file);
  if (reading.kind === "missing") throw new ConfigError(`Settings file not found: ${file}`);
  if (reading.kind === "broken") throw new ConfigError(`Settings file ${file} is ${reading.problem}`);
  return checked({ source: "flagSettings", base: cwd, file }, reading, warn);
}

/** Ranks below the administrator's files and above everything else. */
function parentScope(given: Readonly<Record<string, unknown>>, cwd: string, warn: WarnScope): Scope {
  const name = "--managed-settings";
  // Loaded late: few programs that start us pass a policy.
  const { onlyNarrowing } = require("./parent-policy.ts") as typeof ParentPolicy;
  const { settings, refused } = onlyNarrowing(given);
  if (refused.length > 0) {
    warn(`${name}: ${refused.join(", ")} ignored: the program that starts Keelson may only make permissions stricter`);
  }
  return checked({ source: "policySettings", base: cwd, name }, { kind: "read", value: settings }, warn);
}

/** An administrator's files in the order they apply, and the folder of the drop-in files. */
export function managedFiles(directory: string): { readonly files: readonly string[]; readonly dropIns: string } {
  const dropIns = join(directory, "managed-settings.d");
  let names: string[];
  try {
    names = readdirSync(dropIns).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      throw new ConfigError(`Managed settings directory ${dropIns} is not readable; ask your administrator to fix it`);
    }
    names = [];
  }
  const files = [join(directory, "managed-settings.json"), ...names.sort().map((name) => join(dropIns, name))];
  return { files, dropIns };
}

/** Resolves a path from settings or flags: `~` is the home folder, relative paths start at `cwd`. */
export function atHome(path: string, home: string, cwd: string): string {
  if (path === "~") return home;
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}
