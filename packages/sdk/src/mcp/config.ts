// MCP servers as callers configure them, and as the program reports them.

import type { McpServerInstance } from "./shapes.ts";

type Always = {
  /** Milliseconds a call may take. */
  timeout?: number;
  /** Offer its tools from the start, never only on demand. */
  alwaysLoad?: boolean;
};

export type McpServerToolPolicy = {
  name: string;
  permission_policy?: "always_allow" | "always_ask" | "always_deny";
};

export type McpStdioServerConfig = Always & {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
};

export type McpSSEServerConfig = Always & {
  type: "sse";
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
};

export type McpHttpServerConfig = Always & {
  type: "http";
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
};

export type McpSdkServerConfig = Always & { type: "sdk"; name: string; tools?: McpServerToolPolicy[] };

/** A server that runs in this process. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & { instance: McpServerInstance };

export type McpServerConfig =
  McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig | McpSdkServerConfigWithInstance;

export type McpServerConfigForProcessTransport =
  McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig | McpSdkServerConfig;

export type McpClaudeAIProxyServerConfig = { type: "claudeai-proxy"; url: string; id: string };

export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;

export type McpServerStatus = {
  name: string;
  status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  serverInfo?: { name: string; version: string };
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
};

export type McpSetServersResult = { added: string[]; removed: string[]; errors: Record<string, string> };

/** Splits a record of servers into those that run in this process and those the program starts. */
export function splitServers(servers: Record<string, McpServerConfig> = {}) {
  const here: Record<string, McpSdkServerConfigWithInstance> = {};
  const elsewhere: Record<string, McpServerConfigForProcessTransport> = {};
  for (const [name, server] of Object.entries(servers)) {
    if (server.type === "sdk" && "instance" in server) here[name] = server;
    else elsewhere[name] = server;
  }
  return { here, elsewhere };
}
