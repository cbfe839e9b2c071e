// The resources of MCP servers, for the tools that list and read them.

import { coversTool, ToolError, type Rule } from "@keelson/engine";
import type { McpConnection } from "@keelson/mcp";
import { toolName } from "@keelson/mcp/naming";
import type { McpResources } from "@keelson/tools/mcp";
import type { McpServers } from "../servers/servers.ts";

/** Whether a rule denies the server as a whole: then it offers no resources either. */
export function isDenied(server: string, rules: readonly Rule[]): boolean {
  return rules.some((rule) => rule.behavior === "deny" && coversTool(rule, toolName(server, ANY)));
}

export function serverResources(
  servers: McpServers,
  rules: () => readonly Rule[],
  save: McpResources["save"],
): McpResources {
  const use = async <T>(name: string, signal: AbortSignal, act: (connection: McpConnection) => Promise<T>) => {
    const server = servers.get(name);
    if (!server || isDenied(name, rules())) throw new ToolError(`Server "${name}" not found`);
    return server.use(signal, act);
  };
  return {
    servers: () =>
      servers.all.flatMap(({ name, connection }) =>
        connection?.facts?.hasResources && !isDenied(name, rules()) ? [name] : [],
      ),
    list: (name, signal) => use(name, signal, (connection) => connection.listResources(signal)),
    read: (name, uri, signal) => use(name, signal, (connection) => connection.readResource(uri, signal)),
    save,
  };
}

/** No rule names it, so only a rule for the whole server covers it. */
const ANY = "any";
