// The resources of MCP servers, for the tools that list and read them.

import type { McpResources } from "@keelson/tools/mcp";
import type { McpServers } from "./servers.ts";

export function serverResources({
  servers,
  saveBlob,
}: {
  readonly servers: McpServers;
  saveBlob(name: string, bytes: Uint8Array): Promise<string>;
}): McpResources {
  const serverOf = (name: string) => {
    const server = servers.get(name);
    if (!server) throw new Error(`Server "${name}" not found`);
    return server;
  };
  return {
    servers: () => servers.all.filter(({ status }) => status !== "disabled").map(({ name }) => name),
    list: (name, signal) => serverOf(name).use(signal, (connection) => connection.listResources(signal)),
    read: (name, uri, signal) => serverOf(name).use(signal, (connection) => connection.readResource(uri, signal)),
    saveBlob,
  };
}
