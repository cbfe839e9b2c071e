// The list of sessions over a socket: who gets it, what comes when, and when the host is left alone.

import { expect, test } from "bun:test";
import type { WebSession } from "../host.ts";
import { exchange, startWatchedServer, type WatchedServer } from "../watched-server.test-support.ts";

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const session = (number: number, more: Partial<WebSession> = {}): WebSession => ({
  id: idOf(number),
  title: `Session ${number}`,
  cwd: "/p",
  branch: undefined,
  worktree: undefined,
  modifiedMs: number,
  bytes: 1,
  isOpen: false,
  isArchived: false,
  state: "idle",
  ...more,
});

/** Newest first. */
const many = (count: number) => Array.from({ length: count }, (_, at) => session(count - at));

interface ListSocket {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  /** The next message. */
  next(): Promise<any>;
}

function connect({ server }: WatchedServer, token: string): ListSocket {
  const { port } = server;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/sessions/stream`, {
    protocols: ["keelson.v1", `bearer.${token}`],
    headers: { Origin: `http://127.0.0.1:${port}` },
  } as never);
  const messages: any[] = [];
  let news = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  socket.addEventListener("message", ({ data }) => {
    messages.push(JSON.parse(String(data)).m);
    news.resolve();
  });
  socket.addEventListener("close", ({ code }) => closed.resolve(code));
  return {
    socket,
    closed: closed.promise,
    async next() {
      if (messages.length === 0) await news.promise;
      news = Promise.withResolvers();
      return messages.shift();
    },
  };
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => Number(id.slice(-12)));

test("the newest come at once, with those further down that do something, and then what changes", async () => {
  const sessions = [
    ...many(300),
    session(0, { state: "requires_action" }),
    session(-1, { state: "running", isArchived: true }),
  ];
  await using server = startWatchedServer({ sessions });
  const { socket, next } = connect(server, await server.signIn("viewer"));
  const { data, next_cursor: cursor, ...kind } = await next();
  expect(kind).toEqual({ type: "sessions", subtype: "list" });
  expect([ids(data).slice(0, 2), data.length, ids(data).at(-1)]).toEqual([[300, 299], 101, 0]);
  expect(cursor).toBe(`201 ${idOf(201)}`);

  server.sessions = [session(301), session(300, { title: "Another" }), ...sessions.slice(2)];
  server.listChanged();
  const changed = await next();
  expect([ids(changed.data), changed.data[1].title, changed.removed]).toEqual([[301, 300], "Another", [idOf(299)]]);

  // So much at once is sent as a list again.
  server.sessions = many(1_000).map((each) => ({ ...each, title: "New" }));
  server.listChanged();
  expect(await next()).toMatchObject({ subtype: "list", next_cursor: `901 ${idOf(901)}` });
  socket.close();
});

test("who comes second gets the list, and the host is watched once, as long as someone looks", async () => {
  await using server = startWatchedServer({ sessions: many(2) });
  const token = await server.signIn();
  const first = connect(server, token);
  expect(ids((await first.next()).data)).toEqual([2, 1]);
  const second = connect(server, token);
  expect(ids((await second.next()).data)).toEqual([2, 1]);
  const watching = () => server.work.filter((each) => each.endsWith("the list"));
  expect(watching()).toEqual(["watch the list"]);
  server.sessions = [session(3), ...server.sessions];
  server.listChanged();
  for (const { next } of [first, second]) expect(ids((await next()).data)).toEqual([3]);
  for (const { socket, closed } of [first, second]) {
    socket.close();
    await closed;
  }
  while (watching().length < 2) await new Promise(setImmediate);
  expect(watching()).toEqual(["watch the list", "leave the list"]);
});

test("a device has eight of them beside its streams of sessions, may send nothing, and loses them when it is signed out", async () => {
  await using server = startWatchedServer({ sessions: many(1) });
  const token = await server.signIn();
  const eight = Array.from({ length: 8 }, () => connect(server, token));
  for (const { next } of eight) await next();
  const upgrade = [
    "GET /v1/sessions/stream HTTP/1.1",
    `Host: 127.0.0.1:${server.server.port}`,
    `Authorization: Bearer ${token}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: keelson.v1",
  ].join("\r\n");
  expect((await server.request(upgrade)).status).toBe(429);
  eight[0]!.socket.send("{}");
  expect(await eight[0]!.closed).toBe(4003);
  expect((await exchange(server.server.port, `${upgrade}\r\n\r\n`)).status).toBe(101);
  const logout = ["POST /v1/auth/logout HTTP/1.1", ...upgrade.split("\r\n").slice(1, 3)].join("\r\n");
  await server.request(`${logout}\r\nContent-Type: application/json\r\nContent-Length: 2`, "{}");
  expect(await Promise.all(eight.slice(1).map(({ closed }) => closed))).toEqual(Array(7).fill(4001));
});
