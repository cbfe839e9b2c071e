// Servers made with the official SDKs of both protocol generations, over stdio and WebSocket.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createServerPrograms } from "@keelson/host/servers";
import {
  McpConnection,
  stdioTransport,
  webSocketTransport,
  type ConnectionOptions,
  type Transport,
} from "@keelson/mcp";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { newPeer } from "./peers/new-peer.ts";
import { oldPeer } from "./peers/old-peer.ts";

const programs = createServerPrograms();
afterAll(() => programs.close());
const signal = new AbortController().signal;

const overStdio = (kind: string) =>
  stdioTransport(() =>
    programs.start({
      command: process.execPath,
      args: [join(import.meta.dir, "peers", "peer-main.ts"), kind],
      cwd: import.meta.dir,
      env: { PATH: process.env["PATH"] ?? "" },
    }),
  );

/** The SDKs have no WebSocket transport for servers, so this one carries their messages. */
interface PeerTransport {
  onmessage?: (message: any) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
}

const sockets = Bun.serve<{ kind: string; peer?: PeerTransport }>({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request, server) => {
    const data = { kind: new URL(request.url).pathname.slice(1) };
    return server.upgrade(request, { data, headers: { "Sec-WebSocket-Protocol": "mcp" } }) ? undefined : new Response();
  },
  websocket: {
    data: {} as { kind: string; peer?: PeerTransport },
    open(socket) {
      const peer: PeerTransport = {
        start: async () => undefined,
        send: async (message) => void socket.send(JSON.stringify(message)),
        close: async () => socket.close(),
      };
      socket.data.peer = peer;
      const { kind } = socket.data;
      if (kind === "old") void oldPeer().connect(peer);
      else serveStdio(newPeer, { transport: peer, legacy: kind === "new-only" ? "reject" : "serve" });
    },
    message: ({ data }, text) => data.peer?.onmessage?.(JSON.parse(String(text))),
    close: ({ data }) => data.peer?.onclose?.(),
  },
});
afterAll(() => sockets.stop(true));

const overWebSocket = (kind: string) => webSocketTransport({ url: `ws://127.0.0.1:${sockets.port}/${kind}` });

async function connect(transport: Transport, options: Partial<ConnectionOptions> = {}) {
  const connection = new McpConnection({
    name: "peer",
    transport,
    timeoutMs: 60_000,
    callTimeoutMs: 60_000,
    mayDiscover: true,
    capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
    handlers: {
      "roots/list": async () => ({ roots: [{ uri: "file:///project" }] }),
      "elicitation/create": async () => ({ action: "accept", content: { name: "Bo" } }),
    },
    ...options,
  });
  await connection.open();
  return connection;
}

const textOf = async (call: ReturnType<McpConnection["call"]>) => (await call)?.blocks;
const shown = (text: string) => [{ type: "text", text }];

const ways: readonly [string, (kind: string) => Transport][] = [
  ["stdio", overStdio],
  ["WebSocket", overWebSocket],
];

const PEERS = [
  ["old", "initialize", "2025-11-25", "Old and reliable."],
  ["new", "initialize", "2025-11-25", "New and stateless."],
  ["new-only", "discover", "2026-07-28", "New and stateless."],
] as const;

test.each(ways.flatMap(([way, transport]) => PEERS.map((peer) => [peer[0], way, transport, peer] as const)))(
  "the peer %s over %s: tools, questions, roots, prompts, resources",
  async (_, __, transport, [kind, openedBy, protocolVersion, instructions]) => {
    const connection = await connect(transport(kind));
    expect([connection.status, connection.error]).toEqual(["connected", undefined]);
    expect(connection.facts).toMatchObject({ openedBy, protocolVersion, instructions });
    expect(await textOf(connection.call("add", { a: 1, b: 2 }, { signal, toolUseId: "t" }))).toEqual(shown("3"));
    expect((await connection.call("add", { a: "one" }, { signal }))?.isError).toBe(true);
    // A tool that returns its questions works in the newer protocol, and one that asks them in the older.
    expect(await textOf(connection.call("ask", {}, { signal }))).toEqual(shown("accept Bo"));
    expect(await textOf(connection.call("roots", {}, { signal }))).toEqual(shown("file:///project"));
    expect(await connection.listPrompts(signal)).toMatchObject([
      { name: "greet", arguments: [{ name: "who", required: true }] },
    ]);
    expect(await connection.getPrompt("greet", { who: "Bo" }, signal)).toMatchObject({
      messages: [{ role: "user", content: shown("Greet Bo") }],
    });
    expect(await connection.listResources(signal)).toMatchObject([{ uri: "note://1", name: "notes" }]);
    expect(await connection.readResource("note://1", signal)).toMatchObject([{ uri: "note://1", text: "a note" }]);
    await connection.close();
  },
);

test.each(ways.flatMap(([way, transport]) => PEERS.map(([kind]) => [kind, way, transport] as const)))(
  "the peer %s over %s announces a new tool",
  async (kind, _, transport) => {
    const changed = Promise.withResolvers<void>();
    const connection = await connect(transport(kind), {
      onListChanged: (list) => list === "tools" && changed.resolve(),
    });
    await connection.call("grow", {}, { signal });
    await changed.promise;
    expect(await textOf(connection.call("grown", {}, { signal }))).toEqual(shown("new"));
    await connection.close();
  },
);

test.each(ways)("progress, log messages and cancellation work over %s", async (_, transport) => {
  const logs: string[] = [];
  const stop = new AbortController();
  const cancelled = Promise.withResolvers<void>();
  const connection = await connect(transport("old"), {
    onLog: ({ text }) => {
      logs.push(text);
      if (text === "hanging") stop.abort(new Error("stopped"));
      if (text === "cancelled") cancelled.resolve();
    },
  });
  const progress: number[] = [];
  const onProgress = (each: { readonly progress: number }) => progress.push(each.progress);
  await connection.call("slow", {}, { signal, toolUseId: "t", onProgress });
  const hanging = connection.call("hang", {}, { signal: stop.signal, toolUseId: "h" });
  expect(hanging).rejects.toThrow("stopped");
  await cancelled.promise;
  expect([progress, logs]).toEqual([
    [1, 2, 3],
    ["nearly done", "hanging", "cancelled"],
  ]);
  await connection.close();
});
