// The servers that only one agent uses. Loaded with the first such agent.

import type { ConfiguredMcp } from "@keelson/config";
import type { Tool } from "@keelson/engine";
import type { ToolOrigin } from "./offered-tools.ts";
import { serverFromConfiguration } from "./server-config.ts";
import type { McpServers } from "./servers.ts";

export interface AgentServers {
  tools(): readonly Tool[];
  originOf(tool: string): ToolOrigin | undefined;
  close(): Promise<void>;
}

interface AgentServersOptions {
  /** Where they are added. */
  readonly own: McpServers;
  readonly sessions: McpServers | undefined;
  warn(text: string): void;
}

/** Resolves when they have connected or failed. */
export async function openAgentServers(
  { servers: checked, unused }: ConfiguredMcp,
  { own, sessions, warn }: AgentServersOptions,
  signal: AbortSignal,
): Promise<AgentServers> {
  for (const { name, why } of unused) warn(`An agent starts without the MCP server "${name}": ${why}`);
  own.configure(checked.filter(({ name }) => !sessions?.hasLike(name)).map(serverFromConfiguration), []);
  own.start();
  await own.settled(signal);
  for (const { name, status } of own.summary())
    if (status !== "connected") warn(`An agent starts without the MCP server "${name}", which is ${status}`);
  return { tools: () => own.tools(), originOf: (tool) => own.originOf(tool), close: () => own.close() };
}
