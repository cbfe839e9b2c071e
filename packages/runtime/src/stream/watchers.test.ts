import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import { Watchers } from "./watchers.ts";

const line = (n: number): Outbound => ({ type: "note", n }) as never;

async function collect(watcher: AsyncIterable<Outbound>): Promise<unknown[]> {
  return (await Array.fromAsync(watcher)).map((message) => ("n" in message ? message.n : undefined));
}

test("a watcher gets all messages since it attached, in order", async () => {
  const watchers = new Watchers(() => "epoch");
  const early = collect(watchers.attach());
  watchers.push(line(1));
  const late = collect(watchers.attach([line(0)]));
  watchers.push(line(2));
  watchers.end();
  expect(await Promise.all([early, late])).toEqual([
    [1, 2],
    [0, 2],
  ]);
});

test("messages from before the first watcher go to that watcher only, after the past", async () => {
  const watchers = new Watchers(() => "epoch");
  watchers.push(line(1));
  const first = collect(watchers.attach([line(0)]));
  const second = collect(watchers.attach());
  watchers.push(line(2));
  watchers.end();
  expect(await Promise.all([first, second])).toEqual([[0, 1, 2], [2]]);
});

test("messages from before the first watcher are kept up to a limit", async () => {
  const watchers = new Watchers(() => "epoch");
  for (let n = 0; n < 100_000; n++) watchers.push(line(n));
  watchers.end();
  expect((await collect(watchers.attach())).length).toBeLessThan(5_000);
});

test("a watcher that attaches after the end gets the past, then ends", async () => {
  const watchers = new Watchers(() => "epoch");
  watchers.end();
  expect(await collect(watchers.attach([line(7)]))).toEqual([7]);
});

test("a watcher that is far behind holds the sender back until it catches up", async () => {
  const watchers = new Watchers(() => "epoch");
  const watcher = watchers.attach()[Symbol.asyncIterator]();
  let behind: void | Promise<void> = undefined;
  let sent = 0;
  while (!behind && sent < 100_000) behind = watchers.push(line(sent++));
  expect(sent).toBeLessThan(5_000);

  let free = false;
  void behind!.then(() => (free = true));
  for (let n = 0; n < sent; n++) expect(await watcher.next()).toEqual({ done: false, value: line(n) });
  await behind;
  expect(free).toBe(true);
  expect(watchers.push(line(0))).toBeUndefined();
});

test("a watcher that detaches no longer holds the sender back", async () => {
  const watchers = new Watchers(() => "epoch");
  const watcher = watchers.attach()[Symbol.asyncIterator]();
  let behind: void | Promise<void> = undefined;
  for (let n = 0; !behind; n++) behind = watchers.push(line(n));
  await watcher.return!();
  await behind;
  expect(watchers.push(line(1))).toBeUndefined();
});
