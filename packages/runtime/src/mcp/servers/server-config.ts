// The MCP servers of a session, from the client's `initialize`, from server maps and from configuration. Invalid values
// are ignored.

import type { ServerManifest } from "@keelson/mcp";
import {
  isObject,
  type ConfiguredMcpServer,
  type JsonObject,
  type McpScope,
  type McpServerConfig,
} from "@keelson/protocol";

export interface NamedServer {
  readonly name: string;
  /** The client that set it while the session runs, and with which it goes. Servers of flags are the first one's. */
  readonly client?: string;
  /** Absent for servers inside a client. */
  readonly configured?: ConfiguredMcpServer;
  readonly scope: McpScope;
  /** What clients see of where it comes from. */
  readonly source: string;
  readonly transport: McpServerConfig["type"];
  readonly isRemote: boolean;
  /** The first request waits for it, and its tools are never deferred. */
  readonly alwaysLoad: boolean;
  /** Timeout of a call. */
  readonly timeoutMs?: number;
  /** The permission policy for each tool, by the server's own tool name. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly manifest?: ServerManifest;
}

export type Policy = "always_allow" | "always_ask" | "always_deny";

const MAX_SERVERS = 200;
const MAX_NAME_LENGTH = 200;
const MIN_TIMEOUT_MS = 1_000;

/** The servers in an `initialize` request. */
export function serversFromInitialize(request: {
  readonly sdkMcpServers?: unknown;
  readonly sdkMcpServerConfigs?: unknown;
  readonly sdkMcpServerManifests?: unknown;
}): NamedServer[] {
  const { sdkMcpServers: names, sdkMcpServerConfigs: configs, sdkMcpServerManifests: manifests } = request;
  if (!Array.isArray(names)) return [];
  return [...new Set(names.filter(isName))].slice(0, MAX_SERVERS).map((name) => {
    const manifest = own(manifests, name);
    return { ...sdkServer(name, own(configs, name)), ...(isObject(manifest) ? { manifest } : {}) };
  });
}

/** The servers inside the client in a map, as in `mcp_set_servers` and `--mcp-config`, and all other entries. */
export function serversFromConfig(servers: unknown): { readonly sdk: NamedServer[]; readonly others: JsonObject } {
  const entries = Object.entries(isObject(servers) ? servers : {}).slice(0, MAX_SERVERS);
  const isSdk = ([name, config]: [string, unknown]) => isName(name) && isObject(config) && config["type"] === "sdk";
  return {
    sdk: entries.filter(isSdk).map(([name, config]) => sdkServer(name, config)),
    others: Object.fromEntries(entries.filter((entry) => !isSdk(entry))) as JsonObject,
  };
}

/** A server that a file or a flag defines. */
export function serverFromConfiguration(configured: ConfiguredMcpServer): NamedServer {
  const { name, scope, config } = configured;
  return {
    name,
    configured,
    scope,
    source: scope,
    transport: config.type,
    isRemote: config.type !== "stdio",
    ...optionsOf(config),
  };
}

function sdkServer(name: string, config: unknown): NamedServer {
  return { name, scope: "dynamic", source: "sdk", transport: "sdk", isRemote: false, ...optionsOf(config) };
}

function optionsOf(config: unknown): Pick<NamedServer, "policies" | "timeoutMs" | "alwaysLoad"> {
  const { timeout, tools, alwaysLoad } = isObject(config) ? config : {};
  const policies = new Map<string, Policy>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && typeof tool["name"] === "string" && isPolicy(tool["permission_policy"])) {
      policies.set(tool["name"], tool["permission_policy"]);
    }
  }
  const limit = typeof timeout === "number" && timeout >= MIN_TIMEOUT_MS ? { timeoutMs: timeout } : {};
  return { policies, alwaysLoad: alwaysLoad === true, ...limit };
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_NAME_LENGTH;

const isPolicy = (value: unknown): value is Policy =>
  value === "always_allow" || value === "always_ask" || value === "always_deny";

const own = (map: unknown, key: string) => (isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined);
