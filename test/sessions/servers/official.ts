// Servers of the official SDK at an address, one for each transport, on a port that they can be started on again.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import {
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
} from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

export type Kind = "http" | "sse" | "ws";

export interface OfficialServer extends AsyncDisposable {
  /** Its entry in a configuration. */
  readonly entry: { readonly type: Kind; readonly url: string };
  readonly port: number;
  /** How many clients have opened a connection. */
  readonly connections: number;
  /** Of every request, the oldest first. */
  readonly headers: readonly Readonly<Record<string, string | undefined>>[];
}

export interface OfficialOptions {
  readonly port?: number;
  /** Requests without these headers are refused. */
  readonly requires?: Readonly<Record<string, string>>;
  /** For `http`: the options of its transport. */
  readonly http?: {
    readonly enableJsonResponse?: boolean;
    readonly isStateless?: boolean;
    readonly eventStore?: EventStore;
  };
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const startOfficial: Readonly<Record<Kind, (options?: OfficialOptions) => Promise<OfficialServer>>> = {
  http: startHttp,
  sse: startSse,
  ws: startWebSocket,
};

/** `add` adds; `later` ends its stream before it answers. */
function calculator(): McpServer {
  const server = new McpServer({ name: "calculator", version: "1" });
  const numbers = { a: z.number(), b: z.number() };
  const sum = ({ a, b }: { a: number; b: number }) => ({ content: [{ type: "text" as const, text: String(a + b) }] });
  server.registerTool("add", { inputSchema: numbers }, sum);
  server.registerTool("later", { inputSchema: numbers }, async (input, { closeSSEStream }) => {
    closeSSEStream?.();
    return sum(input);
  });
  return server;
}

interface Log {
  connections: number;
  readonly headers: Readonly<Record<string, string | undefined>>[];
}

/** Notes the headers of a request. False if it lacks one. */
function admits(log: Log, headers: Readonly<Record<string, string | undefined>>, { requires = {} }: OfficialOptions) {
  log.headers.push(headers);
  return Object.entries(requires).every(([name, value]) => headers[name] === value);
}

async function startHttp(options: OfficialOptions = {}): Promise<OfficialServer> {
  const { enableJsonResponse = false, isStateless = false, eventStore } = options.http ?? {};
  const log: Log = { connections: 0, headers: [] };
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    ...(options.tls ? { tls: options.tls } : {}),
    async fetch(request) {
      if (!admits(log, Object.fromEntries(request.headers), options)) return new Response("no", { status: 403 });
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (id !== null && !known) return new Response("no such session", { status: 404 });
      if (known) return known.handleRequest(request);
      log.connections++;
      const transport = new WebStandardStreamableHTTPServerTransport({
        ...(isStateless ? {} : { sessionIdGenerator: () => crypto.randomUUID() }),
        onsessioninitialized: (session) => void sessions.set(session, transport),
        enableJsonResponse,
        ...(eventStore ? { eventStore, retryInterval: 1 } : {}),
      });
      await calculator().connect(transport);
      return transport.handleRequest(request);
    },
  });
  const scheme = options.tls ? "https" : "http";
  return started("http", `${scheme}://127.0.0.1:${server.port}/mcp`, log, () => server.stop(true));
}

async function startSse(options: OfficialOptions = {}): Promise<OfficialServer> {
  const log: Log = { connections: 0, headers: [] };
  const open = new Map<string, SSEServerTransport>();
  const server = createServer((request, response) => {
    if (!admits(log, plainHeaders(request.headers), options)) return void response.writeHead(403).end();
    if (request.method === "GET") {
      log.connections++;
      const transport = new SSEServerTransport("/messages", response);
      open.set(transport.sessionId, transport);
      return void calculator().connect(transport);
    }
    const id = new URL(request.url ?? "", "http://x").searchParams.get("sessionId") ?? "";
    const transport = open.get(id);
    if (transport) void transport.handlePostMessage(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return started("sse", `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`, log, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** The SDK has no WebSocket transport for servers, so this one carries its messages. */
interface PeerTransport {
  onmessage?: (message: any) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

async function startWebSocket(options: OfficialOptions = {}): Promise<OfficialServer> {
  const log: Log = { connections: 0, headers: [] };
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: "127.0.0.1",
    ...(options.tls ? { tls: options.tls } : {}),
    fetch(request, self) {
      if (!admits(log, Object.fromEntries(request.headers), options)) return new Response("no", { status: 403 });
      const headers = { "Sec-WebSocket-Protocol": "mcp" };
      return self.upgrade(request, { data: {}, headers }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      data: {} as { peer?: PeerTransport },
      open(socket) {
        log.connections++;
        socket.data.peer = {
          start: async () => undefined,
          send: async (message) => void socket.send(JSON.stringify(message)),
          close: async () => socket.close(),
        };
        void calculator().connect(socket.data.peer);
      },
      message: ({ data }, text) => data.peer?.onmessage?.(JSON.parse(String(text))),
      close: ({ data }) => data.peer?.onclose?.(),
    },
  });
  const scheme = options.tls ? "wss" : "ws";
  return started("ws", `${scheme}://127.0.0.1:${server.port}/mcp`, log, () => server.stop(true));
}

function started(type: Kind, url: string, log: Log, stop: () => Promise<unknown>): OfficialServer {
  return {
    entry: { type, url },
    port: Number(new URL(url).port),
    get connections() {
      return log.connections;
    },
    headers: log.headers,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

const plainHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));

/** Keeps every event, so that a client can ask for those it missed. */
export function memoryEvents(): EventStore & { readonly replays: number } {
  const events: { readonly id: string; readonly stream: string; readonly message: any }[] = [];
  let replays = 0;
  return {
    get replays() {
      return replays;
    },
    async storeEvent(stream, message) {
      const id = String(events.length);
      events.push({ id, stream, message });
      return id;
    },
    async getStreamIdForEventId(id) {
      return events[Number(id)]?.stream;
    },
    async replayEventsAfter(last, { send }) {
      replays++;
      const { stream } = events[Number(last)]!;
      for (const { id, message } of events.slice(Number(last) + 1).filter((event) => event.stream === stream)) {
        if (message.jsonrpc !== undefined) await send(id, message);
      }
      return stream;
    },
  };
}
