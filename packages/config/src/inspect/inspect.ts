// The settings in effect and where each comes from, for `keelson config` and `keelson doctor`. Sessions use `load`.

import { existsSync } from "node:fs";
import { isObject, type RuleSource, type Settings } from "@keelson/protocol";
import { holdsNames, isGroup, knownKey, valueAt } from "../check/known.ts";
import { gather, placesOf, type Gathered, type LoadSettingsOptions, type Warning } from "../load/gather.ts";
import { ignoredValues } from "./ignored.ts";
import { fileLines, type Lines } from "./locate.ts";
import { mergeSettings, REPLACED } from "../scopes/merge.ts";
import { readSettingsFile } from "../scopes/read.ts";
import { atHome, managedFiles, standardFiles, type Scope } from "../scopes/scopes.ts";

/** Inline settings have neither file nor line. */
export interface SettingOrigin {
  readonly source: RuleSource;
  readonly file?: string;
  readonly line?: number;
}

export interface EffectiveValue {
  /** With dots, as typed in `keelson config`. */
  readonly key: string;
  readonly value: unknown;
  /** Highest precedence first; more than one if lists are joined. */
  readonly from: readonly SettingOrigin[];
}

export interface SettingsFile {
  readonly scope: "managed" | "flag" | "local" | "project" | "user";
  readonly file: string;
  readonly state: "present" | "absent" | "broken";
  readonly problem?: string;
}

/** A key without effect: `later` is planned, `unknown` may be misspelled. */
export interface IdleKey extends SettingOrigin {
  readonly key: string;
  readonly status: "later" | "unknown";
  /** Why a known key can have no effect. */
  readonly why?: string;
}

/** A value in a file that does not apply. */
export interface IgnoredValue extends SettingOrigin {
  readonly key: string;
  readonly value: unknown;
  readonly why: string;
  /** The warning in `Inspection.warnings` that says so, if there is one. */
  readonly warning?: string;
}

export interface Inspection {
  readonly values: readonly EffectiveValue[];
  /** The same as one object. */
  readonly settings: Settings;
  /** What applies from each file and flag, lowest precedence first. */
  readonly layers: readonly (SettingOrigin & { readonly settings: Settings })[];
  /** Set by an administrator, or with `--managed-settings`. */
  readonly policy?: Settings;
  readonly idle: readonly IdleKey[];
  readonly ignored: readonly IgnoredValue[];
  readonly warnings: readonly Warning[];
  readonly trust: Gathered["trust"];
  readonly requireTrust: boolean;
}

/** Throws ConfigError, as `load` does. */
export async function inspect(options: LoadSettingsOptions): Promise<Inspection> {
  const { scopes, settings, warnings, trust, requireTrust } = gather(options);
  const highestFirst = scopes.toReversed();
  const files = new Set(scopes.flatMap(({ file }) => file ?? []));
  const lines = new Map(await Promise.all([...files].map(async (file) => [file, await fileLines(file)] as const)));
  const at = (scope: Scope, path: readonly string[]) => originOf(scope, path, lines);

  const values = leaves(settings).map(({ path, value }) => {
    const holders = highestFirst.filter((scope) => valueAt(scope.settings, path) !== undefined);
    const joins = Array.isArray(value) && !REPLACED.has(path.join("."));
    // A switch that only restricts may be decided by a lower scope.
    const decisive = holders.filter((scope) => typeof value !== "boolean" || valueAt(scope.settings, path) === value);
    const from = (joins ? holders : decisive.slice(0, 1)).map((scope) => at(scope, path));
    return { key: path.join("."), value, from };
  });
  const idle = highestFirst.flatMap((scope) =>
    leaves(scope.settings).flatMap(({ path }): readonly IdleKey[] => {
      const key = path.join(".");
      const known = knownKey(key) ?? knownKey(path.slice(0, -1).join("."));
      if (known?.means !== undefined) return [];
      const why = known?.whyNot === undefined ? {} : { why: known.whyNot };
      return [{ key, status: known === undefined ? "unknown" : "later", ...why, ...at(scope, path) }];
    }),
  );
  const ignored = highestFirst.flatMap((scope) =>
    ignoredIn(scope, warnings).map(({ path, value, why, warning }) => ({
      key: path.join("."),
      value,
      why,
      ...(warning === undefined ? {} : { warning: `${scope.file}: ${warning}` }),
      ...at(scope, path),
    })),
  );
  const layers = scopes.map((scope) => ({ ...originOf(scope, [], lines), settings: scope.settings }));
  const policies = scopes.filter(({ source }) => source === "policySettings").map((scope) => scope.settings);
  const policy = policies.length === 0 ? {} : { policy: mergeSettings(policies) };
  return { values, settings, layers, ...policy, idle, ignored, warnings, trust, requireTrust };
}

function ignoredIn({ file, settings }: Scope, warnings: readonly Warning[]) {
  const reading = file === undefined ? undefined : readSettingsFile(file);
  if (reading?.kind !== "read") return [];
  const about = warnings.flatMap(({ text }) => (text.startsWith(`${file}: `) ? [text.slice(`${file}: `.length)] : []));
  return ignoredValues(leaves(reading.value), settings, about);
}

/** Every settings file that is or could be read, highest precedence first. Throws ConfigError. */
export async function settingsFiles(options: LoadSettingsOptions): Promise<readonly SettingsFile[]> {
  const places = placesOf(options);
  const managed = managedFiles(places.managedDir).files;
  const flag = options.flags.settings;
  const named = flag === undefined || flag.trim().startsWith("{") ? [] : [atHome(flag, options.home, places.cwd)];
  return [
    ...managed.toReversed().map((file) => stateOf("managed", file)),
    ...named.map((file) => stateOf("flag", file)),
    ...standardFiles(places)
      .toReversed()
      .map(({ name, file }) => stateOf(name, file)),
  ];
}

function stateOf(scope: SettingsFile["scope"], file: string): SettingsFile {
  if (!existsSync(file)) return { scope, file, state: "absent" };
  const reading = readSettingsFile(file);
  return reading.kind === "broken"
    ? { scope, file, state: "broken", problem: reading.problem }
    : { scope, file, state: reading.kind === "read" ? "present" : "absent" };
}

function originOf({ source, file }: Scope, path: readonly string[], lines: ReadonlyMap<string, Lines>): SettingOrigin {
  const line = file === undefined ? undefined : lines.get(file)?.lineOf(path);
  return { source, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The values one by one; groups and maps of names, such as `env`, are entered. */
function leaves(settings: Readonly<Record<string, unknown>>, prefix: readonly string[] = []): readonly Leaf[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const path = [...prefix, name];
    const key = path.join(".");
    if (!isObject(value)) return [{ path, value }];
    if (isGroup(key)) return leaves(value, path);
    const known = knownKey(key);
    if (known === undefined || !holdsNames(known)) return [{ path, value }];
    return Object.entries(value).map(([entry, inner]) => ({ path: [...path, entry], value: inner }));
  });
}
