// Connects to one configured server outside a session, for commands that list and test servers.

import type { Snapshot } from "@keelson/config";
import type { McpConnection, Transport } from "@keelson/mcp";
import type { ConfiguredMcpServer } from "@keelson/protocol";
import { Connector } from "./connector.ts";
import { serverFromConfiguration } from "../servers/server-config.ts";

export interface CheckOptions {
  readonly snapshot: Snapshot;
  readonly entrypoint: string;
  warn(text: string): void;
  /** Replaces the transport, to watch what goes through it. */
  watch?(transport: Transport): Transport;
}

export interface CheckedConnection extends AsyncDisposable {
  /** Connected, or failed with an error. */
  readonly connection: McpConnection;
  readonly needsSignIn: boolean;
}

/** Never rejects for what the server does. Dispose of it: that ends the server's program. */
export async function connectTo(server: ConfiguredMcpServer, options: CheckOptions): Promise<CheckedConnection> {
  const { snapshot, entrypoint, warn, watch } = options;
  const connector = new Connector({
    snapshot: () => snapshot,
    sessionId: crypto.randomUUID(),
    entrypoint,
    directories: () => [snapshot.cwd, ...snapshot.directories],
    ...(watch ? { watch } : {}),
    show: () => undefined,
    warn,
    log: () => undefined,
  });
  const events = { closed: () => undefined, listChanged: () => undefined };
  const connection = await connector.open(serverFromConfiguration(server), events);
  await connection.open();
  const { NeedsSignInError } = await import("@keelson/mcp");
  return {
    connection,
    needsSignIn: connection.failure instanceof NeedsSignInError,
    async [Symbol.asyncDispose]() {
      await connection.close();
      await connector.close();
    },
  };
}
