// The catalog of a marketplace, `.claude-plugin/marketplace.json`: its plugins and where each one comes from. An entry that
// is wrong is left out with the reason; the others can be used. Pure.

import { isObject } from "@keelson/protocol";
import { printable } from "../../check/page.ts";
import { checkManifest, MANIFEST_FIELDS, type ManifestProblem } from "../read/manifest.ts";
import { pluginNameProblem } from "../read/names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where the files of a plugin come from. */
export type PluginSource =
  /** From the folder of the marketplace. */
  | { readonly source: "folder"; readonly path: string }
  | {
      readonly source: "git";
      readonly url: string;
      readonly ref?: string;
      readonly sha?: string;
      readonly path?: string;
    }
  | { readonly source: "archive"; readonly url: string; readonly sha256?: string }
  | { readonly source: "npm"; readonly package: string; readonly version?: string; readonly registry?: string }
  /** Known, but not supported; `why` names the fix. */
  | { readonly source: "refused"; readonly why: string };

export interface MarketplaceEntry {
  readonly name: string;
  readonly source: PluginSource;
  readonly description?: string;
  readonly version?: string;
  readonly category?: string;
  /** False: the entry is the manifest. */
  readonly strict: boolean;
  readonly defaultEnabled: boolean;
  /** The fields of a manifest that the entry has. */
  readonly manifest: Fields;
}

export interface Marketplace {
  readonly name: string;
  readonly description?: string;
  readonly plugins: readonly MarketplaceEntry[];
  /** Marketplaces that its plugins may depend on. */
  readonly dependsOn: readonly string[];
  /** New names of plugins, by the old ones. */
  readonly renames: Readonly<Record<string, string>>;
}

export interface CheckedMarketplace {
  /** Absent if nothing of it can be used. */
  readonly marketplace?: Marketplace;
  readonly problems: readonly ManifestProblem[];
}

const MOST_PLUGINS = 5_000;

export function checkMarketplace(value: Fields): CheckedMarketplace {
  const problems: ManifestProblem[] = [];
  const { name, plugins, owner, description, metadata } = value;
  const report = (path: ManifestProblem["path"], text: string) => void problems.push({ path, text });
  if (name === undefined) report([], '"name" is missing; add "name": "my-marketplace"');
  else if (typeof name !== "string") report(["name"], `"name" should be a string, not ${shown(name)}`);
  else if (pluginNameProblem(name) !== undefined) report(["name"], `"name" ${pluginNameProblem(name)}`);
  if (plugins === undefined) report([], '"plugins" is missing; add "plugins": []');
  else if (!Array.isArray(plugins)) report(["plugins"], `"plugins" should be a list, not ${shown(plugins)}`);
  if (problems.length > 0) return { problems };
  if (!isObject(owner))
    report(owner === undefined ? [] : ["owner"], '"owner" should be an object, such as {"name": "Me"}');

  const given = isObject(metadata) && typeof metadata["pluginRoot"] === "string" ? metadata["pluginRoot"] : "";
  const badRoot = pathProblem(given);
  if (badRoot !== undefined) report(["metadata", "pluginRoot"], `"metadata.pluginRoot" ${badRoot}`);
  const root = badRoot === undefined ? given : "";
  const entries = new Map<string, MarketplaceEntry>();
  for (const [index, raw] of (plugins as readonly unknown[]).slice(0, MOST_PLUGINS).entries()) {
    const checked = checkMarketplaceEntry(raw, root);
    for (const { path, text } of checked.problems) report(["plugins", index, ...path], text);
    const { entry } = checked;
    if (entry !== undefined && entries.has(entry.name)) {
      report(["plugins", index, "name"], `"${entry.name}" is in the list twice; remove one`);
    } else if (entry !== undefined) entries.set(entry.name, entry);
  }
  const marketplace: Marketplace = {
    name: name as string,
    ...(typeof description === "string" ? { description } : {}),
    plugins: [...entries.values()],
    dependsOn: textsIn(value["allowCrossMarketplaceDependenciesOn"]),
    renames: Object.fromEntries(
      Object.entries(isObject(value["renames"]) ? value["renames"] : {}).filter(
        (pair): pair is [string, string] => typeof pair[1] === "string",
      ),
    ),
  };
  return { marketplace, problems };
}

function checkMarketplaceEntry(
  raw: unknown,
  root: string,
): { readonly entry?: MarketplaceEntry; readonly problems: readonly ManifestProblem[] } {
  if (!isObject(raw)) return { problems: [{ path: [], text: `should be an object, not ${shown(raw)}` }] };
  const checked = checkManifest(raw);
  const source = checkPluginSource(raw["source"], root);
  const problems = [
    ...checked.problems.map(({ path, text }) => ({ path, text: `${labelOf(raw)}: ${text}` })),
    ...("problem" in source ? [{ path: ["source"], text: `${labelOf(raw)}: ${source.problem}` }] : []),
  ];
  if (problems.length > 0 || "problem" in source) return { problems };
  const { name = "", description, version, defaultEnabled = true } = checked.manifest;
  const entry: MarketplaceEntry = {
    name,
    source,
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(typeof raw["category"] === "string" ? { category: raw["category"] } : {}),
    strict: raw["strict"] !== false,
    defaultEnabled,
    manifest: Object.fromEntries(Object.entries(raw).filter(([field]) => MANIFEST_FIELDS.has(field))),
  };
  return { entry, problems };
}

const labelOf = ({ name }: Fields) => (typeof name === "string" ? `plugin "${printable(name)}"` : "a plugin");

function checkPluginSource(source: unknown, root: string): PluginSource | { readonly problem: string } {
  if (typeof source === "string") {
    const path = root === "" || source.startsWith("./") ? source : `${root}/${source}`;
    const problem = pathProblem(source);
    if (problem !== undefined) return { problem: `"source" ${shown(source)} ${problem}` };
    return { source: "folder", path: path.startsWith("./") ? path : `./${path}` };
  }
  if (!isObject(source)) {
    return {
      problem:
        '"source" should be a path such as "./plugins/name", or an object such as {"source": "github", "repo": "owner/name"}',
    };
  }
  const { source: kind } = source;
  const text = (key: string) => (typeof source[key] === "string" ? source[key] : undefined);
  const needs = (key: string, what: string) => ({
    problem: `"source" of kind "${printable(String(kind))}" needs "${key}": ${what}`,
  });
  const pinned = { ...optional("ref", text("ref")), ...optional("sha", text("sha")?.toLowerCase()) };
  switch (kind) {
    case "github": {
      const repo = text("repo");
      if (repo === undefined || !/^[\w.-]+\/[\w.-]+$/.test(repo)) return needs("repo", "owner/name");
      return { source: "git", url: `https://github.com/${repo}.git`, ...pinned, ...optional("path", text("path")) };
    }
    case "url":
    case "git": {
      const url = text("url");
      return url === undefined ? needs("url", "an address for git") : { source: "git", url, ...pinned };
    }
    case "git-subdir": {
      const [url, path] = [text("url") ?? githubUrl(text("repo")), text("path")];
      if (url === undefined) return needs("url", "an address for git");
      if (path === undefined || path.split("/").includes(".."))
        return needs("path", 'a folder in the repository, without ".."');
      return { source: "git", url: githubUrl(url) ?? url, path, ...pinned };
    }
    case "archive": {
      const url = text("url");
      if (url === undefined) return needs("url", "an https:// address");
      return { source: "archive", url, ...optional("sha256", text("sha256")) };
    }
    case "npm": {
      const name = text("package");
      if (name === undefined || !NPM_NAME.test(name)) return needs("package", "the name of an npm package");
      return {
        source: "npm",
        package: name,
        ...optional("version", text("version")),
        ...optional("registry", text("registry")),
      };
    }
    case "command":
      return {
        source: "refused",
        why: "it is made by a command, which Keelson does not run; run it yourself and use --plugin-dir",
      };
    default:
      return {
        problem: `"source" has an unknown kind ${shown(kind)}; use github, url, git-subdir, npm or archive, or a path`,
      };
  }
}

/** Why this is not a path in the folder of the marketplace. */
function pathProblem(path: string): string | undefined {
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(path)) return 'should be a path in the marketplace that starts with "./"';
  return path.split(/[\\/]/).includes("..") ? 'should not have ".." in it' : undefined;
}

/** As npm allows them, so that a name is never part of another address. */
const NPM_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]{0,213}$/i;

/** `owner/name` as an address; undefined for anything else. */
const githubUrl = (text: string | undefined) =>
  text !== undefined && /^[\w.-]+\/[\w.-]+$/.test(text) ? `https://github.com/${text}.git` : undefined;

const optional = <K extends string>(key: K, value: string | undefined) =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<K, string>>;

const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

const shown = (value: unknown) => printable(JSON.stringify(value) ?? String(value));
