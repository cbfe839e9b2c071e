// The tools that list and read the resources of MCP servers. They are there if a server has any.

import type { Rule, Tool } from "@keelson/engine";
import {
  listMcpResourcesTool,
  readMcpResourceDirTool,
  readMcpResourceTool,
  type McpResources,
} from "@keelson/tools/mcp";
import type { McpServers } from "../servers/servers.ts";
import { isDenied, serverResources } from "./resources.ts";

export { isDenied };

/** Empty while no server has resources. */
export type ResourceTools = () => readonly Tool[];

export function resourceTools(
  servers: McpServers,
  rules: () => readonly Rule[],
  save: McpResources["save"],
): ResourceTools {
  const resources = serverResources(servers, rules, save);
  const tools = [listMcpResourcesTool(resources), readMcpResourceTool(resources), readMcpResourceDirTool(resources)];
  return () => (resources.servers().length > 0 ? tools : []);
}
