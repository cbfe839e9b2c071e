import { expect, test } from "bun:test";
import type { McpConnection } from "@keelson/mcp";
import { ManagedServer, type ConnectionEvents } from "./server.ts";
import { serversFromInitialize } from "./server-config.ts";
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
      await Promise.resolve();
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
