// Requests about MCP servers. Without servers, lists are empty and every name is unknown.

import type { JsonObject } from "@keelson/protocol";
import {
  done,
  failed,
  fieldsIn,
  textIn,
  type ControlHandler,
  type ControlReply,
  type ControlRequestBody,
} from "../reply.ts";

export type { McpBridge } from "../mcp-bridge.ts";

/** The MCP servers of a session. A returned string says why something failed. */
export interface McpServers {
  status(): readonly object[];
  /** The server of a tool; undefined for built-in tools. */
  originOf(tool: string): { readonly server: string } | undefined;
  reconnect(name: string): Promise<string | undefined>;
  toggle(name: string, enabled: boolean): Promise<string | undefined>;
  setServers(servers: JsonObject): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }>;
  call(request: ControlRequestBody, signal: AbortSignal): Promise<ControlReply>;
  readResource(request: ControlRequestBody, signal: AbortSignal): Promise<ControlReply>;
  setModeOverride(name: string, mode: "default" | "auto" | null): ControlReply;
}

const notFound = (name: string) => failed(`Server not found: ${name}`);
const settled = (problem: string | undefined) => (problem === undefined ? done() : failed(problem));

export const mcpStatus: ControlHandler = (_request, { mcp }) => done({ mcpServers: mcp?.status() ?? [] });

export const mcpReconnect: ControlHandler = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  return mcp ? settled(await mcp.reconnect(name)) : notFound(name);
};

export const mcpToggle: ControlHandler = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  if (typeof request["enabled"] !== "boolean") return failed('mcp_toggle: "enabled" must be true or false');
  return mcp ? settled(await mcp.toggle(name, request["enabled"])) : notFound(name);
};

export const mcpSetServers: ControlHandler = async (request, { mcp }) => {
  const servers = fieldsIn(request, "servers");
  if (servers === undefined) return failed('mcp_set_servers: "servers" must be an object of servers by name');
  if (mcp) return done(await mcp.setServers(servers as JsonObject));
  // Clients expect a server that failed in both lists.
  const added = Object.keys(servers);
  const errors = Object.fromEntries(added.map((name) => [name, "MCP servers are not available in this version"]));
  return done({ added, removed: [], errors });
};

export const mcpCall: ControlHandler = (request, { mcp }, { signal }) => {
  const tool = textIn(request, "tool");
  return mcp ? mcp.call(request, signal) : failed(`MCP server not connected: ${tool.split("__")[1] ?? tool}`);
};

export const mcpReadResource: ControlHandler = (request, { mcp }, { signal }) => {
  const name = textIn(request, "serverName");
  textIn(request, "uri");
  return mcp ? mcp.readResource(request, signal) : failed(`MCP server not connected: ${name}`);
};

export const setMcpPermissionModeOverride: ControlHandler = (request, { mcp }) => {
  const name = textIn(request, "serverName");
  const { mode = null } = request;
  if (mode !== "default" && mode !== "auto" && mode !== null) {
    return failed('set_mcp_permission_mode_override: "mode" must be "default", "auto" or null');
  }
  return mcp ? mcp.setModeOverride(name, mode) : notFound(name);
};
