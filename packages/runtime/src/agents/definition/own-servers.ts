// The MCP servers of an agent's own, checked as those of files are.

import { basename } from "node:path";
import type { ConfiguredMcp, Snapshot } from "@keelson/config";
import { checkServer } from "@keelson/config/mcp";
import type { AgentDefinition } from "@keelson/protocol";

/** A name that the session already uses is not the agent's to take. */
export function ownServers({ mcpServers, untrusted }: AgentDefinition, snapshot: Snapshot): ConfiguredMcp {
  const { mcp, env, settings, sources } = snapshot;
  const taken = new Set(mcp.servers.map(({ name }) => name));
  // With this file, only its servers are used, also if it has none.
  const isClosed = sources.some(({ path, stamp }) => basename(path) === "managed-mcp.json" && stamp !== "absent");
  const checked = mcpServers.flatMap((server) => {
    if (typeof server === "string" || taken.has(server.name)) return [];
    taken.add(server.name);
    const judged = checkServer(server.name, server.config, { scope: "agent", env, settings, trusted: !untrusted });
    if (!isClosed || "why" in judged) return [judged];
    const { name, scope, written } = judged;
    return [{ name, scope, written, status: "disabled" as const, why: "An administrator chooses the servers" }];
  });
  return {
    servers: checked.flatMap((server) => ("config" in server ? [server] : [])),
    unused: checked.flatMap((server) => ("why" in server ? [server] : [])),
  };
}
