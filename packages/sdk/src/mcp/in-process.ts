// The in-process servers as the program sees them: JSON-RPC messages inside control requests, in both directions.

import { isObject, type Unchecked } from "@keelson/protocol";
import { NO_ANSWER, type RequestContext } from "../control/control-request.ts";
import type { McpSdkServerConfigWithInstance } from "./config.ts";
import type { JSONRPCId, JSONRPCMessage, McpTransport } from "./shapes.ts";

export interface InProcessServers {
  readonly names: readonly string[];
  /** What `initialize` says about them besides their names; undefined if nothing. */
  readonly configs: Record<string, object> | undefined;
  /** Replaces all servers. A server that stays keeps its connection. */
  replace(servers: Record<string, McpSdkServerConfigWithInstance>): void;
  /** Answers an `mcp_message` request. */
  answer(request: Unchecked<"mcp_message">, asked: RequestContext): Promise<unknown>;
  close(): void;
}

/** `send` carries messages that a server sends on its own. */
export function inProcessServers(
  servers: Record<string, McpSdkServerConfigWithInstance>,
  send: (serverName: string, message: JSONRPCMessage) => Promise<void>,
): InProcessServers {
  const connections = new Map<string, Connection>();
  const configs: Record<string, object> = {};

  const replace = (wanted: Record<string, McpSdkServerConfigWithInstance>) => {
    for (const [name, connection] of connections) {
      if (wanted[name]?.instance === connection.instance) continue;
      connections.delete(name);
      void connection.transport.close();
    }
    for (const [name, { instance, timeout, tools }] of Object.entries(wanted)) {
      if (timeout !== undefined || tools !== undefined) configs[name] = { timeout, tools };
      if (!connections.has(name))
        connections.set(
          name,
          connectTo(instance, (message) => send(name, message)),
        );
    }
  };
  replace(servers);

  return {
    get names() {
      return [...connections.keys()];
    },
    get configs() {
      return Object.keys(configs).length === 0 ? undefined : configs;
    },
    replace,
    async answer(request, asked) {
      const connection = connections.get(String(request.server_name));
      if (connection === undefined) throw new Error(`SDK MCP server not found: ${String(request.server_name)}`);
      const message = request.message;
      if (!isObject(message)) throw new Error("mcp_message has no message");
      const reply = await connection.deliver(message as JSONRPCMessage, asked.signal);
      return reply === undefined ? NO_ANSWER : { mcp_response: reply };
    },
    close: () => replace({}),
  };
}

interface Connection {
  readonly instance: McpSdkServerConfigWithInstance["instance"];
  readonly transport: McpTransport;
  /** Resolves to the reply, to an empty one if the message needs none, or to undefined if it was withdrawn. */
  deliver(message: JSONRPCMessage, withdrawn: AbortSignal): Promise<JSONRPCMessage | undefined>;
}

function connectTo(
  instance: McpSdkServerConfigWithInstance["instance"],
  say: (message: JSONRPCMessage) => Promise<void>,
): Connection {
  const waiting = new Map<JSONRPCId, (reply: JSONRPCMessage | undefined) => void>();
  const settle = (id: JSONRPCId, reply: JSONRPCMessage | undefined) => {
    waiting.get(id)?.(reply);
    waiting.delete(id);
  };
  const transport: McpTransport = {
    async start() {},
    async send(message: JSONRPCMessage) {
      if (message.method === undefined && message.id !== undefined) settle(message.id, message);
      else await say(message);
    },
    async close() {
      for (const id of [...waiting.keys()]) settle(id, failure(id, "Connection closed"));
      transport.onclose?.();
    },
  };
  // If a server cannot connect, whoever calls it gets the error.
  const connected = instance.connect(transport);
  connected.catch(() => undefined);

  return {
    instance,
    transport,
    async deliver(message, withdrawn) {
      await connected;
      const { id, method } = message;
      if (id === undefined || method === undefined) {
        transport.onmessage?.(message);
        return { jsonrpc: "2.0", result: {}, id: 0 };
      }
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        withdrawn.addEventListener("abort", () => {
          if (!waiting.has(id)) return;
          settle(id, undefined);
          transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        });
        transport.onmessage?.(message);
      });
    },
  };
}

const failure = (id: JSONRPCId, message: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32000, message },
});
