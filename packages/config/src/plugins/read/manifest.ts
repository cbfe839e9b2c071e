// The manifest of a plugin: which fields it has and of what type. Unknown fields are ignored; a known field of the wrong
// type is an error, because the plugin would do something else than its author meant. Pure.

import { isObject } from "@keelson/protocol";
import { printable } from "../../check/page.ts";
import { pluginNameProblem } from "./names.ts";
import type { JsonPath } from "./problem.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A path, or several. */
export type Paths = string | readonly string[];
/** A path, an object, or several of both. */
export type PathsOrInline = string | Fields | readonly (string | Fields)[];

export interface Manifest {
  readonly name?: string;
  readonly displayName?: string;
  readonly version?: string;
  readonly description?: string;
  readonly author?: string | Fields;
  readonly homepage?: string;
  readonly license?: string;
  readonly defaultEnabled?: boolean;
  /** By program, the versions that the plugin works with. */
  readonly engines?: Fields;
  readonly skills?: Paths;
  readonly commands?: Paths | Fields;
  readonly agents?: Paths;
  readonly outputStyles?: Paths;
  /** Written as `experimental.themes`. */
  readonly themes?: Paths;
  readonly hooks?: PathsOrInline;
  readonly mcpServers?: PathsOrInline;
  readonly lspServers?: PathsOrInline;
  readonly userConfig?: Readonly<Record<string, UserOption>>;
  readonly dependencies?: readonly (string | Dependency)[];
}

export interface Dependency {
  readonly name: string;
  readonly marketplace?: string;
  /** A range of versions. */
  readonly version?: string;
}

/** A value that the user gives the plugin. */
export interface UserOption {
  readonly type: "string" | "number" | "boolean" | "directory" | "file";
  readonly title: string;
  readonly description: string;
  readonly sensitive?: boolean;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly multiple?: boolean;
  readonly min?: number;
  readonly max?: number;
}

export interface ManifestProblem {
  readonly path: JsonPath;
  readonly text: string;
}

/** The fields that are known. `problems` is empty for a manifest that can be used. */
export function checkManifest(value: Fields): {
  readonly manifest: Manifest;
  readonly problems: readonly ManifestProblem[];
} {
  const problems: ManifestProblem[] = [];
  const manifest: Record<string, unknown> = {};
  for (const [name, { what, holds }] of Object.entries(FIELDS)) {
    const given = value[name];
    if (given === undefined) continue;
    if (holds(given)) manifest[name] = given;
    else problems.push({ path: [name], text: `"${name}" should be ${what}, not ${shown(given)}` });
  }
  // Of the wrong type, it is as if it were not there: the format still changes.
  const { themes } = isObject(value["experimental"]) ? value["experimental"] : {};
  if (paths.holds(themes)) manifest["themes"] = themes;
  const { name, userConfig, dependencies } = manifest as Manifest;
  if (value["name"] === undefined) problems.push({ path: [], text: '"name" is missing; add "name": "my-plugin"' });
  const badName = name === undefined ? undefined : pluginNameProblem(name);
  if (badName !== undefined) problems.push({ path: ["name"], text: `"name" ${badName}` });
  problems.push(...optionProblems(userConfig), ...dependencyProblems(dependencies));
  return { manifest: manifest as Manifest, problems };
}

interface Field {
  readonly what: string;
  holds(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const listOf = (holds: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(holds);
const either =
  (...tests: readonly ((value: unknown) => boolean)[]) =>
  (value: unknown) =>
    tests.some((test) => test(value));

const text: Field = { what: "a string", holds: isText };
const textOrObject: Field = { what: "a string or an object", holds: either(isText, isObject) };
const paths: Field = {
  what: 'a path such as "./folder", or a list of paths',
  holds: either(isText, listOf(isText)),
};
const pathsOrInline: Field = {
  what: 'a path such as "./file.json", an object, or a list of them',
  holds: either(isText, isObject, listOf(either(isText, isObject))),
};

const FIELDS: Readonly<Record<string, Field>> = {
  name: text,
  displayName: text,
  version: text,
  description: text,
  author: textOrObject,
  homepage: text,
  repository: textOrObject,
  license: text,
  keywords: { what: "a list of strings", holds: listOf(isText) },
  engines: { what: "an object", holds: isObject },
  defaultEnabled: { what: "true or false", holds: isFlag },
  skills: paths,
  commands: { what: paths.what, holds: either(paths.holds, isObject) },
  agents: paths,
  workflows: paths,
  outputStyles: paths,
  hooks: pathsOrInline,
  mcpServers: pathsOrInline,
  lspServers: pathsOrInline,
  userConfig: { what: "an object of options", holds: isObject },
  channels: { what: "a list of objects", holds: listOf(isObject) },
  dependencies: { what: "a list of plugin names", holds: listOf(either(isText, isObject)) },
};

/** The names of all fields that a manifest may have, also those that are not checked. */
export const MANIFEST_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(FIELDS),
  "$schema",
  "metadata",
  "experimental",
]);

const OPTION_TYPES = ["string", "number", "boolean", "directory", "file"];

function optionProblems(options: Manifest["userConfig"] = {}): ManifestProblem[] {
  return Object.entries(options as Fields).flatMap(([key, option]) => {
    const path = ["userConfig", key];
    const at = `"userConfig.${printable(key)}"`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
      return [{ path, text: `${at} is not a name for an option; use letters, digits and "_"` }];
    }
    if (!isObject(option)) return [{ path, text: `${at} should be an object, not ${shown(option)}` }];
    const { type, title, description } = option;
    const wrong = (field: string, what: string, value: unknown) => ({
      path: [...path, field],
      text:
        value === undefined
          ? `${at} needs "${field}": ${what}`
          : `${at}: "${field}" should be ${what}, not ${shown(value)}`,
    });
    return [
      ...(OPTION_TYPES.includes(type as string) ? [] : [wrong("type", OPTION_TYPES.join(", "), type)]),
      ...(isText(title) ? [] : [wrong("title", "a string", title)]),
      ...(isText(description) ? [] : [wrong("description", "a string", description)]),
      ...["sensitive", "required", "multiple"].flatMap((field) =>
        option[field] === undefined || isFlag(option[field]) ? [] : [wrong(field, "true or false", option[field])],
      ),
      ...["min", "max"].flatMap((field) =>
        option[field] === undefined || typeof option[field] === "number"
          ? []
          : [wrong(field, "a number", option[field])],
      ),
    ];
  });
}

function dependencyProblems(dependencies: Manifest["dependencies"] = []): ManifestProblem[] {
  return dependencies.flatMap((given, index) => {
    const path = ["dependencies", index];
    const { name, marketplace } = dependencyOf(given);
    const isName = (value: unknown) => isText(value) && pluginNameProblem(value) === undefined;
    if (isName(name) && (marketplace === undefined || isName(marketplace))) return [];
    return [{ path, text: `${shown(given)} is not a plugin; use "name" or "name@marketplace"` }];
  });
}

/** `"name"` and `"name@marketplace"` as the long form. */
export function dependencyOf(given: string | Dependency): Dependency {
  if (typeof given !== "string") return given;
  const [name = "", marketplace] = given.split("@");
  return { name, ...(marketplace === undefined ? {} : { marketplace }) };
}

const shown = (value: unknown) => printable(JSON.stringify(value) ?? String(value));
