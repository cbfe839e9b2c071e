// The servers a client says live inside it, however it says so. What does not fit is left out.

import type { ServerManifest } from "@keelson/mcp";
import { isObject } from "@keelson/protocol";

export interface NamedServer {
  readonly name: string;
  /** The longest a call may take. */
  readonly timeoutMs?: number;
  /** What the client decided beforehand about single tools, by the server's own names. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly manifest?: ServerManifest;
}

export type Policy = "always_allow" | "always_ask" | "always_deny";

const MOST_SERVERS = 200;
const LONGEST_NAME = 200;
const SHORTEST_TIMEOUT = 1_000;

/** Those of an `initialize` request. */
export function namedInInitialize(request: {
  readonly sdkMcpServers?: unknown;
  readonly sdkMcpServerConfigs?: unknown;
  readonly sdkMcpServerManifests?: unknown;
}): NamedServer[] {
  const { sdkMcpServers: names, sdkMcpServerConfigs: configs, sdkMcpServerManifests: manifests } = request;
  if (!Array.isArray(names)) return [];
  return [...new Set(names.filter(isName))].slice(0, MOST_SERVERS).map((name) => {
    const manifest = own(manifests, name);
    return { ...configured(name, own(configs, name)), ...(isObject(manifest) ? { manifest } : {}) };
  });
}

/** Those of a map such as `mcp_set_servers` and `--mcp-config` carry, and the names of all others in it. */
export function namedInMap(servers: unknown): { readonly sdk: NamedServer[]; readonly others: string[] } {
  const entries = Object.entries(isObject(servers) ? servers : {}).slice(0, MOST_SERVERS);
  const isSdk = ([name, config]: [string, unknown]) => isName(name) && isObject(config) && config["type"] === "sdk";
  return {
    sdk: entries.filter(isSdk).map(([name, config]) => configured(name, config)),
    others: entries.filter((entry) => !isSdk(entry)).map(([name]) => name),
  };
}

function configured(name: string, config: unknown): NamedServer {
  const { timeout, tools } = isObject(config) ? config : {};
  const policies = new Map<string, Policy>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && typeof tool["name"] === "string" && isPolicy(tool["permission_policy"])) {
      policies.set(tool["name"], tool["permission_policy"]);
    }
  }
  const limit = typeof timeout === "number" && timeout >= SHORTEST_TIMEOUT ? { timeoutMs: timeout } : {};
  return { name, policies, ...limit };
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_NAME;

const isPolicy = (value: unknown): value is Policy =>
  value === "always_allow" || value === "always_ask" || value === "always_deny";

const own = (map: unknown, key: string) => (isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined);
