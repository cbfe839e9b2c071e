// MCP servers as configuration describes them, after checking and expansion.

import type { JsonObject } from "../json.ts";

/** What every kind of server may set. */
interface McpServerOptions {
  /** The time limit of a call, in milliseconds. */
  readonly timeout?: number;
  /** The first request waits for this server, and its tools are never deferred. */
  readonly alwaysLoad?: boolean;
  readonly tools?: readonly McpToolPolicy[];
}

/** The permission policy of one tool, by the server's own name for it. */
export interface McpToolPolicy {
  readonly name: string;
  readonly permission_policy: "always_allow" | "always_ask" | "always_deny";
}

export interface McpStdioConfig extends McpServerOptions {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface McpOAuthConfig {
  readonly clientId?: string;
  readonly callbackPort?: number;
  readonly authServerMetadataUrl?: string;
  readonly scopes?: string;
}

export interface McpRemoteConfig extends McpServerOptions {
  readonly type: "http" | "sse" | "ws";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A command that prints more headers as a JSON object. */
  readonly headersHelper?: string;
  readonly oauth?: McpOAuthConfig;
}

/** A server inside the client. */
export interface McpSdkConfig extends McpServerOptions {
  readonly type: "sdk";
  readonly name: string;
}

/** A remote server behind a proxy that signs in for the user. */
export interface McpProxyConfig extends McpServerOptions {
  readonly type: "claudeai-proxy";
  readonly url: string;
  readonly id: string;
}

export type McpServerConfig = McpStdioConfig | McpRemoteConfig | McpSdkConfig | McpProxyConfig;

export type McpScope = "enterprise" | "managed" | "local" | "project" | "user" | "dynamic" | "plugin" | "agent";

/** A server that a session connects to. */
export interface ConfiguredMcpServer {
  readonly name: string;
  readonly scope: McpScope;
  readonly config: McpServerConfig;
  /** The entry as written, with nothing expanded: safe to show. */
  readonly written: JsonObject;
  /** The file that defines it. */
  readonly file?: string;
  /** Run its program inside the sandbox. */
  readonly confined?: boolean;
  /** A project server that the user has not approved. Headless sessions connect to it; a person is asked first. */
  readonly unapproved?: true;
  /** Of a folder that the user does not trust. */
  readonly untrusted?: true;
  /** The id of the plugin that it comes from. */
  readonly plugin?: string;
  /** Options of that plugin in the secret store: `${user_config.KEY}` is left for the connection to fill in. */
  readonly secretOptions?: readonly string[];
}

/** A server that is configured but not used, and why. */
export interface UnusedMcpServer {
  readonly name: string;
  readonly scope: McpScope;
  readonly written: JsonObject;
  readonly file?: string;
  /** `pending`: a project server that needs trust or approval. `failed`: the entry is not valid. */
  readonly status: "disabled" | "pending" | "failed";
  /** It was approved and has changed since. */
  readonly changed?: true;
  /** The user has not approved it yet. */
  readonly unapproved?: true;
  /** One sentence for people. */
  readonly why: string;
}

/** An entry of `allowedMcpServers` or `deniedMcpServers`: exactly one of the three. */
export interface McpServerPattern {
  readonly serverName?: string;
  /** The command and all its arguments. */
  readonly serverCommand?: readonly string[];
  /** `*` matches any text. */
  readonly serverUrl?: string;
}
