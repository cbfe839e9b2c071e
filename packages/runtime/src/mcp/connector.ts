// Opens connections to MCP servers: joins a server's configuration with a transport, and with what the session offers
// the server. Loaded with the first server.

import { createServerPrograms, serverEnvironment, type ServerPrograms } from "@keelson/host/servers";
import {
  McpConnection,
  sdkTransport,
  toolName,
  stdioTransport,
  webSocketTransport,
  type Transport,
} from "@keelson/mcp";
import type { ConfiguredMcpServer, JsonObject, McpStdioConfig, Signal } from "@keelson/protocol";
import { pathToFileURL } from "node:url";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import { answerElicitation } from "./elicit.ts";
import type { Fire } from "./open-servers.ts";
import type { RemoteTransports } from "./remote.ts";
import type { ConnectionEvents, McpServer } from "./server.ts";
import { withProgress } from "./progress.ts";
import { callTimeout, connectTimeout, idleTimeout, shownLimit } from "./server-limits.ts";

export interface ConnectorOptions {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly fire: Fire;
}

/** What wire servers may ask of us. Servers inside the client are told nothing, as clients expect. */
const CAPABILITIES: JsonObject = { roots: { listChanged: true }, elicitation: { form: {}, url: {} } };

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #programs: ServerPrograms;
  #remote: Promise<RemoteTransports> | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#programs = createServerPrograms({ confine: (program) => options.machine.confine(program) });
  }

  /** A connection that is not open yet. */
  async open(server: McpServer, events: ConnectionEvents): Promise<McpConnection> {
    const { storage } = this.#options;
    const { name, definition } = server;
    const { env } = storage.state.snapshot;
    const isWire = definition.configured !== undefined;
    const show = (signal: Signal) => storage.outbox.show(signal);
    const connection: McpConnection = new McpConnection({
      name,
      transport: isWire
        ? await this.#transport(definition.configured)
        : this.#clientTransport(name, (message) => connection.deliver(message)),
      timeoutMs: connectTimeout(env),
      callTimeoutMs: definition.timeoutMs ?? callTimeout(env),
      maxShown: shownLimit(env),
      ...(isWire
        ? {
            idleTimeoutMs: idleTimeout(env, definition.isRemote),
            capabilities: CAPABILITIES,
            handlers: this.#handlers(name),
            mayDiscover: true,
          }
        : {}),
      callThrough: (tool, input, how) =>
        withProgress(toolName(name, tool), how, show, (options) => server.call(tool, input, options)),
      onProblem: (problem) => storage.options.warn(`MCP server "${name}": ${problem}`),
      onListChanged: (kind) => events.listChanged(kind),
      onLog: ({ level, text }) => storage.options.debug?.("mcp", () => `${name}: ${level}: ${text}`),
      onClosed: (reason) => events.closed(reason),
      onElicitationComplete: (id) =>
        void storage.outbox.show({
          type: "system",
          subtype: "elicitation_complete",
          mcp_server_name: name,
          elicitation_id: id,
        }),
    });
    return connection;
  }

  /** Resolves when no server program is left. */
  async close(): Promise<void> {
    await Promise.all([this.#programs.close(), this.#remote?.then((remote) => remote.close())]);
  }

  #clientTransport(name: string, deliver: (message: unknown) => void): Transport {
    const bridge = this.#options.storage.client.mcpServer(name);
    const stop = bridge.listen(deliver);
    return { ...sdkTransport((message, signal) => bridge.send(message, signal)), close: stop };
  }

  async #transport(configured: ConfiguredMcpServer): Promise<Transport> {
    const { config } = configured;
    switch (config.type) {
      case "stdio":
        return stdioTransport(() => this.#start(configured, config));
      case "ws":
        return webSocketTransport({ url: config.url, headers: config.headers });
      case "http":
      case "sse":
      case "claudeai-proxy":
        return (await (this.#remote ??= openRemote(this.#options.storage))).to(configured, config);
      case "sdk":
        throw new Error("Only a client can bring a server of type sdk");
    }
  }

  #start({ confined = false }: ConfiguredMcpServer, { command, args, env }: McpStdioConfig) {
    const { place, options, state } = this.#options.storage;
    const { cwd, childEnv } = state.snapshot;
    return this.#programs.start({
      command,
      args,
      cwd,
      confined,
      env: serverEnvironment({
        childEnv,
        sessionId: place.id,
        entrypoint: options.entrypoint,
        projectDir: cwd,
        entryEnv: env,
      }),
    });
  }

  #handlers(name: string) {
    const { storage, fire } = this.#options;
    const { folders, client, runState, options } = storage;
    return {
      "roots/list": async () => ({
        roots: folders.workspace.directories.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
      }),
      "elicitation/create": async (params: JsonObject, signal: AbortSignal): Promise<JsonObject> => ({
        ...(await answerElicitation(
          name,
          params,
          {
            fire,
            ...(options.answersRequests
              ? {
                  person: async (body, withdrawn) => {
                    const answer = await runState.whileAsking(client.send(body, withdrawn));
                    return answer.subtype === "success" ? answer.response : undefined;
                  },
                }
              : {}),
          },
          signal,
        )),
      }),
    };
  }
}

async function openRemote(storage: Storage): Promise<RemoteTransports> {
  const { RemoteTransports } = await import("./remote.ts");
  return new RemoteTransports(storage);
}
