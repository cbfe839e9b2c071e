import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import { beginning, Clients, type Client } from "./clients.ts";

const line = (n: number): Outbound => ({ type: "note", n }) as never;

const past = (n: number) => (_client: Client, position: number) => beginning([line(n)], position);

const newClients = () => new Clients({ newId: () => "epoch-id", newest: () => [] });

async function collect(watcher: AsyncIterable<Outbound>): Promise<unknown[]> {
  return (await Array.fromAsync(watcher)).map((message) => ("n" in message ? message.n : undefined));
}

test("a watcher gets all messages since it attached, in order", async () => {
  const clients = newClients();
  const early = collect(clients.attach());
  clients.push(line(1));
  const late = collect(clients.attach({}, past(0)));
  clients.push(line(2));
  clients.end();
  expect(await Promise.all([early, late])).toEqual([
    [1, 2],
    [0, 2],
  ]);
});

test("messages from before the first watcher go to that watcher only, after the past", async () => {
  const clients = newClients();
  clients.push(line(1));
  const first = collect(clients.attach({}, past(0)));
  const second = collect(clients.attach());
  clients.push(line(2));
  clients.end();
  expect(await Promise.all([first, second])).toEqual([[0, 1, 2], [2]]);
});

test("messages from before the first watcher are kept up to a limit", async () => {
  const clients = newClients();
  for (let n = 0; n < 100_000; n++) clients.push(line(n));
  clients.end();
  expect((await collect(clients.attach())).length).toBeLessThan(5_000);
});

test("a watcher that attaches after the end gets the past, then ends", async () => {
  const clients = newClients();
  clients.end();
  expect(await collect(clients.attach({}, past(7)))).toEqual([7]);
});

test("a watcher that is far behind holds the sender back until it catches up", async () => {
  const clients = newClients();
  const watcher = clients.attach();
  let behind: void | Promise<void> = undefined;
  let sent = 0;
  while (!behind && sent < 100_000) behind = clients.push(line(sent++));
  expect(sent).toBeLessThan(5_000);

  let free = false;
  void behind!.then(() => (free = true));
  for (let n = 0; n < sent; n++) expect(await watcher.next()).toEqual({ done: false, value: line(n) });
  await behind;
  expect(free).toBe(true);
  expect(clients.push(line(0))).toBeUndefined();
});

test("a watcher that detaches no longer holds the sender back", async () => {
  const clients = newClients();
  const watcher = clients.attach();
  let behind: void | Promise<void> = undefined;
  for (let n = 0; !behind; n++) behind = clients.push(line(n));
  await watcher.return!();
  await behind;
  expect(clients.push(line(1))).toBeUndefined();
});
