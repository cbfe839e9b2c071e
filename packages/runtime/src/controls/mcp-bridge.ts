// The bridge to MCP servers that live inside a client: their messages travel as control requests, both ways.

import type { ControlRequest, ControlResponse, JsonObject } from "@keelson/protocol";

/** One server inside the client. */
export interface McpBridge {
  /** Says something to it, and resolves with what it answered. Rejects when the client does not know it, or goes. */
  send(message: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Called with every message it sends by itself. Returns how to stop listening. */
  listen(hear: (message: JsonObject) => void): () => void;
}

type Ask = (request: ControlRequest["request"], signal: AbortSignal) => Promise<ControlResponse["response"]>;

/** Bridges by server name, all over one stream. */
export function mcpBridges(ask: Ask) {
  const listeners = new Map<string, Set<(message: JsonObject) => void>>();
  return {
    to(server: string): McpBridge {
      return {
        async send(message, signal) {
          const answer = await ask({ subtype: "mcp_message", server_name: server, message }, signal);
          if (answer.subtype === "error") throw new Error(answer.error);
          return (answer.response as { mcp_response?: JsonObject } | undefined)?.mcp_response;
        },
        listen(hear) {
          const all = listeners.get(server) ?? new Set();
          listeners.set(server, all.add(hear));
          return () => void all.delete(hear);
        },
      };
    },
    /** A message from the client; a server nobody listens to is no error (observed). */
    heard(server: string, message: JsonObject): void {
      for (const hear of listeners.get(server) ?? []) hear(message);
    },
  };
}
