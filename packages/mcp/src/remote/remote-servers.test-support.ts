// Real servers for tests of the remote transports: the official packages of both generations, and plain handlers for
// what a real server would not do.

import { createMcpHandler, McpServer as ModernServer } from "@modelcontextprotocol/server";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { JsonObject } from "@keelson/protocol";
import type { Transport } from "../connection/client.ts";
import { readResponse } from "../connection/rpc.ts";

export interface TestServer extends AsyncDisposable {
  readonly url: string;
}

type Handler = (request: Request) => Response | Promise<Response>;

/** A handler on a port of its own, at `/mcp`. */
export function serveHttp(fetch: Handler, port = 0): TestServer {
  const server = Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 0, fetch });
  return { url: `http://127.0.0.1:${server.port}/mcp`, [Symbol.asyncDispose]: () => server.stop(true) };
}

function calculator(): McpServer {
  const server = new McpServer({ name: "calculator", version: "1" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
}

export interface SessionServer {
  readonly fetch: Handler;
  /** Forgets all sessions, as after a restart. */
  forget(): void;
  /** Sends a notification to every session. */
  announce(): Promise<void>;
  readonly ended: string[];
}

/** The official server of the generation before 2026, with sessions. */
export function sessionServer(): SessionServer {
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: McpServer }>();
  const ended: string[] = [];
  return {
    ended,
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (id !== null && !known) return Response.json(rpcError(-32001, "Session not found"), { status: 404 });
      if (known) return known.transport.handleRequest(request);
      const server = calculator();
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, { transport, server }),
        onsessionclosed: (session) => void ended.push(session),
      });
      await server.connect(transport);
      return transport.handleRequest(request);
    },
    forget: () => sessions.clear(),
    async announce() {
      for (const { server } of sessions.values()) await server.server.sendToolListChanged();
    },
  };
}

/** The official server of the 2026-07-28 generation. */
export function modernServer(): Handler {
  const handler = createMcpHandler(
    () => {
      const server = new ModernServer({ name: "calculator", version: "2" }, {});
      server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
        content: [{ type: "text", text: String(a + b) }],
      }));
      return server;
    },
    { legacy: "reject" },
  );
  return (request) => handler.fetch(request);
}

/** The official server over server-sent events. `drop` ends all streams. */
export async function sseServer(): Promise<TestServer & { drop(): void }> {
  const open = new Map<string, SSEServerTransport>();
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      open.set(transport.sessionId, transport);
      void calculator().connect(transport);
      return;
    }
    const id = new URL(request.url ?? "", "http://x").searchParams.get("sessionId") ?? "";
    void open.get(id)?.handlePostMessage(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    drop: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const rpcError = (code: number, message: string) => ({ jsonrpc: "2.0", id: null, error: { code, message } });

export const never = new AbortController().signal;

/** A started transport, with requests as promises. */
export async function dial(transport: Transport) {
  const messages: JsonObject[] = [];
  const waiting = new Map<number, (answer: unknown) => void>();
  const closed = Promise.withResolvers<Error>();
  let notified = Promise.withResolvers<void>();
  let nextId = 0;
  const events = {
    message(message: unknown) {
      const known = message as JsonObject;
      if (known["method"] === undefined) return void waiting.get(Number(known["id"]))?.(message);
      messages.push(known);
      notified.resolve();
      notified = Promise.withResolvers();
    },
    closed: (reason: Error) => closed.resolve(reason),
  };
  await transport.start?.(events, never);
  const request = async (method: string, params: JsonObject = {}, signal = never) => {
    const id = nextId++;
    const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
    const sent = transport.send({ jsonrpc: "2.0", id, method, params }, signal);
    // As the client does: the answer is what `send` resolves with, or a message.
    return readResponse(await Promise.race([answer, sent.then((direct) => direct ?? answer)]));
  };
  return {
    messages,
    closed: closed.promise,
    notified: () => notified.promise,
    request,
    notify: (method: string) => transport.send({ jsonrpc: "2.0", method }, never),
    async initialize(version = "2025-11-25") {
      const result = (await request("initialize", {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      })) as { protocolVersion: string };
      transport.useVersion?.(result.protocolVersion);
      await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" }, never);
      return result;
    },
    close: async () => transport.close?.(),
  };
}
