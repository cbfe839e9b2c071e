// Checks every file of a plugin, or of a marketplace with the plugins in its folder, and says what is wrong where.

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject, type Plugin } from "@keelson/protocol";
import { readInstruction } from "../../instructions/files/read-instruction.ts";
import { checkServer } from "../../mcp/entry/check-server.ts";
import { folderInCatalog, readCatalog } from "../market/catalog.ts";
import { MANIFEST, readPluginFolder, type PluginFolder } from "./folder.ts";
import { insidePath, liesInside } from "./inside.ts";
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
  const inFolder = catalog.marketplace.plugins.flatMap(({ name, source }) => {
    if (source.source === "refused") return [error({ file: catalog.file, text: `plugin "${name}": ${source.why}` })];
    if (source.source !== "folder") return [];
    const folder = folderInCatalog(catalog, source.path);
    if (typeof folder !== "string") return [error({ file: catalog.file, text: `plugin "${name}": ${folder.problem}` })];
    return validatePluginFolder(folder, uid, name);
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
    ...textProblems(plugin.layout, plugin.root, uid),
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
      ? [warning(file, '"description" is missing; say what the plugin is for')]
      : []),
    ...(manifest.version === undefined ? [warning(file, '"version" is missing; add "version": "0.1.0"')] : []),
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
    return [error({ file, text: `MCP server "${server}" ${checked.why.replace(/^It /, "")}` })];
  });
}

/** Scripts of the plugin that its hooks name. */
function hookErrors({ root, hooks }: PluginFolder): readonly Finding[] {
  return hooks.flatMap(({ handler, event, file }) => {
    if (handler.type !== "command") return [];
    const words = [handler.command, ...(handler.args ?? [])].join(" ");
    const named = words.matchAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?"?\/([\w./-]+)/g);
    return Array.from(named, ([, path]) => path!).flatMap((path) => {
      const at = insidePath(root, `./${path}`);
      return "problem" in at ? [error({ file, text: `hooks.${event}: "${path}" ${at.problem}` })] : [];
    });
  });
}

const MOST_FILES = 20_000;

type Layout = Pick<Plugin, "skillFolders" | "skills" | "commandFolders" | "commandFiles" | "agents">;

function textProblems(layout: Layout, root: string, uid: number | undefined): readonly Finding[] {
  const skills = [
    ...layout.skillFolders.flatMap((folder) => entriesIn(folder).filter((path) => lstatSync(path).isDirectory())),
    ...layout.skills,
  ];
  const commands = [...layout.commandFiles, ...layout.commandFolders.flatMap((folder) => markdownIn(folder))];
  const agents = layout.agents.flatMap((path) => (path.endsWith(".md") ? [path] : markdownIn(path)));
  const check = (file: string, needs: readonly string[]) => textFindings(file, root, uid, needs);
  return [
    ...skills.flatMap((folder) => {
      const file = entriesIn(folder).find((path) => basename(path).toLowerCase() === "skill.md");
      return file === undefined
        ? [warning(folder, "has no SKILL.md; add one, or move the folder")]
        : check(file, ["description"]);
    }),
    ...commands.flatMap((file) => check(file, [])),
    ...agents.filter((file) => basename(file) !== "README.md").flatMap((file) => check(file, ["name", "description"])),
  ];
}

function textFindings(
  file: string,
  root: string,
  uid: number | undefined,
  needs: readonly string[],
): readonly Finding[] {
  const read = readInstruction(file, { accepts: (real) => liesInside(root, real), uid });
  if (read.kind === "outside") return [];
  if (read.kind !== "read")
    return [error({ file, text: read.kind === "refused" ? `cannot be used: ${read.why}` : "is missing" })];
  const lines = read.text.split(/\r?\n/);
  if (!/^---\s*$/.test(lines[0] ?? "")) {
    return needs.length > 0 ? [warning(file, `has no frontmatter; start it with --- and ${needs.join(", ")}`, 1)] : [];
  }
  const end = lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line));
  if (end < 0) return [error({ file, line: 1, text: "its frontmatter has no closing ---; add one" })];
  const head = lines.slice(1, end);
  const tab = head.findIndex((line) => /^\s*\t/.test(line));
  return [
    ...(tab < 0 ? [] : [error({ file, line: tab + 2, text: "has a tab in its frontmatter; use spaces" })]),
    ...needs
      .filter((key) => !head.some((line) => line.startsWith(`${key}:`)))
      .map((key) => warning(file, `"${key}" is missing in its frontmatter; add it`, 1)),
  ];
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

const markdownIn = (folder: string) => allIn(folder).filter((path) => path.endsWith(".md"));

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
