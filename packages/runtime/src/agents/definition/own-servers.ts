// The MCP servers of an agent's own, checked as those of files are.

import { basename } from "node:path";
import type { ConfiguredMcp, Snapshot } from "@keelson/config";
import { checkServer } from "@keelson/config/mcp";
import { ruleName } from "@keelson/config/mcp-names";
import type { AgentDefinition, ConfiguredMcpServer, UnusedMcpServer } from "@keelson/protocol";

/** A name that the session already uses is not the agent's to take. */
export function ownServers({ mcpServers, untrusted }: AgentDefinition, snapshot: Snapshot): ConfiguredMcp {
  const { mcp, env, settings, sources } = snapshot;
  const taken = new Map(mcp.servers.map(({ name }) => [ruleName(name), name]));
  // With this file, only its servers are used, also if it has none.
  const isClosed = sources.some(({ path, stamp }) => basename(path) === "managed-mcp.json" && stamp !== "absent");
  const checked = mcpServers.flatMap((server) => {
    if (typeof server === "string") return [];
    const owner = taken.get(ruleName(server.name));
    if (owner === server.name) return [];
    const judged = checkServer(server.name, server.config, { scope: "agent", env, settings, trusted: !untrusted });
    if (owner !== undefined) return [without(judged, `rules cannot tell it from "${owner}"; rename it`)];
    taken.set(ruleName(server.name), server.name);
    return isClosed && !("why" in judged)
      ? [without(judged, "only MCP servers that your administrator set may be used")]
      : [judged];
  });
  return {
    servers: checked.flatMap((server) => ("config" in server ? [server] : [])),
    unused: checked.flatMap((server) => ("why" in server ? [server] : [])),
  };
}

const without = ({ name, scope, written }: ConfiguredMcpServer | UnusedMcpServer, why: string): UnusedMcpServer => ({
  name,
  scope,
  written,
  status: "disabled",
  why,
});
