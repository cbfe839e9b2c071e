// Reads which MCP servers run inside the client, from `initialize` or a server map. Invalid values are ignored.

import type { ServerManifest } from "@keelson/mcp";
import { isObject } from "@keelson/protocol";

export interface NamedServer {
  readonly name: string;
  /** Timeout of a call. */
  readonly timeoutMs?: number;
  /** The client's permission policy for each tool, by the server's own tool name. */
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
    return { ...serverFrom(name, own(configs, name)), ...(isObject(manifest) ? { manifest } : {}) };
  });
}

/** The servers in a map, as in `mcp_set_servers` and `--mcp-config`, and the names of all others in it. */
export function serversFromConfig(servers: unknown): { readonly sdk: NamedServer[]; readonly others: string[] } {
  const entries = Object.entries(isObject(servers) ? servers : {}).slice(0, MAX_SERVERS);
  const isSdk = ([name, config]: [string, unknown]) => isName(name) && isObject(config) && config["type"] === "sdk";
  return {
    sdk: entries.filter(isSdk).map(([name, config]) => serverFrom(name, config)),
    others: entries.filter((entry) => !isSdk(entry)).map(([name]) => name),
  };
}

function serverFrom(name: string, config: unknown): NamedServer {
  const { timeout, tools } = isObject(config) ? config : {};
  const policies = new Map<string, Policy>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && typeof tool["name"] === "string" && isPolicy(tool["permission_policy"])) {
      policies.set(tool["name"], tool["permission_policy"]);
    }
  }
  const limit = typeof timeout === "number" && timeout >= MIN_TIMEOUT_MS ? { timeoutMs: timeout } : {};
  return { name, policies, ...limit };
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_NAME_LENGTH;

const isPolicy = (value: unknown): value is Policy =>
  value === "always_allow" || value === "always_ask" || value === "always_deny";

const own = (map: unknown, key: string) => (isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined);
