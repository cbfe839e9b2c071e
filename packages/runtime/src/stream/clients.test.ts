import { expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { Readable } from "node:stream";
import { controlSuccess, type Outbound } from "@keelson/protocol";
import { ClientRequests } from "../controls/client-requests.ts";
import { Clients, type StreamClient } from "./clients.ts";
import { beginning, tellPresence } from "./joining.ts";

const line = (n: number): Outbound => ({ type: "note", n }) as never;

const past = (n: number) => (_client: StreamClient, position: number) => beginning([{ message: line(n) }], position);

const newClients = () => new Clients({ newId: () => "epoch-id" });

async function collect(client: AsyncIterable<Outbound>): Promise<unknown[]> {
  return (await Array.fromAsync(client)).map((message) => ("n" in message ? message.n : undefined));
}

test("a client gets all messages since it attached, in order", async () => {
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

test("messages from before the first client go to that client only, after the past", async () => {
  const clients = newClients();
  clients.push(line(1));
  const first = collect(clients.attach({}, past(0)));
  const second = collect(clients.attach());
  clients.push(line(2));
  clients.end();
  expect(await Promise.all([first, second])).toEqual([[0, 1, 2], [2]]);
});

test("messages from before the first client are kept up to a limit", async () => {
  const clients = newClients();
  for (let n = 0; n < 100_000; n++) clients.push(line(n));
  clients.end();
  expect((await collect(clients.attach())).length).toBeLessThan(5_000);
});

test("a client that attaches after the end gets the past, then ends", async () => {
  const clients = newClients();
  clients.end();
  expect(await collect(clients.attach({}, past(7)))).toEqual([7]);
});

test("a client that is far behind holds the sender back until it catches up", async () => {
  const clients = newClients();
  const client = clients.attach();
  let behind: void | Promise<void> = undefined;
  let sent = 0;
  while (!behind && sent < 100_000) behind = clients.push(line(sent++));
  expect(sent).toBeLessThan(5_000);

  let free = false;
  void behind!.then(() => (free = true));
  for (let n = 0; n < sent; n++) expect(await client.next()).toEqual({ done: false, value: line(n) });
  await behind;
  expect(free).toBe(true);
  expect(clients.push(line(0))).toBeUndefined();
});

test("a client that detaches no longer holds the sender back", async () => {
  const clients = newClients();
  const client = clients.attach();
  let behind: void | Promise<void> = undefined;
  for (let n = 0; !behind; n++) behind = clients.push(line(n));
  await client.return!();
  await behind;
  expect(clients.push(line(1))).toBeUndefined();
});

const view = { partial: true, streamEvents: true };
const delta = (text: string): Outbound =>
  ({
    type: "stream_event",
    uuid: "u",
    session_id: "s",
    parent_tool_use_id: null,
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  }) as Outbound;
const event = (event: object): Outbound => ({ ...delta(""), event }) as Outbound;
const begun = [
  event({ type: "message_start", message: { id: "m" } }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
];
const isDelta = (message: Outbound) => message.type === "stream_event";
/** All that is there now. */
async function drained(client: StreamClient, clients: Clients): Promise<Outbound[]> {
  const last = line(-1);
  clients.push(last);
  const got: Outbound[] = [];
  for (;;) {
    const { value } = await client.next();
    if (value === last) return got;
    got.push(value);
  }
}

test("each client gets what its view has, and nobody else", async () => {
  const clients = newClients();
  const [plain, full] = [clients.attach(), clients.attach({ view: { hookEvents: true } })];
  expect([clients.wants("hookEvents"), clients.wants("partial")]).toEqual([true, false]);
  clients.push(line(1), "hookEvents");
  clients.push(line(2));
  clients.tell(line(3), (client) => client === plain);
  expect(await drained(plain, clients)).toEqual([line(2), line(3)]);
  clients.end();
  expect(await collect(full)).toEqual([1, 2, -1]);
});

test("before the first client has come, everything is wanted, and it gets what it asks for", async () => {
  const clients = newClients();
  expect(clients.wants("mirror")).toBe(true);
  clients.push(line(1), "mirror");
  clients.push(line(2), "partial");
  clients.tell(line(3), ({ answers }) => answers.permissions);
  clients.end();
  const first = clients.attach({ view: { mirror: true }, answers: { permissions: false, requests: true } });
  expect(await collect(first)).toEqual([1]);
});

test("a cursor is where a client has read to, also past what is not for it", async () => {
  const clients = newClients();
  const client = clients.attach();
  expect(client.cursor).toBe("epoch-id.0");
  clients.push(line(1));
  clients.push(line(2), "mirror");
  clients.tell(line(3), () => true);
  expect(client.cursor).toBe("epoch-id.0");
  await client.next();
  expect(client.cursor).toBe("epoch-id.1");
  await client.next();
  expect(client.cursor).toBe("epoch-id.1");
  clients.push(line(4), "mirror");
  expect(client.cursor).toBe("epoch-id.3");
});

test.each(["hold", "drop"] as const)("a %s client that is detached reads nothing more", async (whenSlow) => {
  const clients = newClients();
  clients.attach();
  const client = clients.attach({ whenSlow });
  clients.push(line(1));
  const left: StreamClient[] = [];
  clients.left = (each) => void left.push(each);
  clients.detach(client);
  clients.detach(client);
  clients.push(line(2));
  expect([await collect(client), left]).toEqual([[], [client]]);
});

test("a reader that stopped is never waited for, gets every whole message, and a snapshot for the deltas", async () => {
  const clients = newClients();
  const client = clients.attach({ view, whenSlow: "drop" });
  for (const message of begun) expect(clients.push(message, "partial")).toBeUndefined();
  for (let n = 0; n < 2_000; n++) {
    expect(clients.push(delta("x"), "partial")).toBeUndefined();
    if (n % 10 === 0) expect(clients.push(line(n))).toBeUndefined();
  }
  clients.end();
  const got = await Array.fromAsync(client);
  expect(got.filter(isDelta)).toEqual([]);
  expect(got.filter((message) => "n" in message)).toHaveLength(200);
  expect(got.at(-1)).toEqual({
    type: "stream",
    subtype: "snapshot",
    events: [...begun, delta("x".repeat(2_000))].map((message) => (message as { event: object }).event) as never,
  });
});

test("a reader that fell out of the ring starts anew from the transcript, and then reads on", async () => {
  const newest = [line(1), line(2)];
  const saidSoFar = (most: number | "all") => async () => ({
    before: `before ${most}`,
    messages: Readable.from(newest),
  });
  const clients = new Clients({ newId: () => "epoch-id", saidSoFar });
  const client = clients.attach({ view, whenSlow: "drop" });
  for (let n = 0; n < 10_000; n++) clients.push(line(n));
  clients.tell(line(-2), () => true);
  expect((await client.next()).value).toEqual({ type: "stream", subtype: "reset", before: "before 200" });
  // Amid what comes first there is no position to come back to.
  expect(client.cursor).toBe("epoch-id.-1");
  expect([(await client.next()).value, (await client.next()).value]).toEqual(newest);
  expect((await client.next()).value).toMatchObject({ subtype: "snapshot", events: [] });
  expect(client.cursor).toBe("epoch-id.10000");
  clients.push(line(7));
  clients.end();
  expect(await collect(client)).toEqual([-2, 7]);
});

test("what a stopped reader may keep waiting is bounded by bytes, too", () => {
  const clients = newClients();
  const { ring } = clients;
  const large = { ...line(0), text: "x".repeat(100_000) } as Outbound;
  for (let n = 0; n < 1_000; n++) clients.push(large);
  const kept = Array.from({ length: 1_000 }, (_, at) => ring.has(at)).filter((is) => is).length;
  expect(kept * 100_000).toBeLessThan(4.2 * 1024 * 1024);
  expect([ring.has(1_000), ring.has(1_001), ring.has(Number.NaN)]).toEqual([true, false, false]);
});

test("the first client gets a question that is open, however much came before it, and none that was taken back", async () => {
  const clients = newClients();
  const requests = new ClientRequests({ clients, newId: () => crypto.randomUUID() });
  for (let n = 0; n < 10_000; n++) clients.push(line(n));
  const taken = new AbortController();
  const asked = [taken.signal, new AbortController().signal].map((signal, at) =>
    requests.ask({ subtype: "can_use_tool", tool_name: `T${at}`, input: {} }, signal),
  );
  taken.abort();
  const client = clients.attach();
  const got = await drained(client, clients);
  expect(got.filter(({ type }) => type.startsWith("control_"))).toMatchObject([{ request: { tool_name: "T1" } }]);
  const { request_id } = requests.questions[0]!;
  requests.answered(controlSuccess(request_id, { behavior: "allow" }), client);
  expect(await Promise.all(asked)).toMatchObject([{ subtype: "error" }, { subtype: "success" }]);
});

test("a question that a stopped reader has not got is taken back, one that it has got is cancelled", async () => {
  const clients = newClients();
  const requests = new ClientRequests({ clients, newId: () => crypto.randomUUID() });
  const [one, other] = [clients.attach(), clients.attach({ view, whenSlow: "drop" })];
  const { signal } = new AbortController();
  for (const isRead of [true, false]) {
    const answer = requests.ask({ subtype: "can_use_tool" }, signal);
    const { request_id } = (await one.next()).value;
    if (isRead) expect((await other.next()).value).toMatchObject({ type: "control_request", request_id });
    requests.answered(controlSuccess(request_id, { behavior: "allow" }), one);
    expect(await answer).toMatchObject({ subtype: "success" });
    const told = (await drained(other, clients)).map(({ type }) => type);
    expect(told).toEqual(isRead ? ["control_cancel_request", "stream"] : ["stream"]);
    await one.next();
  }
});

test("whatever a stopped reader misses, less than 10 MB is kept for it", async () => {
  const clients = newClients();
  const requests = new ClientRequests({ clients, newId: () => crypto.randomUUID() });
  const reading = clients.attach({ view });
  const read = (async () => {
    for await (const message of reading)
      if (message.type === "control_request")
        requests.answered(controlSuccess(message.request_id, { behavior: "allow" }), reading);
  })();
  const unique = (bytes: number, n: number) => `${n}${"x".repeat(bytes)}`.split("").join("");
  const inUse = () => {
    Bun.gc(true);
    const { heapSize, extraMemorySize } = heapStats();
    return heapSize + extraMemorySize;
  };
  const { signal } = new AbortController();
  const round = async (n: number) => {
    for (const start of begun) await clients.push(start, "partial");
    for (let at = 0; at < 50; at++) await clients.push(delta(unique(200, at)), "partial");
    await clients.push(event({ type: "message_stop" }), "partial");
    await clients.push({ ...line(n), text: unique(100_000, n) } as Outbound);
    await requests.ask({ subtype: "can_use_tool", tool_name: unique(2_000, n), input: {} }, signal);
    const visitor = clients.attach({ name: unique(200, n) });
    tellPresence(clients);
    clients.detach(visitor);
  };
  for (let n = 0; n < 100; n++) await round(n);
  const before = inUse();
  const stopped = clients.attach({ view, whenSlow: "drop" });
  const watching = clients.attach({ view, whenSlow: "drop", role: "watcher" });
  for (let n = 0; n < 800; n++) await round(n);
  let replies = 0;
  while (stopped.tell({ ...line(0), text: unique(50_000, replies) } as Outbound) === undefined) replies++;
  expect(replies).toBeLessThan(200);
  expect((inUse() - before) / 1024 / 1024).toBeLessThan(10);

  // It is still told everything that it has to know.
  clients.end();
  const got = await Array.fromAsync(stopped);
  expect(got.filter(({ type }) => type === "control_request")).toEqual([]);
  expect(got).toContainEqual({ type: "stream", subtype: "reset", before: null });
  expect((await Array.fromAsync(watching)).filter((message) => "by" in message).length).toBeLessThan(110);
  await read;
});

test("in a crowd, not all are named, and not everyone is told of each", async () => {
  const clients = newClients();
  const told: Outbound[] = [];
  const first = clients.attach({ view, whenSlow: "drop" });
  const reading = (async () => {
    for await (const message of first) told.push(message);
  })();
  for (let n = 0; n < 1_000; n++) {
    clients.attach();
    tellPresence(clients);
    await Promise.resolve();
  }
  const isWhole = () => told.some((message) => "more_watchers" in message && message.more_watchers === 951);
  while (!isWhole()) await Bun.sleep(1);
  expect(told.at(-1)).toMatchObject({ watchers: { length: 50 } });
  expect(told.length).toBeLessThan(100);
  clients.end();
  await reading;
});

test("a presence that was not read is replaced by the next", async () => {
  const clients = newClients();
  const client = clients.attach({ view, whenSlow: "drop" });
  for (let n = 0; n < 1_000; n++) {
    const other = clients.attach();
    tellPresence(clients);
    clients.detach(other);
  }
  tellPresence(clients);
  clients.end();
  expect(await Array.fromAsync(client)).toEqual([
    { type: "stream", subtype: "presence", watchers: [{ id: "client-1", role: "driver" }] },
  ]);
});
