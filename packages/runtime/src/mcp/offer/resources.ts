// The resources of MCP servers, for the tools that list and read them.

import { ToolError } from "@keelson/engine";
import type { McpConnection } from "@keelson/mcp";
import type { McpResources } from "@keelson/tools/mcp";
import type { McpServers } from "../servers/servers.ts";

export function serverResources(servers: McpServers, save: McpResources["save"]): McpResources {
  const use = async <T>(name: string, signal: AbortSignal, act: (connection: McpConnection) => Promise<T>) => {
    const server = servers.get(name);
    if (!server) throw new ToolError(`Server "${name}" not found`);
    return server.use(signal, act);
  };
  return {
    servers: () => servers.all.flatMap(({ name, connection }) => (connection?.facts?.hasResources ? [name] : [])),
    list: (name, signal) => use(name, signal, (connection) => connection.listResources(signal)),
    read: (name, uri, signal) => use(name, signal, (connection) => connection.readResource(uri, signal)),
    save,
  };
}
