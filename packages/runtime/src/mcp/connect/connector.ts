// Opens connections to MCP servers: joins a server's configuration with a transport, and with what we offer the server.
// Loaded with the first server.

import { hideSecrets, secretsGiven } from "../../observe/hide-secrets.ts";
import {
  basicVariables,
  createServerPrograms,
  serverEnvironment,
  type ServerProgram,
  type ServerPrograms,
} from "@keelson/host/servers";
import type { Programs } from "@keelson/host/programs";
import {
  McpConnection,
  sdkTransport,
  stdioTransport,
  toolName,
  webSocketTransport,
  type ConnectionOptions,
  type McpCallOptions,
  type Transport,
} from "@keelson/mcp";
import type { Snapshot } from "@keelson/config";
import { folderToAvoid } from "@keelson/config/governing";
import { fetchOptionsFrom } from "@keelson/model";
import type {
  ConfiguredMcpServer,
  JsonObject,
  McpRemoteConfig,
  McpServerConfig,
  McpStdioConfig,
  Signal,
} from "@keelson/protocol";
import { pathToFileURL } from "node:url";
import type { McpBridge } from "../../controls/mcp-bridge.ts";
import type { Machine } from "../../machine/machine.ts";
import { FIRST_CLIENT } from "../../stream/clients.ts";
import { withProgress } from "./progress.ts";
import type { RemoteTransports } from "./remote.ts";
import type { ConnectionEvents } from "../servers/server.ts";
import type { NamedServer } from "../servers/server-config.ts";
import { callTimeout, connectTimeout, idleTimeout, inheritsBasicsOnly, shownLimit } from "../servers/server-limits.ts";

export interface ConnectorOptions {
  snapshot(): Snapshot;
  readonly sessionId: string;
  readonly entrypoint: string;
  /** The working directories, which servers may ask for. */
  directories(): readonly string[];
  /** Reaches servers inside clients. */
  bridge?(client: string, name: string): McpBridge;
  /** Starts programs in the sandbox. Without it, servers that must run there do not start. */
  readonly confine?: Machine["confine"];
  /** What runs outside the shield. */
  programs?(): Programs;
  /** Undoes what a command did to protected files while it ran. A program looks up others by name when it starts. */
  undoChanges?(): Promise<unknown>;
  /** What to do with images and other binary content. */
  readonly parts?: ConnectionOptions["parts"];
  /** Answers a question of a server that has these calls to answer. Without it, servers get the answer that no one can. */
  elicit?(
    server: string,
    params: JsonObject,
    about: { readonly calls: Iterable<string>; readonly signal: AbortSignal },
  ): Promise<JsonObject>;
  /** How long a call has been running; undefined if it is not being timed. */
  elapsedMs?(toolUseId: string): number | undefined;
  /** Replaces the transport of a connection, to watch it. */
  watch?(transport: Transport): Transport;
  /** Called with each program that was started. */
  started?(server: string, program: ServerProgram): void;
  show(signal: Signal): void | Promise<void>;
  warn(text: string): void;
  log(text: () => string): void;
}

/** Calls a tool of a server, connecting it again if needed. */
export type CallTool = (
  tool: string,
  input: JsonObject,
  how: McpCallOptions,
) => ReturnType<NonNullable<ConstructorParameters<typeof McpConnection>[0]["callThrough"]>>;

/** Shown to people. */
const MAX_STDERR = 4_000;

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #programs: ServerPrograms;
  /** The ids of the calls that are running, by server. */
  readonly #calls = new Map<string, Set<string>>();
  /** The newest program of each server, and what hides the secrets it was given. */
  readonly #newest = new Map<string, { readonly program: ServerProgram; hide(text: string): string }>();
  #remote: Promise<RemoteTransports> | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    const { confine, programs } = options;
    this.#programs = createServerPrograms({ ...(confine ? { confine } : {}), ...(programs ? { programs } : {}) });
  }

  /** A connection that is not open yet. */
  async open(definition: NamedServer, events: ConnectionEvents, call?: CallTool): Promise<McpConnection> {
    const { snapshot, show, elapsedMs, warn, log, elicit, parts, watch = (transport) => transport } = this.#options;
    const { name, configured } = definition;
    const { env } = snapshot();
    const deliver = (message: unknown) => connection.deliver(message);
    const transport = configured
      ? await this.#transport(configured, events.isRetry ?? false)
      : this.#clientTransport(definition, deliver);
    const connection: McpConnection = new McpConnection({
      name,
      transport: watch(transport),
      timeoutMs: connectTimeout(env),
      callTimeoutMs: definition.timeoutMs ?? callTimeout(env),
      maxShown: shownLimit(env),
      ...(parts ? { parts } : {}),
      // Servers inside the client are offered nothing, as clients expect.
      ...(configured
        ? {
            idleTimeoutMs: idleTimeout(env, definition.isRemote),
            capabilities: { roots: { listChanged: true }, ...(elicit ? { elicitation: { form: {}, url: {} } } : {}) },
            handlers: this.#handlers(name),
            mayDiscover: true,
          }
        : {}),
      ...(call
        ? {
            callThrough: (tool: string, input: JsonObject, how: McpCallOptions) =>
              this.#running(name, how.toolUseId, () =>
                withProgress(toolName(name, tool), how, { show, elapsedMs }, (options) => call(tool, input, options)),
              ),
          }
        : {}),
      onProblem: (problem) => warn(`MCP server "${name}": ${problem}`),
      onListChanged: (kind) => events.listChanged(kind),
      onLog: ({ level, text }) => log(() => `${name}: ${level}: ${text}`),
      onClosed: (reason) => events.closed(reason),
      onElicitationComplete: (id) =>
        void show({ type: "system", subtype: "elicitation_complete", mcp_server_name: name, elicitation_id: id }),
    });
    return connection;
  }

  /** Resolves when no server program is left. */
  async close(): Promise<void> {
    await Promise.all([this.#programs.close(), this.#remote?.then((remote) => remote.close())]);
  }

  #clientTransport({ name, client = FIRST_CLIENT }: NamedServer, deliver: (message: unknown) => void): Transport {
    const bridge = this.#options.bridge?.(client, name);
    if (!bridge) throw new Error("Only a client can provide a server of type sdk");
    const stop = bridge.listen(deliver);
    return { ...sdkTransport((message, signal) => bridge.send(message, signal)), close: stop };
  }

  async #transport(configured: ConfiguredMcpServer, isRetry: boolean): Promise<Transport> {
    const { config, secrets } = await this.#configOf(configured);
    switch (config.type) {
      case "stdio":
        return stdioTransport(() => this.#start(configured, config, secrets));
      case "ws":
        return webSocketTransport({
          url: config.url,
          headers: await this.#socketHeaders(configured, config),
          ...(await socketNetwork(config.url, this.#options.snapshot().env)),
        });
      case "http":
      case "sse":
      case "claudeai-proxy":
        return (await (this.#remote ??= openRemote(this.#options))).to(configured, config, isRetry);
      case "sdk":
        throw new Error("Only a client can provide a server of type sdk");
    }
  }

  /** With the secret options of its plugin, if it uses any. */
  async #configOf(
    configured: ConfiguredMcpServer,
  ): Promise<{ readonly config: McpServerConfig; readonly secrets: readonly string[] }> {
    const { config, secretOptions } = configured;
    if (secretOptions === undefined) return { config, secrets: [] };
    const { secretValues, withSecretValues } = await import("../../plugins/secret-options.ts");
    const values = await secretValues(configured, this.#options.snapshot());
    return { config: withSecretValues(config, values), secrets: Object.values(values) };
  }

  async #socketHeaders(
    { name }: ConfiguredMcpServer,
    config: McpRemoteConfig,
  ): Promise<Readonly<Record<string, string>>> {
    if (config.headersHelper === undefined) return config.headers;
    return (await (this.#remote ??= openRemote(this.#options))).headers(name, config);
  }

  async #start(
    { name, scope, written, confined = false }: ConfiguredMcpServer,
    { command, args, env }: McpStdioConfig,
    secrets: readonly string[],
  ) {
    const { snapshot, sessionId, entrypoint, started } = this.#options;
    const { cwd, env: own, childEnv: all } = snapshot();
    const childEnv = inheritsBasicsOnly(own) ? basicVariables(all) : all;
    await this.#options.undoChanges?.();
    const program = await this.#programs.start({
      command,
      args,
      cwd,
      confined,
      outside: folderToAvoid(snapshot(), scope),
      env: serverEnvironment({ childEnv, sessionId, entrypoint, projectDir: cwd }),
      entryEnv: env,
    });
    const known = { ...all, ...own, ...env };
    const given = secretsGiven({ args, env, written: JSON.stringify(written ?? ""), variables: known });
    this.#newest.set(name, { program, hide: hideSecrets(known, [...secrets, ...given]) });

    started?.(name, program);
    return program;
  }

  /** The end of what a server's program wrote to standard error; empty if it has none. */
  stderrOf(server: string): string {
    const newest = this.#newest.get(server);
    // A part of a secret would not be recognized, so the text is cut last.
    return newest?.hide(newest.program.stderr()).slice(-MAX_STDERR) ?? "";
  }

  async #running<T>(server: string, id: string | undefined, call: () => Promise<T>): Promise<T> {
    if (id === undefined) return call();
    const calls = this.#calls.get(server) ?? new Set();
    this.#calls.set(server, calls.add(id));
    try {
      return await call();
    } finally {
      calls.delete(id);
    }
  }

  #handlers(name: string) {
    const { directories, elicit } = this.#options;
    return {
      "roots/list": async () => ({
        roots: directories().map((path) => ({ uri: pathToFileURL(path).href, name: path })),
      }),
      ...(elicit
        ? {
            "elicitation/create": (params: JsonObject, signal: AbortSignal) =>
              elicit(name, params, { calls: this.#calls.get(name) ?? [], signal }),
          }
        : {}),
    };
  }
}

/** The proxy and the certificates of the session: a WebSocket begins as an HTTP request. */
async function socketNetwork(url: string, env: Snapshot["env"]) {
  const { proxy, tls } = await fetchOptionsFrom(env)(new URL(url.replace(/^ws/i, "http")));
  return {
    ...(typeof proxy === "object" && "url" in proxy ? { proxy: String(proxy.url) } : {}),
    ...(typeof tls === "object" ? { tls } : {}),
  };
}

async function openRemote(options: ConnectorOptions): Promise<RemoteTransports> {
  const { RemoteTransports } = await import("./remote.ts");
  return new RemoteTransports(options);
}
