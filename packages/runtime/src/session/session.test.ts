import { expect, test } from "bun:test";
import { Clients } from "../stream/clients.ts";
import { Inbox } from "../stream/inbox.ts";
import { LiveSession } from "./session.ts";

test("a session that cannot start ends its clients and lets go of its transcript", async () => {
  const told: string[] = [];
  const clients = new Clients({ newId: () => "id" });
  const starting = Promise.withResolvers<void>();
  const session = new LiveSession({
    clients,
    inbox: new Inbox(),
    outbox: { end: () => clients.end() },
    owner: { stopListening: () => told.push("stopListening"), release: () => told.push("release") },
    start: () => starting.promise,
    title: () => undefined,
  } as never);
  const client = session.attach();
  starting.reject(new Error("no start"));
  expect(await Array.fromAsync(client.messages)).toEqual([]);
  await session.ended;
  expect(told).toEqual(["stopListening", "release"]);
});
