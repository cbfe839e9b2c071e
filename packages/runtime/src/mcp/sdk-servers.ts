// The MCP servers inside the client: connects to them in the background, lists and calls their tools, turns them on and
// off. A session without servers does not load `@keelson/mcp`.

import type { Rule, Tool } from "@keelson/engine";
import type { McpConnection, McpServerTool } from "@keelson/mcp";
import type { JsonObject } from "@keelson/protocol";
import type { McpServers } from "../controls/handlers/mcp.ts";
import { done, failed, type ControlReply, type ControlRequestBody } from "../controls/reply.ts";
import { serversFromConfig, type NamedServer, type Policy } from "./server-config.ts";
import { connectTimeout, SdkServer, type SdkServerOptions } from "./sdk-server.ts";

/** How long a run waits for servers that are still connecting. */
const READY_MS = 5_000;

const BEHAVIORS = { always_allow: "allow", always_ask: "ask", always_deny: "deny" } as const;

export class SdkServers implements McpServers {
  readonly #options: SdkServerOptions;
  readonly #servers = new Map<string, SdkServer>();
  #used = false;

  constructor(options: SdkServerOptions) {
    this.#options = options;
  }

  /** Whether no server was ever added. */
  get isUnused(): boolean {
    return !this.#used;
  }

  /** Connects to new servers. Known ones stay as they are, because a client may initialize twice. */
  add(servers: readonly NamedServer[]): void {
    for (const named of servers) {
      if (this.#servers.has(named.name)) continue;
      this.#servers.set(named.name, new SdkServer(named, named.manifest, this.#options));
      this.#used = true;
    }
  }

  /**
   * Resolves when new servers have connected or failed and changed tool lists are loaded, or after a timeout. A late
   * server joins a later run.
   */
  async ready(signal: AbortSignal): Promise<void> {
    const awaited = [...this.#servers.values()].filter(
      ({ connection, waited }) => !waited || connection?.isStale === true,
    );
    if (awaited.length === 0 || signal.aborted) return;
    for (const server of awaited) server.waited = true;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(READY_MS, connectTimeout(this.#options.env)));
    const stop = () => resolve();
    signal.addEventListener("abort", stop);
    try {
      const all = awaited.map(async (server) => {
        await server.opened;
        await server.connection?.refreshTools();
      });
      await Promise.race([Promise.all(all), enough]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Sorted by name. */
  tools(): readonly Tool[] {
    return this.#offered()
      .filter(({ policy }) => policy !== "always_deny")
      .map(({ tool }) => tool)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The client's tool policies as command-line rules. Without `mayAllow`, allow rules are left out. */
  rules({ base, mayAllow }: { readonly base: string; readonly mayAllow: boolean }): readonly Rule[] {
    return this.#offered().flatMap(({ tool: { name }, policy }): Rule[] => {
      if (policy === undefined || (policy === "always_allow" && !mayAllow)) return [];
      return [{ behavior: BEHAVIORS[policy], tool: name, source: "cliArg", base, text: name }];
    });
  }

  /** The server of a tool, with the names the server and the tool have on their own side. */
  originOf(tool: string): ToolOrigin | undefined {
    const found = this.#offered().find((each) => each.tool.name === tool);
    if (!found) return undefined;
    const { name, title } = found.facts;
    return { server: found.server, source: "sdk", tool: name, ...(title === undefined ? {} : { title }) };
  }

  /** Instructions of the servers for the model, in the order the servers were added. */
  instructions(): readonly { readonly name: string; readonly instructions: string }[] {
    return [...this.#servers.values()].flatMap(({ connection, name }) => {
      const instructions = connection?.facts?.instructions;
      return instructions === undefined ? [] : [{ name, instructions }];
    });
  }

  /** For `system/init`. */
  summary(): readonly { readonly name: string; readonly status: string; readonly source: string }[] {
    return [...this.#servers.values()].map(({ name, status }) => ({ name, status, source: "sdk" }));
  }

  status(): readonly object[] {
    return [...this.#servers.values()].map(({ name, status, error, connection }) => ({
      name,
      status,
      ...(connection?.facts?.serverInfo ? { serverInfo: connection.facts.serverInfo } : {}),
      ...(status === "failed" ? { error } : {}),
      transport: "sdk",
      scope: "dynamic",
      source: "sdk",
      ...(connection ? { tools: connection.tools.map(toolStatus) } : {}),
    }));
  }

  /** For hooks. Undefined if the server is not connected or has no such tool. */
  callTool(
    server: string,
    tool: string,
    input: JsonObject,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }> | undefined {
    const result = this.#connection(server)?.call(tool, input, { signal });
    return result?.then(async ({ blocks, isError }) => {
      const { joinedText } = await import("@keelson/mcp");
      return { text: joinedText(blocks), isError };
    });
  }

  async reconnect(name: string): Promise<string | undefined> {
    if (!this.#servers.has(name)) return `Server not found: ${name}`;
    return `mcp_reconnect does not support SDK MCP servers: "${name}" runs inside the client and stays connected with it`;
  }

  /** Turning a server on connects it again. */
  async toggle(name: string, enabled: boolean): Promise<string | undefined> {
    const server = this.#servers.get(name);
    if (!server) return `Server not found: ${name}`;
    if (!enabled) server.end();
    else if (server.status === "disabled") {
      this.#servers.set(name, new SdkServer(server.named, undefined, this.#options));
    }
    return undefined;
  }

  /** Replaces all servers. An unsupported one is listed both as added and as failed (conformance: protocol, mcp). */
  async setServers(servers: JsonObject) {
    const { sdk, others } = serversFromConfig(servers);
    const wanted = new Set(sdk.map(({ name }) => name));
    const before = new Set(this.#servers.keys());
    const removed = [...before].filter((name) => !wanted.has(name));
    for (const name of removed) {
      this.#servers.get(name)?.end();
      this.#servers.delete(name);
    }
    this.add(sdk);
    const added = [...[...wanted].filter((name) => !before.has(name)), ...others];
    const why = 'This version supports only MCP servers inside the client (type "sdk")';
    return { added, removed, errors: Object.fromEntries(others.map((name) => [name, why])) };
  }

  /** `mcp_call`: a client calls a tool itself. */
  async call(request: ControlRequestBody, signal: AbortSignal): Promise<ControlReply> {
    const tool = String(request["tool"]);
    const origin = this.originOf(tool);
    if (!origin) return failed(`MCP server not connected: ${tool.split("__")[1] ?? tool}`);
    const { arguments: input = {} } = request;
    const result = await this.#connection(origin.server)?.call(origin.tool, input as JsonObject, { signal });
    if (!result) return failed(`MCP server not connected: ${origin.server}`);
    return done({ content: result.raw, ...(result.isError ? { isError: true } : {}) });
  }

  async readResource(request: ControlRequestBody): Promise<ControlReply> {
    const name = String(request["serverName"]);
    if (!this.#servers.has(name)) return failed(`MCP server not connected: ${name}`);
    return failed("mcp_read_resource does not support SDK MCP servers: the client can read its own resources");
  }

  setModeOverride(name: string, mode: "default" | "auto" | null): ControlReply {
    if (!this.#servers.has(name)) return failed(`Server not found: ${name}`);
    if (mode === null) return done();
    return done({ warning: "This version ignores permission modes of individual servers" });
  }

  close(): void {
    for (const server of this.#servers.values()) server.end();
    this.#servers.clear();
  }

  /** If tools of two servers have the same name, the first server keeps it. */
  #offered(): readonly (McpServerTool & { readonly server: string; readonly policy?: Policy })[] {
    const taken = new Set<string>();
    return [...this.#servers.values()].flatMap(({ name: server, named, connection }) =>
      (connection?.tools ?? []).flatMap(({ facts, tool }) => {
        if (taken.has(tool.name)) return [];
        taken.add(tool.name);
        return [{ server, facts, tool, policy: named.policies.get(facts.name) }];
      }),
    );
  }

  #connection(name: string): McpConnection | undefined {
    return this.#servers.get(name)?.connection;
  }
}

/** Where a tool comes from. */
export interface ToolOrigin {
  readonly server: string;
  readonly source: "sdk";
  /** The server's own name for it. */
  readonly tool: string;
  /** A name for people. */
  readonly title?: string;
}

const toolStatus = ({ facts: { name, annotations } }: McpServerTool) => ({ name, annotations });
