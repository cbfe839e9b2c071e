// What would apply if the folder were trusted, read from its files. None of it applies yet.

import { join, relative } from "node:path";
import type { Snapshot } from "@keelson/config";
import { readUserFile } from "@keelson/disk/own-files";
import { isObject, tryParse } from "@keelson/protocol";
import type { ChangedFacts, TrustFacts } from "@keelson/tui/before";

const COMMANDS = [
  "statusLine",
  "subagentStatusLine",
  "fileSuggestion",
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "otelHeadersHelper",
];
const MOST_BYTES = 4 * 1024 * 1024;

export async function trustFacts({ cwd, flags, hooks, mcp }: Snapshot): Promise<TrustFacts> {
  const folder = join(flags.projectConfigRoot ?? cwd, ".claude");
  const files = await Promise.all(
    ["settings.json", "settings.local.json"].map((name) => settingsIn(join(folder, name))),
  );
  const registered = [...hooks.active, ...hooks.off.map(({ registration }) => registration)];
  const own = ({ source }: { readonly source: string }) => source === "projectSettings" || source === "localSettings";
  return {
    folder: cwd,
    hooks: registered.filter(own).length,
    allowRules: files.flatMap(({ permissions }) => texts(isObject(permissions) ? permissions["allow"] : undefined)),
    env: unique(files.flatMap(({ env }) => (isObject(env) ? Object.keys(env) : []))),
    mcpServers: unique(
      [...mcp.servers, ...mcp.unused].filter(({ scope }) => scope === "project").map(({ name }) => name),
    ),
    commands: COMMANDS.filter((name) => files.some((file) => file[name] !== undefined)),
  };
}

/** What changed in a trusted folder, or was never asked about. */
export function changedFacts({ cwd, flags, trustBasis, held = [] }: Snapshot): ChangedFacts {
  const folder = flags.projectConfigRoot ?? cwd;
  const files = [...new Set(held.map(({ file }) => file))].map((file) => ({
    file: relative(folder, file),
    names: unique(held.filter((each) => each.file === file).flatMap(({ names }) => names)),
  }));
  return { folder, inherited: trustBasis?.inherited === true, files };
}

async function settingsIn(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const text = readUserFile(path, MOST_BYTES)?.toString() ?? "";
    const value: unknown = tryParse(text) ?? Bun.JSONC.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const texts = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
const unique = (names: readonly string[]) => [...new Set(names)];
