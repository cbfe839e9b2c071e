// What a file inside a folder may do only because the user trusts the folder: one grant for each value that runs something
// or makes something wider. What only restricts, and what any folder may set, is no grant.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { isObject, type Settings } from "@keelson/protocol";
import { KEYS, valueAt } from "../check/known.ts";
import type * as Variables from "../env/variables.ts";
import { scriptsIn } from "../governing/scripts.ts";
import { withSortedKeys } from "../mcp/choice/approval.ts";
import type { RawServers } from "../mcp/read-servers.ts";

export interface FolderGrant {
  /** As people read it: `hooks.Stop`, `permissions.allow "Bash(npm test)"`. */
  readonly name: string;
  /** Where it is in the file. */
  readonly path: readonly string[];
  /** The entry, if the value there is a list. */
  readonly item?: unknown;
  /** What it is. Different values are different grants. */
  readonly value: unknown;
}

export interface GrantPlace {
  readonly folder: string;
  readonly home: string;
}

/** Keys whose entries are one grant each. */
const BY_ENTRY = new Set(["env", "hooks", "enabledPlugins", "extraKnownMarketplaces", "lspServers", "modelOverrides"]);

/** The settings must have been checked. */
export function settingsGrants(settings: Settings, place: GrantPlace): readonly FolderGrant[] {
  return KEYS.flatMap(({ key, folder }) => {
    // Most of the many keys are in no file.
    const dot = key.indexOf(".");
    if (!Object.hasOwn(settings, dot < 0 ? key : key.slice(0, dot))) return [];
    const path = key.split(".");
    const value = folder === "never" || (folder === "yes" && key !== "hooks") ? undefined : valueAt(settings, path);
    if (value === undefined || (key === "permissions.defaultMode" && value === "plan")) return [];
    if (!BY_ENTRY.has(key) || !isObject(value)) return grantsAt(path, value, place);
    return Object.entries(value).flatMap(([name, inner]) => {
      if (key === "env" && !needsTrust(name, inner as string)) return [];
      return grantsAt([...path, name], inner, place);
    });
  });
}

/** Loaded late: few folders set variables, and the table is long. */
const needsTrust = (name: string, value: string) =>
  (require("../env/variables.ts") as typeof Variables).mayFolderSet(name, value) === "if trusted";

function grantsAt(path: readonly string[], value: unknown, place: GrantPlace): readonly FolderGrant[] {
  const name = path.join(".");
  if (!Array.isArray(value)) return [{ name, path, value }, ...scriptGrants({ name, path }, value, place)];
  return value.flatMap((item: unknown): FolderGrant[] => {
    const one = { name: typeof item === "string" ? `${name} ${JSON.stringify(item)}` : name, path, item };
    return [{ ...one, value: item }, ...scriptGrants(one, item, place)];
  });
}

/** The scripts in the folder that it runs, as they are now: replacing one is as good as replacing what runs it. */
export function scriptGrants(
  of: Omit<FolderGrant, "value">,
  value: unknown,
  { folder, home }: GrantPlace,
  skillFolder = folder,
): readonly FolderGrant[] {
  const scripts = commandsIn(value).flatMap((command) => {
    const located = (text: string) => text.replaceAll(/\$\{?CLAUDE_(?:SKILL_DIR|PLUGIN_ROOT)\b\}?/g, () => skillFolder);
    return scriptsIn(typeof command === "string" ? located(command) : command.map(located), { cwd: folder, home });
  });
  return [...new Set(scripts)]
    .filter((path) => path.startsWith(`${folder}${sep}`))
    .map((path) => {
      const script = relative(folder, path);
      return { ...of, name: `${of.name}, which runs ${script}`, value: ["script", script, contentOf(path)] };
    });
}

/** Every command line in a value: a text under a key that holds one, or `command` and `args`. */
function commandsIn(value: unknown, depth = 6): readonly (string | readonly string[])[] {
  if (typeof value === "string") return [value];
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => commandsIn(isObject(each) ? each : undefined, depth - 1));
  const { command, args, ...others } = value as Record<string, unknown>;
  const inner = Object.values(others).flatMap((each) => (isObject(each) || Array.isArray(each) ? [each] : []));
  const own = typeof command !== "string" ? [] : Array.isArray(args) ? [[command, ...args.map(String)]] : [command];
  return [...own, ...inner.flatMap((each) => commandsIn(each, depth - 1))];
}

const MOST_SCRIPT_BYTES = 8 * 1024 * 1024;

function contentOf(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return "none";
      if (stat.size > MOST_SCRIPT_BYTES) return `${stat.size} ${stat.ctimeMs}`;
      return new Bun.CryptoHasher("sha256").update(readFileSync(fd)).digest("base64url");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "none";
  }
}

export function serverGrants(servers: RawServers): readonly FolderGrant[] {
  return servers.map(([name, value]) => ({
    name: `MCP server ${JSON.stringify(name)}`,
    path: ["mcpServers", name],
    value,
  }));
}

/** The jobs of a schedule file: prompts that nobody types. When one fired last is no part of it. */
export function jobGrants(tasks: unknown): readonly FolderGrant[] {
  return (Array.isArray(tasks) ? tasks : []).flatMap((task: unknown): FolderGrant[] => {
    if (!isObject(task) || typeof task["id"] !== "string") return [];
    const { id, cron, prompt, createdAt, recurring, permissionMode = null } = task;
    const value = { cron, prompt, createdAt, recurring: recurring === true, permissionMode };
    return [{ name: `scheduled job ${id}`, path: ["tasks", id], value }];
  });
}

/** What a record keeps of a grant. The same for entries that differ only in the order of their keys. */
export function grantDigest({ path, value }: FolderGrant): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([path, withSortedKeys(value)])).digest("base64url");
}

/** The settings without these grants. */
export function withoutGrants(settings: Settings, grants: readonly FolderGrant[]): Settings {
  const kept = structuredClone(settings) as Record<string, unknown>;
  for (const { path, item } of grants) {
    const holder = valueAt(kept, path.slice(0, -1));
    const name = path.at(-1)!;
    if (!isObject(holder)) continue;
    const list = holder[name];
    if (item === undefined || !Array.isArray(list)) delete holder[name];
    else holder[name] = list.filter((each) => !Bun.deepEquals(each, item));
  }
  return kept as Settings;
}
