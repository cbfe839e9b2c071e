// `allowedMcpServers` and `deniedMcpServers`: which servers may be used, wherever they are configured, and which run
// in the sandbox. Also whether a client may bring any. Pure.

import type * as Pattern from "@keelson/engine/pattern";
import type { ConfiguredMcpServer, McpScope, McpServerPattern, Settings } from "@keelson/protocol";
import type { Flags } from "../../load/snapshot.ts";
import { ruleName } from "../entry/names.ts";

export type ServerVerdict = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

type Judged = Pick<ConfiguredMcpServer, "name" | "config" | "written">;

/**
 * Deny wins. Without an allow list every server is allowed; an empty one allows none. `settings` are those in effect.
 * If the allow list has commands, a program must be one of them, whatever its name; URLs likewise.
 */
export function isServerAllowed(
  server: Judged,
  {
    allowedMcpServers: allowed,
    deniedMcpServers: denied = [],
  }: Pick<Settings, "allowedMcpServers" | "deniedMcpServers">,
): ServerVerdict {
  if (denied.some((pattern) => denies(pattern, server))) return { allowed: false, why: "deniedMcpServers names it" };
  // A client's own servers run inside the client, which needs no permission for what it can do anyway.
  if (allowed === undefined || server.config.type === "sdk") return { allowed: true };
  const has = (key: keyof McpServerPattern) => allowed.some((pattern) => pattern[key] !== undefined);
  const byName = () => allowed.some(({ serverName }) => serverName === server.name);
  const isAllowed =
    server.config.type === "stdio"
      ? has("serverCommand")
        ? allowed.some(({ serverCommand: words }) => words !== undefined && isSame(words, commandOf(server)))
        : byName()
      : has("serverUrl")
        ? allowed.some(({ serverUrl: url }) => url !== undefined && matchesUrl(server.config, url))
        : byName();
  return isAllowed ? { allowed: true } : { allowed: false, why: "allowedMcpServers does not name it" };
}

/** Why no server is used that a client names, on the command line or later; undefined if they are. */
export function whyNoClientServers({ settings, flags, exclusive }: ClientServersQuestion): string | undefined {
  if (exclusive !== undefined) return `only the servers in ${exclusive} may be used; ask your administrator`;
  if (isReservedForPlugins(settings))
    return "managed settings allow only MCP servers of plugins (strictPluginOnlyCustomization)";
  return flags.safe && !flags.strictMcpConfig ? "--safe-mode skips it" : undefined;
}

export interface ClientServersQuestion {
  readonly settings: Pick<Settings, "strictPluginOnlyCustomization">;
  readonly flags: Pick<Flags, "safe" | "strictMcpConfig">;
  /** The administrator's file of servers, if there is one. */
  readonly exclusive: string | undefined;
}

/** True for `true` and for a list with "mcp". An invalid value also restricts: the administrator meant to. */
export function isReservedForPlugins({
  strictPluginOnlyCustomization: value,
}: Pick<Settings, "strictPluginOnlyCustomization">): boolean {
  return Array.isArray(value) ? value.includes("mcp") : value !== undefined && value !== false;
}

/** Whether a program runs in the sandbox. */
export function isConfined(name: string, scope: McpScope, { sandbox = {} }: Pick<Settings, "sandbox">): boolean {
  const { mcpServers = {}, projectMcpServers } = sandbox;
  if (Object.hasOwn(mcpServers, name)) return mcpServers[name] === true;
  return scope === "project" && projectMcpServers === true;
}

/** Read broadly: as written or expanded, and under every name that rules take for the same. */
function denies({ serverName, serverCommand, serverUrl }: McpServerPattern, server: Judged): boolean {
  if (serverName !== undefined) return ruleName(serverName) === ruleName(server.name);
  if (serverCommand !== undefined) {
    const { command, args } = server.written;
    const written = [command, ...(Array.isArray(args) ? args.map(String) : [])];
    return isSame(serverCommand, commandOf(server)) || isSame(serverCommand, written);
  }
  if (serverUrl === undefined || !("url" in server.config)) return false;
  const urls = [server.config.url, URL.parse(server.config.url)?.href, server.written["url"]];
  return (
    urls.some((url) => typeof url === "string" && patterns().wildcard(serverUrl, url)) ||
    matchesUrl(server.config, serverUrl)
  );
}

function commandOf({ config }: Judged): readonly string[] {
  return config.type === "stdio" ? [config.command, ...config.args] : [];
}

const isSame = (wanted: readonly string[], words: readonly unknown[]) =>
  wanted.length === words.length && wanted.every((word, at) => word === words[at]);

function matchesUrl(config: Judged["config"], pattern: string): boolean {
  const url = "url" in config ? URL.parse(config.url) : null;
  return url !== null && patterns().isAllowedUrl(url, [pattern]);
}

/** Loaded only for a list with URLs: 2.5 ms. */
const patterns = () => require("@keelson/engine/pattern") as typeof Pattern;
