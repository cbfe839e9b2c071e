// Finds the MCP servers of all files and flags, highest precedence first, and says which sources are not used.

import { dirname } from "node:path";
import type { McpScope, UnusedMcpServer } from "@keelson/protocol";
import type { Environment } from "../env/env.ts";
import type { Gathered } from "../load/gather.ts";
import type { PluginServers } from "../plugins/collect.ts";
import { beliefIn, whyHeld, type Held } from "../trust/belief.ts";
import { serverGrants } from "../trust/grants.ts";
import { isTrustedIn, trustFix } from "../trust/trust.ts";
import { isReservedForPlugins, whyNoClientServers } from "./choice/policy.ts";
import { readServerFile, serversIn, type RawServers } from "./read-servers.ts";

export interface McpQuestion extends Pick<
  Gathered,
  "places" | "flags" | "settings" | "global" | "mcpFiles" | "trust" | "trusted" | "requireTrust" | "belief" | "held"
> {
  readonly env: Environment;
  readonly uid?: number | undefined;
  /** Servers of `--mcp-config` that are not inside the client. */
  readonly dynamic: Readonly<Record<string, unknown>>;
  /** Of the plugins that are used. */
  readonly plugins: readonly PluginServers[];
  readonly warn: (text: string) => void;
}

/** One server as it was found. */
export interface ServerCandidate {
  readonly name: string;
  readonly raw: unknown;
  readonly scope: McpScope;
  readonly file?: string;
  /** For a server of a plugin: what its placeholders stand for, and the options that are in the secret store. */
  readonly plugin?: Pick<PluginServers, "plugin" | "variables" | "secret">;
  /** For a project server of a folder that is not trusted: how to trust it. */
  readonly untrusted?: string;
  /** For a project server that nobody was asked about. */
  readonly unasked?: Held;
  /** Why no server of this source is used. */
  readonly off?: Pick<UnusedMcpServer, "status" | "why">;
}

/** Highest precedence first. */
export function candidatesOf(question: McpQuestion): readonly ServerCandidate[] {
  const { flags, settings, global, mcpFiles, uid, warn } = question;
  const from = (scope: McpScope, servers: RawServers, more: Partial<ServerCandidate> = {}): ServerCandidate[] =>
    servers.map(([name, raw]) => ({ name, raw, scope, ...more }));
  const dynamic = (off?: string) =>
    from(
      "dynamic",
      serversIn(question.dynamic, "--mcp-config", warn),
      off === undefined ? {} : { off: { status: "disabled", why: off } },
    );

  const enterprise = readServerFile(mcpFiles.managed, uid, warn);
  const off = whyNoClientServers({ settings, flags, exclusive: enterprise && mcpFiles.managed });
  if (enterprise !== undefined) {
    return [...from("enterprise", enterprise, { file: mcpFiles.managed }), ...dynamic(off)];
  }
  if (flags.strictMcpConfig) return dynamic(off);
  const managed = from("managed", serversIn(settings.managedMcpServers, "managed settings", warn));
  const plugins = pluginServers(question);
  if (isReservedForPlugins(settings)) {
    return [...managed, ...dynamic(off), ...plugins];
  }
  if (flags.safe) return [...managed, ...dynamic(off)];
  if (flags.bare) return [...managed, ...dynamic(), ...plugins];

  const { settingSources: wanted = ["user", "project", "local"] } = flags;
  const file = global.file;
  return [
    ...managed,
    ...dynamic(),
    ...(wanted.includes("local") ? from("local", serversIn(global.project["mcpServers"], file, warn), { file }) : []),
    ...(wanted.includes("project") ? projectServers(question) : []),
    ...(wanted.includes("user") ? from("user", serversIn(global.value["mcpServers"], file, warn), { file }) : []),
    ...plugins,
  ];
}

/** `plugin:<plugin>:<server>`, in the order the plugins are loaded. */
function pluginServers({ plugins }: McpQuestion): ServerCandidate[] {
  return plugins.flatMap(({ servers, ...plugin }) =>
    servers.map(({ name, raw, file }) => ({
      name: `plugin:${plugin.plugin.name}:${name}`,
      raw,
      scope: "plugin" as const,
      file,
      plugin,
    })),
  );
}

/** The nearest file comes first. */
function projectServers(question: McpQuestion): ServerCandidate[] {
  const { mcpFiles, places, global, trusted, requireTrust, uid, warn } = question;
  const root = places.projectRoot ?? places.cwd;
  return mcpFiles.project.flatMap((file) => {
    const servers = readServerFile(file, uid, warn) ?? [];
    if (servers.length === 0) return [];
    const folder = dirname(file);
    // Trust does not extend to other folders, neither inside nor around.
    const isTrusted = trusted && (folder === root || isTrustedIn(global.value, folder));
    const fix = isTrusted ? {} : { untrusted: trustFix(trusted ? folder : root) };
    const why = `trust is required and this folder is not trusted; to trust it, ${fix.untrusted}`;
    const off = requireTrust && !isTrusted ? { off: { status: "pending", why } as const } : {};
    const unasked = unaskedIn(folder, isTrusted, question);
    return servers.map(([name, raw]) => {
      const held = unasked(file, [name, raw]);
      return { name, raw, scope: "project" as const, file, ...fix, ...off, ...(held ? { unasked: held } : {}) };
    });
  });
}

/** What of the servers of a folder nobody was asked about. */
function unaskedIn(folder: string, isTrusted: boolean, { places, belief: ofRoot, uid }: McpQuestion) {
  const { configDir, home } = places;
  const isRoot = folder === (places.projectRoot ?? places.cwd);
  const place = isRoot ? ofRoot : isTrusted ? { folder, inherited: false, configDir, home, uid } : undefined;
  const belief = place && beliefIn(place);
  return (file: string, server: readonly [string, unknown]): Held | undefined => {
    const names = belief?.(file, serverGrants([server])).map(({ name }) => name) ?? [];
    if (place === undefined || names.length === 0) return undefined;
    return { folder, file, names, why: whyHeld({ ...place, fix: trustFix(folder) }) };
  };
}
