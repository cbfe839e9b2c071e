import { expect, test } from "bun:test";
import { McpConnection } from "../connection/connection.ts";
import type { Transport, TransportEvents } from "../connection/client.ts";
import { fakeServer } from "../connection/fake-server.test-support.ts";
import { watchedTransport } from "./watched.ts";

test("every message is shown in both directions, also those the server sends by itself", async () => {
  const { transport } = fakeServer();
  let events: TransportEvents | undefined;
  let closed = false;
  const inner: Transport = {
    ...transport,
    start: async (given) => void (events = given),
    close: () => void (closed = true),
  };
  const seen: [string, unknown][] = [];
  const connection = new McpConnection({
    name: "calc",
    transport: watchedTransport(inner, (direction, message) => seen.push([direction, message])),
    timeoutMs: 5_000,
    callTimeoutMs: 5_000,
  });
  await connection.open();
  events!.message({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
  await connection.close();

  const short = seen.map(([direction, message]: any) => `${direction} ${message.method ?? `answer ${message.id}`}`);
  expect(short).toEqual([
    "sent initialize",
    "received answer 0",
    "sent notifications/initialized",
    "sent tools/list",
    "received answer 1",
    "received notifications/message",
  ]);
  expect({ status: connection.status, closed }).toEqual({ status: "connected", closed: true });
});
