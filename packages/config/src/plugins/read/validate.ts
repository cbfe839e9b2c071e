// Checks every file of a plugin, or of a marketplace with the plugins in its folder, and says what is wrong where.

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject } from "@keelson/protocol";
import { checkServer } from "../../mcp/entry/check-server.ts";
import { readWholeFile } from "../../scopes/read.ts";
import { folderInCatalog, readCatalog } from "../market/catalog.ts";
import { MANIFEST, readPluginFolder, type PluginFolder } from "./folder.ts";
import { pluginTextProblems } from "./check-texts.ts";
import { insidePath } from "./inside.ts";
import { MANIFEST_FIELDS } from "./manifest.ts";
import type { PluginProblem } from "./problem.ts";
import { readJsonInside } from "./read-json.ts";

export interface Finding extends PluginProblem {
  /** `error`: something does not work. `warning`: it works, but should be better. */
  readonly severity: "error" | "warning";
}

const error = (problem: PluginProblem): Finding => ({ ...problem, severity: "error" });
const warning = (file: string, text: string, line?: number): Finding => ({
  file,
  ...(line === undefined ? {} : { line }),
  text,
  severity: "warning",
});

export function validateMarketplace(location: string, uid: number | undefined): readonly Finding[] {
  const { catalog, problems } = readCatalog(location, uid);
  if (catalog === undefined) return problems.map(error);
  const { file, marketplace, lineOf } = catalog;
  const inFolder = marketplace.plugins.flatMap(({ name, source }) => {
    const wrong = (why: string) => {
      const line = lineOf(name);
      return [error({ file, ...(line === undefined ? {} : { line }), text: `plugin "${name}": ${why}` })];
    };
    if (source.source === "refused") return wrong(source.why);
    if (source.source !== "folder") return [];
    const folder = folderInCatalog(catalog, source.path);
    return typeof folder === "string" ? validatePluginFolder(folder, uid, name) : wrong(folder.problem);
  });
  return [...problems.map(error), ...distinct(inFolder)];
}

/** Several entries may share a folder. */
const distinct = (findings: readonly Finding[]) => [
  ...new Map(findings.map((each) => [JSON.stringify(each), each])).values(),
];

export function validatePluginFolder(folder: string, uid: number | undefined, name?: string): readonly Finding[] {
  const { plugin, problems } = readPluginFolder(folder, { uid, ...(name === undefined ? {} : { name }) });
  const found = problems.map(error);
  if (plugin === undefined) return found;
  return [
    ...found,
    ...manifestWarnings(plugin, uid),
    ...unusedParts(plugin, uid),
    ...serverErrors(plugin),
    ...hookErrors(plugin),
    ...textFindings(plugin),
    ...themeErrors(plugin, uid),
    ...linkErrors(plugin.root),
  ];
}

function manifestWarnings({ root, name, manifest }: PluginFolder, uid: number | undefined): readonly Finding[] {
  const file = join(root, MANIFEST);
  const read = readJsonInside(file, { root, uid, problems: [], sources: [] });
  if (read === undefined) return [];
  const unknown = Object.keys(read.value).filter((field) => !MANIFEST_FIELDS.has(field));
  return [
    ...unknown.map((field) =>
      warning(file, `"${field}" is not a field of a manifest; remove it`, read.lineOf([field])),
    ),
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
      ? []
      : [warning(file, `"name" should be lower-case words joined by hyphens`, read.lineOf(["name"]))]),
    ...(manifest.description === undefined
      ? [warning(file, '"description" is missing; say what the plugin is for', 1)]
      : []),
    ...(manifest.version === undefined ? [warning(file, '"version" is missing; add "version": "0.1.0"', 1)] : []),
  ];
}

/** Parts that the format has and Keelson does not use, so that nobody looks for a mistake of their own. */
function unusedParts({ root }: PluginFolder, uid: number | undefined): readonly Finding[] {
  const file = join(root, MANIFEST);
  const read = readJsonInside(file, { root, uid, problems: [], sources: [] });
  const { workflows, channels, experimental } = read?.value ?? {};
  const { monitors } = isObject(experimental) ? experimental : {};
  const named = { workflows, channels, "experimental.monitors": monitors };
  return [
    ...Object.entries(named)
      .filter(([, value]) => value !== undefined)
      .map(([field]) => warning(file, `"${field}" is not used by Keelson`, read?.lineOf(field.split(".")))),
    ...["workflows", "monitors"]
      .map((name) => join(root, name))
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      .map((path) => warning(path, "is not used by Keelson")),
  ];
}

function serverErrors({ root, name, servers }: PluginFolder): readonly Finding[] {
  const env = { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: root };
  return servers.flatMap(({ name: server, raw, file }) => {
    const checked = checkServer(`plugin:${name}:${server}`, raw, { scope: "plugin", env, settings: {} });
    if (!("why" in checked)) return [];
    return [
      error(withLine({ file, text: `MCP server "${server}" ${checked.why.replace(/^It /, "")}` }, `"${server}"`)),
    ];
  });
}

/** With the first line of the file that has this text. */
function withLine(problem: PluginProblem, text: string): PluginProblem {
  const source = readWholeFile(problem.file, MAX_BYTES);
  const at = typeof source === "string" ? source.split("\n").findIndex((line) => line.includes(text)) : -1;
  return at < 0 ? problem : { ...problem, line: at + 1 };
}

/** Scripts of the plugin that its hooks name. */
function hookErrors({ root, hooks }: PluginFolder): readonly Finding[] {
  return hooks.flatMap(({ handler, event, file }) => {
    if (handler.type !== "command") return [];
    const words = [handler.command, ...(handler.args ?? [])].join(" ");
    const named = words.matchAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?"?\/([\w./-]+)/g);
    return Array.from(named, ([, path]) => path!).flatMap((path) => {
      const at = insidePath(root, `./${path}`);
      return "problem" in at ? [error(withLine({ file, text: `hooks.${event}: "${path}" ${at.problem}` }, path))] : [];
    });
  });
}

const MOST_FILES = 20_000;
const MAX_BYTES = 1024 * 1024;

function textFindings(plugin: PluginFolder): readonly Finding[] {
  return pluginTextProblems(plugin).map(({ file, line, kind, why }) => ({
    file,
    ...(line === undefined ? {} : { line }),
    text: why,
    severity: kind === "unused" ? "error" : "warning",
  }));
}

function themeErrors({ root, layout: { themes } }: PluginFolder, uid: number | undefined): readonly Finding[] {
  const problems: PluginProblem[] = [];
  const files = themes.flatMap((path) => (path.endsWith(".json") ? [path] : entriesIn(path)));
  for (const file of files.filter((path) => path.endsWith(".json"))) {
    readJsonInside(file, { root, uid, problems, sources: [] });
  }
  return problems.map(error);
}

/** Links that lead out are left out when the plugin is installed. */
function linkErrors(root: string): readonly Finding[] {
  return allIn(root).flatMap((path) => {
    if (!lstatSync(path).isSymbolicLink()) return [];
    const at = insidePath(root, `./${path.slice(root.length + 1)}`);
    if ("path" in at) return [];
    return [
      error({
        file: path,
        text: `is a link to "${readlinkSync(path)}", which ${at.missing ? "does not exist" : "is not in the plugin"}; copy the file instead`,
      }),
    ];
  });
}

function allIn(folder: string): readonly string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined && found.length < MOST_FILES; at = waiting.pop()) {
    for (const path of entriesIn(at)) {
      if (basename(path) === ".git" || basename(path) === "node_modules") continue;
      if (lstatSync(path).isDirectory()) waiting.push(path);
      else found.push(path);
    }
  }
  return found.toSorted();
}

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
