// Requests about MCP servers. Without servers, lists are empty and every name is unknown.

import type { ConfiguredMcp } from "@keelson/config";
import { coversTool } from "@keelson/engine";
import { toolName } from "@keelson/mcp/naming";
import type { JsonObject } from "@keelson/protocol";
import type { ManagedServer } from "../../mcp/servers/server.ts";
import { serverFromConfiguration, serversFromConfig } from "../../mcp/servers/server-config.ts";
import type { McpServers } from "../../mcp/servers/servers.ts";
import type { SessionSignIns } from "../../mcp/sign-in/session-sign-ins.ts";
import { FIRST_CLIENT } from "../../stream/clients.ts";
import { done, failed, fieldsIn, textIn, type ControlHandler } from "../reply.ts";

export type { McpBridge } from "../mcp-bridge.ts";

/** The MCP servers of a session. */
export interface McpTargets {
  /** Undefined until there is a server. */
  readonly servers: McpServers | undefined;
  /** The servers, loaded if they are not yet. */
  load(): McpServers;
  /** The sign-ins that clients start. */
  signIns(): Promise<SessionSignIns>;
  /** Checks the entries of a client as `--mcp-config` does, with the administrator's lists applied. */
  readConfig(entries: JsonObject): Promise<ConfiguredMcp>;
}

const notFound = (name: string) => failed(`Server not found: ${name}`);
const notConnected = (name: string) => failed(`MCP server not connected: ${name}`);
const isInClient = ({ definition }: ManagedServer) => definition.transport === "sdk";

export const mcpStatus: ControlHandler<"mcp_status"> = ({ stderr }, { mcp }) =>
  done({ mcpServers: mcp?.servers?.status({ stderr: stderr !== false }) ?? [] });

export const mcpReconnect: ControlHandler<"mcp_reconnect"> = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  const server = mcp?.servers?.get(name);
  if (!server) return notFound(name);
  if (isInClient(server)) {
    return failed(
      `mcp_reconnect does not support SDK MCP servers: "${name}" runs inside the client and stays connected with it`,
    );
  }
  if (server.status === "disabled") await mcp!.load().toggle(name, true);
  const current = mcp!.load().get(name) ?? server;
  await current.reconnect();
  return current.status === "connected"
    ? done()
    : failed(`Could not connect to "${name}": ${current.error ?? current.status}`);
};

/** Begins a sign-in. The reply has the address to open; `mcp_sign_in` reports how it ended. */
export const mcpAuthenticate: ControlHandler<"mcp_authenticate"> = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  const server = mcp?.servers?.get(name);
  if (!server) return notFound(name);
  return done(await (await mcp!.signIns()).begin(server, { browser: request.openBrowser === true }));
};

/** For a browser that cannot reach this machine: the address it ended at, or the code in it. */
export const mcpSubmitCode: ControlHandler<"mcp_submit_code"> = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  const code = textIn(request, "code");
  if (!mcp?.servers?.get(name)) return notFound(name);
  (await mcp.signIns()).submit(name, code);
  return done();
};

export const mcpToggle: ControlHandler<"mcp_toggle"> = async (request, { mcp }) => {
  const name = textIn(request, "serverName");
  if (typeof request.enabled !== "boolean") return failed('mcp_toggle: "enabled" must be true or false');
  if (!mcp?.servers?.get(name)) return notFound(name);
  await mcp.servers.toggle(name, request.enabled);
  return done();
};

/**
 * Replaces the servers that were set before; those of files and flags stay. A server that fails is listed as added and as
 * failed; one that takes too long connects in the background.
 */
export const mcpSetServers: ControlHandler<"mcp_set_servers"> = async (request, { mcp }, { signal, client }) => {
  const entries = fieldsIn(request, "servers");
  if (entries === undefined) return failed('mcp_set_servers: "servers" must be an object of servers by name');
  if (!mcp) return failed("mcp_set_servers is not available in this session");
  const { sdk, others } = serversFromConfig(entries);
  const { servers: configured, unused } = await mcp.readConfig(others);
  // Servers of a client that left in the meantime would stay.
  if (signal.aborted) return failed("mcp_set_servers was cancelled");
  const servers = mcp.load();
  const { added, removed } = servers.replace(
    [...sdk, ...configured.map(serverFromConfiguration)].map((server) => ({ ...server, client })),
    client,
  );
  servers.start();
  const wired = added.map(({ name }) => servers.get(name)!).filter((server) => !isInClient(server));
  await servers.waitForStart(wired, signal);
  const isTaken = (name: string) => (servers.get(name)?.definition.client ?? FIRST_CLIENT) !== client;
  const taken = [...sdk, ...configured].map(({ name }) => name).filter(isTaken);
  const broken = wired.filter(({ status }) => status !== "connected" && status !== "pending");
  return done({
    added: [...added, ...unused].map(({ name }) => name),
    removed,
    errors: Object.fromEntries([
      ...unused.map(({ name, why }) => [name, why] as const),
      ...taken.map((name) => [name, "Another client of this session has a server of this name"] as const),
      ...broken.map(({ name, error, status }) => [name, error ?? status] as const),
    ]),
  });
};

/** A client calls a tool itself. */
export const mcpCall: ControlHandler<"mcp_call"> = async (request, { mcp, permissions }, { signal }) => {
  const tool = textIn(request, "tool");
  if (permissions.rules.some((rule) => rule.behavior === "deny" && coversTool(rule, tool)))
    return failed(`mcp_call: a permission rule denies ${tool}`);
  await mcp?.servers?.awaitTool(tool, signal);
  const found = mcp?.servers?.offered.get(tool);
  if (!found) return noTool(tool, mcp?.servers);
  const { arguments: input = {} } = request;
  const result = await found.server.call(found.facts.name, input as JsonObject, { signal });
  return done({ content: result.raw, ...(result.isError ? { isError: true } : {}) });
};

function noTool(tool: string, servers: McpServers | undefined) {
  const [, name] = /^mcp__(.+?)__./.exec(tool) ?? [];
  if (name === undefined) return failed(`Not a fully-qualified MCP tool name: ${tool}`);
  const server = servers?.all.find((each) => each.connection && tool.startsWith(toolName(each.name, "")));
  return server ? failed(`MCP server "${server.name}" has no tool for the name ${tool}`) : notConnected(name);
}

export const mcpReadResource: ControlHandler<"mcp_read_resource"> = async (
  request,
  { mcp, permissions },
  { signal },
) => {
  const name = textIn(request, "serverName");
  const uri = textIn(request, "uri");
  const server = mcp?.servers?.get(name);
  if (!server) return notConnected(name);
  const { isDenied } = await import("../../mcp/offer/resources.ts");
  if (isDenied(name, permissions.rules))
    return failed(`mcp_read_resource: a permission rule denies the server "${name}"`);
  if (isInClient(server)) {
    return failed("mcp_read_resource does not support SDK MCP servers: the client can read its own resources");
  }
  return done({ contents: await server.use(signal, (connection) => connection.readResource(uri, signal)) });
};

/** Keelson only: what `@server:uri` can name. A server that does not answer has none. */
export const mcpListResources: ControlHandler<"mcp_list_resources"> = async (
  _request,
  { mcp, permissions },
  { signal },
) => {
  const { isDenied } = await import("../../mcp/offer/resources.ts");
  const offering = (mcp?.servers?.all ?? []).filter(
    ({ name, connection }) => connection?.facts?.hasResources && !isDenied(name, permissions.rules),
  );
  const lists = await Promise.all(
    offering.map(async (server) => {
      // One that does not answer has nothing to offer; the others do.
      const found = await server.use(signal, (connection) => connection.listResources(signal)).catch(() => []);
      return found.map(({ uri, name, description }) => ({
        server: server.name,
        uri,
        name,
        ...(description === undefined ? {} : { description }),
      }));
    }),
  );
  return done({ resources: lists.flat() });
};

export const setMcpPermissionModeOverride: ControlHandler<"set_mcp_permission_mode_override"> = (request, { mcp }) => {
  const name = textIn(request, "serverName");
  const { mode = null } = request;
  if (mode !== "default" && mode !== "auto" && mode !== null) {
    return failed('set_mcp_permission_mode_override: "mode" must be "default", "auto" or null');
  }
  if (mode === null) return done();
  // A client may set it before the server is there, and does not expect that to fail.
  const known = mcp?.servers?.get(name) !== undefined;
  const warning = known ? "This version ignores permission modes of individual servers" : `No MCP server "${name}" yet`;
  return done({ warning });
};
