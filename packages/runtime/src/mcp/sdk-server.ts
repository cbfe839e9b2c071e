// One MCP server inside the client. Connects in the background and stays connected until it is ended.

import type { McpConnection } from "@keelson/mcp";
import type { McpBridge } from "../controls/mcp-bridge.ts";
import type { NamedServer } from "./server-config.ts";

export interface SdkServerOptions {
  /** Sends messages to a server through the client. */
  bridge(name: string): McpBridge;
  /** MCP_TIMEOUT, MCP_TOOL_TIMEOUT, MAX_MCP_OUTPUT_TOKENS. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports what of a server is ignored. */
  warn(text: string): void;
}

const CALL_TIMEOUT_MS = 100_000_000;
const CHARACTERS_PER_TOKEN = 4;

export class SdkServer {
  readonly named: NamedServer;
  /** Resolves when the server has connected or failed. Never rejects. */
  readonly opened: Promise<void>;
  /** A run has already waited for it; no run waits again. */
  waited = false;
  #connection: McpConnection | undefined;
  #problem: string | undefined;
  #ended = false;
  #stopListening: () => void = () => undefined;

  constructor(named: NamedServer, manifest: NamedServer["manifest"], options: SdkServerOptions) {
    this.named = named;
    this.opened = this.#open(manifest, options).catch((error: unknown) => {
      this.#problem = error instanceof Error ? error.message : String(error);
    });
  }

  get name(): string {
    return this.named.name;
  }

  get status(): "connected" | "failed" | "pending" | "disabled" {
    if (this.#ended) return "disabled";
    return this.#problem === undefined ? (this.#connection?.status ?? "pending") : "failed";
  }

  get error(): string | undefined {
    return this.#problem ?? this.#connection?.error;
  }

  /** Undefined unless it is connected. */
  get connection(): McpConnection | undefined {
    return this.status === "connected" ? this.#connection : undefined;
  }

  end(): void {
    this.#ended = true;
    this.#stopListening();
    this.#connection?.close();
  }

  async #open(manifest: NamedServer["manifest"], { bridge, env, warn }: SdkServerOptions): Promise<void> {
    // Loaded only if the client has servers.
    const { McpConnection, sdkTransport } = await import("@keelson/mcp");
    if (this.#ended) return;
    const way = bridge(this.name);
    const connection = new McpConnection({
      name: this.name,
      transport: sdkTransport((message, signal) => way.send(message, signal)),
      timeoutMs: connectTimeout(env),
      callTimeoutMs: this.named.timeoutMs ?? positive(env["MCP_TOOL_TIMEOUT"]) ?? CALL_TIMEOUT_MS,
      maxShown: shownLimit(env),
      onProblem: (problem) => warn(`MCP server "${this.name}": ${problem}`),
    });
    this.#connection = connection;
    this.#stopListening = way.listen((message) => connection.deliver(message));
    await connection.open(manifest);
  }
}

/** How long a server may take to connect. */
export function connectTimeout(env: SdkServerOptions["env"]): number {
  return positive(env["MCP_TIMEOUT"]) ?? 30_000;
}

function shownLimit(env: SdkServerOptions["env"]): number | undefined {
  const tokens = positive(env["MAX_MCP_OUTPUT_TOKENS"]);
  return tokens === undefined ? undefined : tokens * CHARACTERS_PER_TOKEN;
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text ?? NaN);
  return value > 0 ? value : undefined;
}
