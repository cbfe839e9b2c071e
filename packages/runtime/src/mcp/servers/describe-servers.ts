// What the model and clients are told about the servers: their state, their instructions, their prompts.

import type { McpServerTool } from "@keelson/mcp";
import { toolName } from "@keelson/mcp/naming";
import type { ReplyTo, UnusedMcpServer } from "@keelson/protocol";
import type { ManagedServer, ServerStatus } from "./server.ts";

/** A prompt of a server, as clients list commands. */
export interface McpCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
}

export interface ServerSummary {
  readonly name: string;
  readonly status: ServerStatus;
  readonly source: string;
}

export function describeInstructions(servers: readonly ManagedServer[]) {
  return servers.flatMap(({ name, instructions }) => (instructions === undefined ? [] : [{ name, instructions }]));
}

export function describePrompts(servers: readonly ManagedServer[]): readonly McpCommand[] {
  return servers.flatMap(({ name: server, knownPrompts }) =>
    knownPrompts.map(({ name, description = "", arguments: args }) => ({
      name: toolName(server, name),
      description,
      argumentHint: args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(" "),
    })),
  );
}

export function summarizeServers(
  servers: readonly ManagedServer[],
  unused: readonly UnusedMcpServer[],
): readonly ServerSummary[] {
  return [
    ...servers.map(({ name, status, definition }) => ({ name, status, source: definition.source })),
    ...unused.map(({ name, status, scope }) => ({ name, status, source: scope })),
  ];
}

export function describeServers(
  servers: readonly ManagedServer[],
  unused: readonly UnusedMcpServer[],
  stderrOf: (name: string) => string,
): ReplyTo<"mcp_status">["mcpServers"] {
  const all = servers.map((server) => {
    const stderr = server.status === "failed" ? stderrOf(server.name).trim() : "";
    return { ...describeServer(server), ...(stderr === "" ? {} : { stderr }) };
  });
  return [...all, ...unused.map(describeUnused)];
}

const describeServer = ({ name, status, error, connection, definition, tools }: ManagedServer) => ({
  name,
  status,
  ...(connection?.facts?.serverInfo ? { serverInfo: connection.facts.serverInfo } : {}),
  ...(error !== undefined && status !== "connected" && status !== "disabled" ? { error } : {}),
  ...(definition.configured ? { config: definition.configured.written } : {}),
  transport: definition.transport,
  scope: definition.scope,
  source: definition.source,
  ...(connection ? { tools: tools.map(describeTool) } : {}),
});

const describeUnused = ({ name, status, scope, why, written }: UnusedMcpServer) => ({
  name,
  status,
  error: why,
  config: written,
  scope,
  source: scope,
});

const describeTool = ({ facts: { name, annotations } }: McpServerTool) => ({ name, annotations });
