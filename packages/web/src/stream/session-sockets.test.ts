// What the server does with sockets that ask for too much, say too much, or do not read.

import { expect, test } from "bun:test";
import type { WebSession } from "../host.ts";
import { post, SESSION_ID, startWatchedServer, type WatchedServer } from "../watched-server.test-support.ts";

const STORED: WebSession = {
  id: SESSION_ID,
  title: "A session",
  cwd: "/",
  branch: undefined,
  worktree: undefined,
  modifiedMs: 1,
  bytes: 2,
  isOpen: false,
  isArchived: false,
  state: "idle",
};

interface Opened {
  readonly socket: WebSocket;
  /** 0 if it never opened. */
  readonly closed: Promise<number>;
  /** Rejects if it was refused. */
  readonly open: Promise<void>;
}

function connect({ server }: WatchedServer, token: string): Opened {
  const { port } = server;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/sessions/${SESSION_ID}/stream`, {
    protocols: ["keelson.v1", `bearer.${token}`],
    headers: { Origin: `http://127.0.0.1:${port}` },
  } as never);
  const open = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  socket.addEventListener("open", () => open.resolve());
  socket.addEventListener("close", ({ code }) => {
    closed.resolve(code);
    open.reject(new Error(`Closed: ${code}`));
  });
  open.promise.catch(() => undefined);
  return { socket, open: open.promise, closed: closed.promise };
}

const ask = (id: number) =>
  JSON.stringify({ type: "control_request", request_id: `r${id}`, request: { subtype: "get_session_cost" } });

test("a device has eight streams; when one is closed, there is room for another", async () => {
  await using server = startWatchedServer();
  const token = await server.signIn();
  const eight = Array.from({ length: 8 }, () => connect(server, token));
  await Promise.all(eight.map(({ open }) => open));
  await expect(connect(server, token).open).rejects.toThrow();
  // Another device is not concerned.
  await connect(server, await server.signIn()).open;
  eight[0]!.socket.close();
  await eight[0]!.closed;
  await connect(server, token).open;
  expect(server.work.filter((each) => each === "attach").length).toBeLessThanOrEqual(10);
});

test("a socket that floods is cut off, and what it sent before was taken", async () => {
  await using server = startWatchedServer();
  const { socket, open, closed } = connect(server, await server.signIn());
  await open;
  for (let id = 0; id < 1_000; id++) socket.send(ask(id));
  expect(await closed).toBe(4008);
  expect(server.sent.length).toBeGreaterThan(0);
  expect(server.sent.length).toBeLessThanOrEqual(300);
});

test("large messages count as several", async () => {
  await using server = startWatchedServer();
  const { socket, open, closed } = connect(server, await server.signIn());
  await open;
  const content = "x".repeat(900_000);
  for (let n = 0; n < 30; n++)
    socket.send(
      JSON.stringify({
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
        uuid: crypto.randomUUID(),
      }),
    );
  expect(await closed).toBe(4008);
  expect(server.sent.length).toBeLessThan(30);
});

test.each([
  ["nothing that is unknown", { type: "control_request", request_id: "x", request: { subtype: "no_such_thing" } }],
  ["no reply", { type: "control_request", request_id: "x", request: { subtype: "get_session_cost" } }],
])("who asks and reads %s is cut off before its answers pile up", async (_, message) => {
  await using server = startWatchedServer({ replies: { get_session_cost: { text: "x".repeat(200_000) } } });
  const token = await server.signIn();
  const upgraded = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.server.port,
    socket: {
      data(self) {
        self.pause();
        upgraded.resolve();
      },
    },
  });
  socket.write(upgradeOf(server, token));
  await upgraded.promise;
  while (server.attached === 0) await new Promise(setImmediate);
  // Until the kernel takes nothing more, it looks like someone who reads.
  while (server.attached > 0) {
    server.say({ type: "system", subtype: "informational", content: "x".repeat(100_000), level: "info" } as never);
    for (let n = 0; n < 20; n++) socket.write(clientFrame(JSON.stringify(message)));
    server.clock += 1_000;
    await new Promise(setImmediate);
  }
  socket.terminate();
  // The few that came before it was known that nobody reads, and no more.
  expect(server.sent.length).toBeLessThan(1_000);
});

function upgradeOf({ server }: WatchedServer, token: string, ...more: readonly string[]): string {
  const host = `127.0.0.1:${server.port}`;
  const head = [
    `GET /v1/sessions/${SESSION_ID}/stream HTTP/1.1`,
    `Host: ${host}`,
    `Origin: http://${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Sec-WebSocket-Protocol: keelson.v1, bearer.${token}`,
    ...more,
  ];
  return `${head.join("\r\n")}\r\n\r\n`;
}

/** As a browser sends a text, with a mask of zeros. */
const clientFrame = (text: string) => frameOf(0x81, Buffer.from(text));

function frameOf(first: number, body: Buffer, { isMasked = true } = {}): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length));
  const head =
    body.length < 126
      ? [first, mask | body.length]
      : body.length < 65_536
        ? [first, mask | 126, ...size.subarray(6)]
        : [first, mask | 127, ...size];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(isMasked ? 4 : 0), body]);
}

const ASKED = Buffer.from(ask(1));
/** What no browser sends. The first byte of a frame says what it is, and whether it is the last of its message. */
const FRAMES: readonly (readonly [what: string, frames: readonly Buffer[], extension?: string])[] = [
  ["without a mask", [frameOf(0x81, ASKED, { isMasked: false })]],
  ["that says that it is packed", [frameOf(0xc1, ASKED)]],
  [
    "that grows to 50 MB when it is unpacked",
    [frameOf(0xc1, Buffer.from(Bun.deflateSync(Buffer.alloc(50_000_000, 32))))],
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
  ],
  ["of a kind that there is not", [frameOf(0x83, ASKED)]],
  ["that goes on with nothing", [frameOf(0x80, ASKED)]],
  ["inside of another one", [frameOf(0x01, ASKED.subarray(0, 5)), frameOf(0x81, ASKED)]],
  ["without an end", Array.from({ length: 30 }, (_, at) => frameOf(at === 0 ? 0x01 : 0x00, Buffer.alloc(100_000, 32)))],
  ["that is no text", [frameOf(0x81, Buffer.from([0xff, 0xfe, 0x80]))]],
  ["with a size that no memory holds", [Buffer.from([0x81, 0xff, ...Array.from({ length: 12 }, () => 0xff)])]],
  ["with a ping that is too large", [frameOf(0x89, Buffer.alloc(200))]],
  ["with a ping in parts", [frameOf(0x09, Buffer.from("x"))]],
];

test.each(FRAMES.map(([what, ...rest]) => [what, rest] as const))(
  "a frame %s closes the connection, and the session hears nothing",
  async (_, [frames, extension]) => {
    await using server = startWatchedServer();
    const token = await server.signIn();
    const closed = Promise.withResolvers<void>();
    let answer = "";
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.server.port,
      socket: {
        data(self, bytes) {
          if (answer !== "") return;
          answer = bytes.toString("latin1");
          for (const frame of frames) self.write(frame);
        },
        close: () => closed.resolve(),
      },
    });
    socket.write(upgradeOf(server, token, ...(extension === undefined ? [] : [extension])));
    await closed.promise;
    expect(answer).toStartWith("HTTP/1.1 101");
    expect(answer.toLowerCase()).not.toContain("sec-websocket-extensions");
    expect(server.sent).toEqual([]);
  },
);

test("a message in several frames is one message", async () => {
  await using server = startWatchedServer();
  const answered = Promise.withResolvers<string>();
  let heard = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.server.port,
    socket: {
      data(self, bytes) {
        if (heard === "")
          for (const frame of [frameOf(0x01, ASKED.subarray(0, 9)), frameOf(0x80, ASKED.subarray(9))])
            self.write(frame);
        heard += bytes.toString("latin1");
        if (heard.includes("control_response")) answered.resolve(heard);
      },
    },
  });
  socket.write(upgradeOf(server, await server.signIn()));
  await answered.promise;
  expect(server.sent).toHaveLength(1);
  socket.end();
});

test.each([
  ["bytes", new Uint8Array([1, 2, 3]), 4003],
  ["a number", "1", 4003],
  ["nothing", "", 4003],
  ["nesting without end", "[".repeat(500_000), 4003],
  ["more than a frame may have", "x".repeat(1_100_000), 1009],
])("a frame of %s closes the socket, and the session hears nothing", async (_, frame, code) => {
  await using server = startWatchedServer();
  const { socket, open, closed } = connect(server, await server.signIn());
  await open;
  socket.send(frame);
  expect(await closed).toBe(code);
  expect(server.sent).toEqual([]);
});

test("a device that only watches asks what changes nothing; anything else closes its socket", async () => {
  await using server = startWatchedServer();
  const token = await server.signIn("viewer");
  const uuid = crypto.randomUUID();
  const messages = [
    { type: "user", message: { role: "user", content: "x" }, parent_tool_use_id: null, uuid },
    { type: "control_response", response: { subtype: "success", request_id: "x", response: { behavior: "allow" } } },
    { type: "control_cancel_request", request_id: "x" },
    { type: "control_request", request_id: "x", request: { subtype: "interrupt" } },
    { type: "control_request", request_id: "x", request: { subtype: "set_permission_mode", mode: "acceptEdits" } },
    { type: "control_request", request_id: "x", request: { subtype: "rewind_files", user_message_id: uuid } },
  ];
  for (const message of messages) {
    const { socket, open, closed } = connect(server, token);
    await open;
    socket.send(JSON.stringify(message));
    expect([message.type, await closed]).toEqual([message.type, 4003]);
  }
  expect(server.sent).toEqual([]);
  const { socket, open } = connect(server, token);
  await open;
  socket.send(ask(1));
  await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
  expect(server.sent).toHaveLength(1);
});

test("what commands of a session send does nothing, with whatever link or token", async () => {
  await using server = startWatchedServer();
  const [token, viewer] = [await server.signIn(), await server.signIn("viewer")];
  const code = server.server.link().split("#code=")[1];
  server.isCommand = true;
  for (const each of [token, viewer]) await expect(connect(server, each).open).rejects.toThrow();
  for (const path of ["/v1/sessions", "/v1/devices", "/v1/auth/logout"])
    expect((await post(server, path, {}, token)).status).toBe(403);
  expect((await post(server, "/v1/auth/code", { code })).status).toBe(403);
  expect(server.work).toEqual([]);
  server.isCommand = false;
  expect((await post(server, "/v1/auth/code", { code })).status).toBe(200);
});

test("signing out closes the streams of that device, and of no other", async () => {
  await using server = startWatchedServer();
  const [one, other] = [await server.signIn(), await server.signIn()];
  const [first, second] = [connect(server, one), connect(server, other)];
  await Promise.all([first.open, second.open]);
  const { port } = server.server;
  await fetch(`http://127.0.0.1:${port}/v1/auth/logout`, {
    method: "POST",
    headers: { Authorization: `Bearer ${one}`, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(await first.closed).toBe(4001);
  expect(second.socket.readyState).toBe(WebSocket.OPEN);
});

test("a prompt that comes while a changed transcript is read again opens its session once, after that", async () => {
  await using server = startWatchedServer({ isStored: true, sessions: [STORED] });
  const { socket, open } = connect(server, await server.signIn());
  const snapshots = until(socket, 1, "snapshot");
  await open;
  await snapshots;
  const reading = Promise.withResolvers<void>();
  server.reading = reading.promise;
  const before = server.work.length;
  const isRead = until(socket, 1, "hello");
  server.sessions = [{ ...STORED, modifiedMs: 2 }];
  server.listChanged();
  while (!server.work.slice(before).includes("messages")) await Bun.sleep(5);
  socket.send(
    JSON.stringify({
      type: "user",
      message: { role: "user", content: "Go" },
      parent_tool_use_id: null,
      uuid: crypto.randomUUID(),
    }),
  );
  await hasTaken(socket);
  reading.resolve();
  await isRead;
  while (server.sent.length === 0) await Bun.sleep(5);
  expect(server.work.slice(before).filter((each) => /read|open|attach/.test(each))).toEqual([
    "messages were read",
    "open",
    "attach",
  ]);
  expect(server.attached).toBe(1);
});

/** So many messages of this subtype have come. */
function until(socket: WebSocket, count: number, subtype: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  socket.addEventListener("message", ({ data }) => {
    if (JSON.parse(String(data)).m.subtype === subtype && ++seen === count) resolve();
  });
  return promise;
}

/** The server has taken all that was sent: it answers in order. */
async function hasTaken(socket: WebSocket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pinging = socket as WebSocket & { ping(): void };
  pinging.addEventListener("pong" as never, () => resolve());
  pinging.ping();
  await promise;
}
