// Decides which of the configured language servers may be used, and why others may not. Loaded only if there is one.
// Settings of a folder that is not trusted do not get here: `lspServers` is removed from them, as is all that runs.

import { isAbsolute, join } from "node:path";
import {
  isObject,
  type ConfiguredLanguageServer,
  type LanguageServerScope,
  type Plugin,
  type RuleSource,
  type UnusedLanguageServer,
} from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { Environment } from "../env/env.ts";
import type { Gathered } from "../load/gather.ts";
import { expander, TooLong } from "../mcp/entry/expand.ts";
import type { ConfiguredLanguageServers } from "../load/snapshot.ts";
import { checkLanguageServer } from "./entry.ts";

/** A plugin with language servers, and what its placeholders stand for. */
export interface PluginLanguageServers {
  readonly plugin: Plugin;
  readonly variables: Readonly<Record<string, string>>;
  readonly secret: readonly string[];
}

export interface LanguageServerQuestion extends Pick<Gathered, "places" | "flags" | "settings" | "scopes"> {
  readonly env: Environment;
  readonly plugins: readonly PluginLanguageServers[];
  readonly warn: (text: string) => void;
}

interface Candidate {
  readonly name: string;
  readonly raw: unknown;
  readonly scope: LanguageServerScope;
  readonly file?: string;
  readonly plugin?: PluginLanguageServers;
  readonly off?: string;
}

const SCOPES: Readonly<Partial<Record<RuleSource, LanguageServerScope>>> = {
  policySettings: "managed",
  flagSettings: "flag",
  localSettings: "local",
  projectSettings: "project",
  userSettings: "user",
};
const MEMORY_MB = 4_096;
const MOST_SERVERS = 200;

export function collectLanguageServers(question: LanguageServerQuestion): ConfiguredLanguageServers {
  const servers: ConfiguredLanguageServer[] = [];
  const unused: UnusedLanguageServer[] = [];
  const taken = new Set<string>();
  for (const candidate of candidatesOf(question).slice(0, MOST_SERVERS)) {
    const { name } = candidate;
    // The usual precedence: nothing to report.
    if (taken.has(name)) continue;
    taken.add(name);
    const judged = judge(candidate, question);
    if ("why" in judged) unused.push(judged);
    else servers.push(judged);
  }
  return { servers, unused };
}

/** Highest precedence first. */
function candidatesOf(question: LanguageServerQuestion): readonly Candidate[] {
  const { scopes, settings, flags, plugins } = question;
  const reserved = settings.strictPluginOnlyCustomization;
  const onlyPlugins = Array.isArray(reserved) ? reserved.includes("lsp") : reserved !== undefined && reserved !== false;
  const offFor = (scope: LanguageServerScope): { readonly off?: string } => {
    if (flags.restricted) return { off: "--restricted runs no programs" };
    if (scope === "managed") return {};
    if (flags.safe) return { off: "--safe-mode skips it" };
    if (!onlyPlugins || scope === "plugin") return {};
    return { off: "Managed settings allow only language servers of plugins (strictPluginOnlyCustomization)" };
  };
  const own = scopes.toReversed().flatMap(({ source, file, settings: { lspServers } }): Candidate[] => {
    const scope = SCOPES[source];
    if (scope === undefined || !isObject(lspServers)) return [];
    const more = { scope, ...(file === undefined ? {} : { file }), ...offFor(scope) };
    return Object.entries(lspServers).map(([name, raw]) => ({ name, raw, ...more }));
  });
  const ofPlugins = plugins.flatMap((plugin): Candidate[] => {
    const { name: owner, lspServers, root } = plugin.plugin;
    return Object.entries(lspServers).map(([name, raw]) => {
      return { name: `plugin:${owner}:${name}`, raw, scope: "plugin", file: root, plugin, ...offFor("plugin") };
    });
  });
  return [...own, ...ofPlugins];
}

function judge(
  candidate: Candidate,
  { env, settings, places, warn }: LanguageServerQuestion,
): ConfiguredLanguageServer | UnusedLanguageServer {
  const { name, raw, scope, file, plugin, off } = candidate;
  const known = { name, scope, ...(file === undefined ? {} : { file }) };
  const place = `${file ?? "--settings"}: language server "${printable(name)}"`;
  if (off !== undefined) return { ...known, why: off };
  const checked = check(raw, {
    expand: expander(plugin ? { ...env, ...plugin.variables } : env),
    memoryLimitMb: settings.lspMemoryLimitMb ?? MEMORY_MB,
    resolve: (path) => (isAbsolute(path) ? path : join(places.cwd, path)),
  });
  if ("problem" in checked) {
    warn(`${place} ${checked.problem}; it is not used`);
    return { ...known, why: `It ${checked.problem}` };
  }
  for (const note of checked.notes) warn(`${place}: ${note}`);
  const { entry } = checked;
  return {
    ...known,
    ...entry,
    ...(settings.lspDiagnostics === false ? { diagnostics: false } : {}),
    ...(isConfined(name, settings.sandbox) ? { confined: true as const } : {}),
    ...(plugin ? ownedBy(plugin, entry.env) : {}),
  };
}

function check(...[raw, options]: Parameters<typeof checkLanguageServer>): ReturnType<typeof checkLanguageServer> {
  try {
    return checkLanguageServer(raw, options);
  } catch (error) {
    if (error instanceof TooLong) return { problem: "is too long after its variables were expanded" };
    throw error;
  }
}

/** `*` is for all that are not named. */
function isConfined(name: string, sandbox: LanguageServerQuestion["settings"]["sandbox"]): boolean {
  const { lspServers = {} } = sandbox ?? {};
  return (Object.hasOwn(lspServers, name) ? lspServers[name] : lspServers["*"]) === true;
}

/** Programs of a plugin know where it is. */
function ownedBy({ plugin: { id }, variables, secret }: PluginLanguageServers, env: Readonly<Record<string, string>>) {
  const { CLAUDE_PLUGIN_ROOT = "", CLAUDE_PLUGIN_DATA = "" } = variables;
  return {
    env: { ...env, CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA },
    plugin: id,
    ...(secret.length > 0 ? { secretOptions: secret } : {}),
  };
}
