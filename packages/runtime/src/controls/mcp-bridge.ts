// Connects MCP servers inside clients: their messages travel as control requests, in both directions.

import { isObject, type ClientQuestion, type ControlResponse, type JsonObject } from "@keelson/protocol";

/** One server. */
export interface McpBridge {
  /** Resolves with the reply. Rejects if the client does not know the server or disconnects. */
  send(message: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Called for each message the server sends on its own. Returns a function that stops listening. */
  listen(hear: (message: JsonObject) => void): () => void;
}

type Request = (
  client: string,
  request: ClientQuestion<"mcp_message">,
  signal: AbortSignal,
) => Promise<ControlResponse["response"]>;

/** Bridges by client and server name. */
export function mcpBridges(request: Request) {
  const listeners = new Map<string, Set<(message: JsonObject) => void>>();
  const key = (client: string, server: string) => JSON.stringify([client, server]);
  return {
    to(client: string, server: string): McpBridge {
      return {
        async send(message, signal) {
          const answer = await request(client, { subtype: "mcp_message", server_name: server, message }, signal);
          if (answer.subtype === "error") throw new Error(answer.error);
          const reply = isObject(answer.response) ? answer.response["mcp_response"] : undefined;
          return isObject(reply) ? (reply as JsonObject) : undefined;
        },
        listen(hear) {
          const all = listeners.get(key(client, server)) ?? new Set();
          listeners.set(key(client, server), all.add(hear));
          return () => {
            all.delete(hear);
            if (all.size === 0 && listeners.get(key(client, server)) === all) listeners.delete(key(client, server));
          };
        },
      };
    },
    /** Messages of servers without a listener are dropped. */
    receive(client: string, server: string, message: JsonObject): void {
      for (const hear of listeners.get(key(client, server)) ?? []) hear(message);
    },
  };
}
