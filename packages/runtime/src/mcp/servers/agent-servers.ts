// The servers that only one agent uses. Loaded with the first such agent.

import type { ConfiguredMcp } from "@keelson/config";
import type { Rule, Tool } from "@keelson/engine";
import type { ToolOrigin } from "./offered-tools.ts";
import { serverFromConfiguration } from "./server-config.ts";
import type { McpServers } from "./servers.ts";

export interface AgentServers {
  /** Changes whenever the tools do. */
  readonly version: number;
  tools(): readonly Tool[];
  originOf(tool: string): ToolOrigin | undefined;
  /** Those that still connect, for a model that has these tools; undefined if it knows. */
  takeNotice(tools: readonly Tool[], rules: readonly Rule[]): string | undefined;
  /** Resolves when the server that may offer this tool has connected or failed; undefined if none is connecting. */
  awaitTool(name: string, signal: AbortSignal): Promise<void> | undefined;
  whyMissing(name: string): string | undefined;
  close(): Promise<void>;
}

interface AgentServersOptions {
  /** Where they are added. */
  readonly own: McpServers;
  readonly sessions: McpServers | undefined;
  warn(text: string): void;
}

/** Resolves when they have connected or failed, or requests do not wait for them any longer. */
export async function openAgentServers(
  { servers: checked, unused }: ConfiguredMcp,
  { own, sessions, warn }: AgentServersOptions,
  signal: AbortSignal,
): Promise<AgentServers> {
  for (const { name, why } of unused) warn(`An agent starts without the MCP server "${name}": ${why}`);
  own.configure(checked.filter(({ name }) => !sessions?.hasLike(name)).map(serverFromConfiguration), []);
  own.start();
  await own.ready(signal);
  for (const { name, status } of own.summary())
    if (status !== "connected" && status !== "pending")
      warn(`An agent starts without the MCP server "${name}", which is ${status}`);
  return own;
}
