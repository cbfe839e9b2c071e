import { expect, test } from "bun:test";
import { McpError, type McpConnection } from "@keelson/mcp";
import { ManagedServer, type ConnectionEvents } from "./server.ts";
import { serverFromConfiguration, serversFromInitialize } from "./server-config.ts";
import { Slots } from "./slots.ts";

test("a server that keeps announcing new prompts is asked for them once, and again after a pause", async () => {
  let events!: ConnectionEvents;
  let fetched = 0;
  const pauses: (() => void)[] = [];
  const connection = {
    status: "connected",
    facts: { hasPrompts: true },
    tools: [],
    open: async () => undefined,
    close: async () => undefined,
    async listPrompts() {
      fetched++;
      await Bun.sleep(0);
      events.listChanged("prompts");
      return [];
    },
  } as unknown as McpConnection;
  const server = new ManagedServer(serversFromInitialize({ sdkMcpServers: ["s"] })[0]!, {
    async connect(_, given) {
      events = given;
      return connection;
    },
    slots: new Slots(1),
    changed: () => undefined,
    sleep: () => new Promise((resolve) => pauses.push(resolve)),
    now: () => 0,
  });
  await server.connect();
  for (let count = 0; count < 1_000; count++) events.listChanged("prompts");
  await Bun.sleep(1);
  // When it connected, and for the first announcement.
  expect([fetched, pauses.length]).toEqual([2, 1]);
  pauses[0]!();
  await Bun.sleep(1);
  expect([fetched, pauses.length]).toEqual([3, 2]);
  await server.end();
});

test("a remote server that ends every connection at once is tried less and less often", async () => {
  const waits: number[] = [];
  let events!: ConnectionEvents;
  let now = 0;
  const config = { type: "http", url: "http://localhost/", headers: {} } as const;
  const server = new ManagedServer(serverFromConfiguration({ name: "s", scope: "user", config, written: {} }), {
    async connect(_, given) {
      events = given;
      const nothing = async () => undefined;
      return { status: "connected", facts: {}, tools: [], open: nothing, close: nothing } as unknown as McpConnection;
    },
    slots: new Slots(1),
    changed: () => undefined,
    sleep: async (ms) => void waits.push(ms),
    now: () => now,
  });
  await server.connect();
  for (let count = 0; count < 11; count++) {
    if (count === 10) now += 10 * 60_000;
    events.closed(new Error("gone"));
    await server.connect();
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 1].map((seconds) => seconds * 1_000));
  await server.end();
});

test("every request of a session that the server forgot is made again on a new connection, once", async () => {
  let opened = 0;
  const read = async () => {
    if (opened < 2) throw new McpError(-32001, "session expired");
    return [{ uri: "note://1", text: `from connection ${opened}` }];
  };
  const config = { type: "http", url: "http://localhost/", headers: {} } as const;
  const server = new ManagedServer(serverFromConfiguration({ name: "s", scope: "user", config, written: {} }), {
    async connect() {
      opened++;
      const nothing = async () => undefined;
      const open = { status: "connected", facts: {}, tools: [], open: nothing, close: nothing };
      return { ...open, readResource: read } as unknown as McpConnection;
    },
    slots: new Slots(1),
    changed: () => undefined,
    sleep: async () => undefined,
    now: () => 0,
  });
  const { signal } = new AbortController();
  const contents = await server.use(signal, (connection) => connection.readResource("note://1", signal));
  expect(contents).toEqual([{ uri: "note://1", text: "from connection 2" }]);
  const expired = () => Promise.reject(new McpError(-32001, "session expired"));
  await expect(server.use(signal, expired)).rejects.toThrow("session expired");
  expect(opened).toBe(3);
  await server.end();
});
