import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import { Watchers } from "./watchers.ts";

const line = (n: number): Outbound => ({ type: "note", n });

async function collect(watcher: AsyncIterable<Outbound>): Promise<unknown[]> {
  return (await Array.fromAsync(watcher)).map((message) => (message as unknown as { n: unknown }).n);
}

test("every watcher sees everything from the moment it attached, in order", async () => {
  const watchers = new Watchers();
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

test("what was said before anybody watched goes to the first who comes, behind the past, and to nobody else", async () => {
  const watchers = new Watchers();
  watchers.push(line(1));
  const first = collect(watchers.attach([line(0)]));
  const second = collect(watchers.attach());
  watchers.push(line(2));
  watchers.end();
  expect(await Promise.all([first, second])).toEqual([[0, 1, 2], [2]]);
});

test("what was said before anybody watched is kept up to a limit", async () => {
  const watchers = new Watchers();
  for (let n = 0; n < 100_000; n++) watchers.push(line(n));
  watchers.end();
  expect((await collect(watchers.attach())).length).toBeLessThan(5_000);
});

test("a watcher that attaches after the end sees the past and then the end", async () => {
  const watchers = new Watchers();
  watchers.end();
  expect(await collect(watchers.attach([line(7)]))).toEqual([7]);
});

test("a watcher far behind holds the sender back until it has caught up", async () => {
  const watchers = new Watchers();
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

test("a watcher that leaves no longer holds anybody back", async () => {
  const watchers = new Watchers();
  const watcher = watchers.attach()[Symbol.asyncIterator]();
  let behind: void | Promise<void> = undefined;
  for (let n = 0; !behind; n++) behind = watchers.push(line(n));
  await watcher.return!();
  await behind;
  expect(watchers.push(line(1))).toBeUndefined();
});
