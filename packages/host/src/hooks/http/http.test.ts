// These tests connect only to this machine: the connector rejects everything else, and the resolver is ours.

import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, createServer as createRawServer, type AddressInfo, type Socket } from "node:net";
import type { HookRun, HttpHook } from "@keelson/protocol";
import type { ConnectSocket, SocketAddress } from "./connect.ts";
import { runHttpHook, type HttpHookOptions } from "./http.ts";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** A connector that records its targets and never leaves this machine. */
function loopbackOnly() {
  const dialled: SocketAddress[] = [];
  const dial: ConnectSocket = async (target, signal) => {
    dialled.push(target);
    if (target.address !== "127.0.0.1" && target.address !== "::1") throw new Error("this test dials loopback only");
    const socket = connect({ host: target.address, port: target.port });
    socket.on("error", () => {});
    signal.addEventListener("abort", () => socket.destroy(signal.reason));
    await once(socket, "connect");
    return socket;
  };
  return { dialled, dial };
}

async function listen(handle: RequestListener): Promise<{ port: number; server: Server }> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  closing.push(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, server };
}

/** A server that sends exactly these bytes for any request. */
async function listenRaw(speak: (socket: Socket, first: Buffer) => void): Promise<number> {
  const server = createRawServer((socket) => {
    closing.push(() => socket.destroy());
    socket.on("error", () => {});
    socket.once("data", (first) => speak(socket, Buffer.from(first)));
  }).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
}

async function post(
  url: string,
  { handler = {}, ...options }: Partial<HttpHookOptions> & { handler?: Partial<HttpHook> } = {},
): Promise<{ run: Omit<HookRun, "durationMs">; dialled: readonly SocketAddress[] }> {
  const { dial, dialled } = loopbackOnly();
  const { durationMs, ...run } = await runHttpHook({ type: "http", url, ...handler }, '{"hook_event_name":"Stop"}', {
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    env: {},
    resolve: async () => ["127.0.0.1"],
    connect: dial,
    ...options,
  });
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return { run, dialled };
}

const failed = (problem: string) => ({ outcome: "error" as const, stdout: "", stderr: "", problem });
const said = (stdout: string) => ({ outcome: "success" as const, exitCode: 0, stdout, stderr: "" });

test("posts the event as JSON with the host of the URL, and the answer becomes stdout", async () => {
  const seen = Promise.withResolvers<unknown>();
  const { port } = await listen(async (request, response) => {
    const { method, url, headers } = request;
    seen.resolve({ method, url, headers: { ...headers }, body: await bodyOf(request) });
    response.end('{"decision":"block","reason":"no"}');
  });
  const { run, dialled } = await post(`http://hooks.test:${port}/on/stop?team=blue#part`, {
    handler: { headers: { Authorization: "Bearer $TOKEN", "X-Bad": "a\r\nEvil: 1" }, allowedEnvVars: ["TOKEN"] },
    env: { TOKEN: "t" },
  });

  expect(run).toEqual(said('{"decision":"block","reason":"no"}'));
  expect(dialled).toEqual([{ address: "127.0.0.1", port }]);
  expect(await seen.promise).toEqual({
    method: "POST",
    url: "/on/stop?team=blue",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer t",
      "x-bad": "aEvil: 1",
      host: `hooks.test:${port}`,
      connection: "close",
      "content-length": "26",
    },
    body: '{"hook_event_name":"Stop"}',
  });
});

test("a name is resolved once: a different answer after the check has no effect", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  const answers = [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"]];
  let asked = 0;
  const { run, dialled } = await post(`http://rebinding.test:${port}/`, {
    resolve: async () => answers[asked++] ?? [],
  });
  expect({ run, dialled, asked }).toEqual({
    run: said("{}"),
    dialled: [{ address: "127.0.0.1", port }],
    asked: 1,
  });
});

test("the request uses the connected socket, whatever its name and port would lead to", async () => {
  const { port } = await listen(({ headers }, response) => void response.end(JSON.stringify({ host: headers.host })));
  const { dial } = loopbackOnly();
  const elsewhere: ConnectSocket = ({ address }, signal) => dial({ address, port }, signal);
  const { run } = await post("http://localhost:1/", { connect: elsewhere });
  expect(run).toEqual(said('{"host":"localhost:1"}'));
});

test("with the real resolver and connector, a hook reaches this machine by address and by name", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  for (const host of ["127.0.0.1", "localhost"]) {
    const { run } = await post(`http://${host}:${port}/`, { resolve: undefined, connect: undefined });
    expect(run).toEqual(said("{}"));
  }
});

test("if an address does not answer, the next one is tried", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  const { dial } = loopbackOnly();
  const tried: string[] = [];
  const { run } = await post(`http://two.test:${port}/`, {
    resolve: async () => ["::1", "127.0.0.1"],
    connect: async (target, signal) => {
      tried.push(target.address);
      if (target.address === "::1") throw new Error("nobody there");
      return dial(target, signal);
    },
  });
  expect({ run, tried }).toEqual({ run: said("{}"), tried: ["::1", "127.0.0.1"] });
});

test("proxies in the environment are not used", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  const proxy = "http://127.0.0.1:1";
  const env = { HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy };
  const { run, dialled } = await post(`http://hooks.test:${port}/`, { env });
  expect({ run, dialled }).toEqual({ run: said("{}"), dialled: [{ address: "127.0.0.1", port }] });
});

test("a TLS connection requests the name, not the address", async () => {
  const hello = Promise.withResolvers<string>();
  const port = await listenRaw((socket, first) => {
    hello.resolve(first.toString("latin1"));
    socket.end();
  });
  const { run, dialled } = await post(`https://hooks.test:${port}/`);
  expect(run).toMatchObject({ outcome: "error", stdout: "" });
  expect(run.problem).toStartWith(`the request to hooks.test:${port} failed: `);
  expect(dialled).toEqual([{ address: "127.0.0.1", port }]);
  expect(await hello.promise).toContain("hooks.test");
});

// Every way to write an address of a private network.
test.each([
  ["10.0.0.1", "10.0.0.1 is a private network"],
  ["10.0.0.1.", "10.0.0.1 is a private network"],
  ["10.1", "10.0.0.1 is a private network"],
  ["10.0.1", "10.0.0.1 is a private network"],
  ["167772161", "10.0.0.1 is a private network"],
  ["0xa000001", "10.0.0.1 is a private network"],
  ["0XA.0x0.0.01", "10.0.0.1 is a private network"],
  ["012.0.0.1", "10.0.0.1 is a private network"],
  ["01200000001", "10.0.0.1 is a private network"],
  ["0xa.1", "10.0.0.1 is a private network"],
  ["%31%30.0.0.1", "10.0.0.1 is a private network"],
  ["１０.0.0.1", "10.0.0.1 is a private network"],
  ["10。0。0。1", "10.0.0.1 is a private network"],
  ["⑩.0.0.1", "10.0.0.1 is a private network"],
  ["172.16.0.1", "172.16.0.1 is a private network"],
  ["0xac.0x10.1", "172.16.0.1 is a private network"],
  ["2886729729", "172.16.0.1 is a private network"],
  ["172.31.255.255", "172.31.255.255 is a private network"],
  ["192.168.1.1", "192.168.1.1 is a private network"],
  ["192.168.257", "192.168.1.1 is a private network"],
  ["3232235777", "192.168.1.1 is a private network"],
  ["0300.0250.1.1", "192.168.1.1 is a private network"],
  ["0xc0a80101", "192.168.1.1 is a private network"],
  ["169.254.169.254", "169.254.169.254 is a link-local network (cloud metadata)"],
  ["2852039166", "169.254.169.254 is a link-local network (cloud metadata)"],
  ["0xa9fea9fe", "169.254.169.254 is a link-local network (cloud metadata)"],
  ["0251.0376.0251.0376", "169.254.169.254 is a link-local network (cloud metadata)"],
  ["169.254.43518", "169.254.169.254 is a link-local network (cloud metadata)"],
  ["100.64.0.1", "100.64.0.1 is a carrier's private network"],
  ["100.100.100.200", "100.100.100.200 is a carrier's private network"],
  ["0x64400001", "100.64.0.1 is a carrier's private network"],
  ["168.63.129.16", "168.63.129.16 is a cloud provider's control address"],
  ["0", "0.0.0.0 is the unspecified network"],
  ["0.0.0.0", "0.0.0.0 is the unspecified network"],
  ["0x0", "0.0.0.0 is the unspecified network"],
  ["00000000000", "0.0.0.0 is the unspecified network"],
  ["0.1", "0.0.0.1 is the unspecified network"],
  ["192.0.0.170", "192.0.0.170 is a reserved network"],
  ["192.0.2.1", "192.0.2.1 is a documentation network"],
  ["198.18.0.1", "198.18.0.1 is a benchmark network"],
  ["198.51.100.1", "198.51.100.1 is a documentation network"],
  ["203.0.113.1", "203.0.113.1 is a documentation network"],
  ["224.0.0.1", "224.0.0.1 is a multicast network"],
  ["240.0.0.1", "240.0.0.1 is a reserved or broadcast network"],
  ["255.255.255.255", "255.255.255.255 is a reserved or broadcast network"],
  ["4294967295", "255.255.255.255 is a reserved or broadcast network"],
  ["[::]", ":: is the unspecified address"],
  ["[0:0:0:0:0:0:0:0]", ":: is the unspecified address"],
  ["[::10.0.0.1]", "::a00:1 is a reserved network"],
  ["[::127.0.0.1]", "::7f00:1 is a reserved network"],
  ["[::ffff:10.0.0.1]", "::ffff:a00:1 is a private network"],
  ["[::FFFF:0a00:0001]", "::ffff:a00:1 is a private network"],
  ["[0:0:0:0:0:ffff:a9fe:a9fe]", "::ffff:a9fe:a9fe is a link-local network (cloud metadata)"],
  ["[64:ff9b::10.0.0.1]", "64:ff9b::a00:1 is a private network"],
  ["[64:ff9b::127.0.0.1]", "64:ff9b::7f00:1 is an embedded loopback address"],
  ["[64:ff9b:1::1]", "64:ff9b:1::1 is a reserved network"],
  ["[2002:a00:1::]", "2002:a00:1:: is a private network"],
  ["[2002:7f00:1::]", "2002:7f00:1:: is an embedded loopback address"],
  ["[2001::1]", "2001::1 is a reserved network"],
  ["[2001:db8::1]", "2001:db8::1 is a documentation network"],
  ["[fc00::1]", "fc00::1 is a private network"],
  ["[FD00:EC2::254]", "fd00:ec2::254 is a private network"],
  ["[fe80::1]", "fe80::1 is a link-local network"],
  ["[fec0::1]", "fec0::1 is a reserved network"],
  ["[ff02::1]", "ff02::1 is a multicast network"],
])("http://%s/ is rejected before connecting", async (host, reason) => {
  for (const scheme of ["http", "https"]) {
    const { run, dialled } = await post(`${scheme}://${host}:8080/`);
    const rule = "HTTP hooks can reach only public addresses and this machine (127.0.0.1, ::1)";
    expect({ run, dialled }).toEqual({ run: failed(`${reason}: ${rule}`), dialled: [] });
  }
});

test.each(["1.2.3.4.5", "4294967296", "256.0.0.1", "0x100000000", "[fe80::1%25eth0]", "[::1", "", "a b", "10.0.0.08"])(
  "http://%s/ is invalid and is not connected to",
  async (host) => {
    const { run, dialled } = await post(`http://${host}:8080/`);
    expect(dialled).toEqual([]);
    expect(run).toEqual(failed("the hook's URL is invalid; write it in full"));
  },
);

test.each(["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1."])(
  "http://%s/ is this machine and is allowed",
  async (host) => {
    const { port } = await listen((_, response) => void response.end("{}"));
    const { run } = await post(`http://${host}:${port}/`);
    expect(run).toEqual(said("{}"));
  },
);

test("other spellings of this machine are allowed too", async () => {
  for (const [host, address] of [
    ["[::1]", "::1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["127.9.9.9", "127.9.9.9"],
  ] as const) {
    const dialled: string[] = [];
    const nobody: ConnectSocket = async (target) => {
      dialled.push(target.address);
      throw new Error("nobody there");
    };
    const { run } = await post(`http://${host}:80/`, { connect: nobody });
    expect(dialled).toEqual([address]);
    expect(run).toEqual(failed(`the request to ${new URL(`http://${host}/`).host} failed: nobody there`));
  }
});

test("a connection that fails for lack of descriptors is reported as such", async () => {
  const starved: ConnectSocket = async () => {
    throw Object.assign(new Error("connect EMFILE"), { code: "EMFILE" });
  };
  const { run } = await post("http://localhost:80/", { connect: starved });
  expect(run).toMatchObject({ prevented: "start", problem: expect.stringContaining("ulimit -n") });
});

test.each([
  [["10.0.0.5"], "10.0.0.5, which is a private network"],
  [["127.0.0.1", "192.168.0.9"], "192.168.0.9, which is a private network"],
  [["93.184.216.34", "fd00::5"], "fd00::5, which is a private network"],
  [["fe80::1%eth0"], "fe80::1%eth0, which is a link-local network"],
  [["::ffff:169.254.169.254"], "::ffff:169.254.169.254, which is a link-local network (cloud metadata)"],
  [["012.0.0.1"], "012.0.0.1, which is not an IP address"],
  [["internal.test"], "internal.test, which is not an IP address"],
])("a name that resolves to %p is rejected with host and address", async (addresses, what) => {
  const { run, dialled } = await post("https://hooks.test/", { resolve: async () => addresses });
  const rule = "HTTP hooks can reach only public addresses and this machine (127.0.0.1, ::1)";
  expect({ run, dialled }).toEqual({ run: failed(`hooks.test resolves to ${what}: ${rule}`), dialled: [] });
});

test("a name without an address, or one that cannot be resolved, is a problem", async () => {
  const empty = await post("http://hooks.test/", { resolve: async () => [] });
  const unknown = await post("http://hooks.test/", {
    resolve: async () => {
      throw new Error("getaddrinfo ENOTFOUND");
    },
  });
  expect([empty.run.problem, unknown.run.problem]).toEqual([
    "hooks.test has no address",
    "the request to hooks.test failed: getaddrinfo ENOTFOUND",
  ]);
});

test.each([
  ["file:///tmp/x", `the hook's URL starts with "file:"; only http and https are supported`],
  ["ftp://hooks.test/", `the hook's URL starts with "ftp:"; only http and https are supported`],
  ["data:text/plain,x", `the hook's URL starts with "data:"; only http and https are supported`],
  ["hooks.test/x", "the hook's URL is invalid; write it in full"],
  [
    "https://name:word@hooks.test/",
    "the hook's URL contains a user name or password; put them in `headers`, using a variable from `allowedEnvVars`",
  ],
])("%s is not posted to", async (url, problem) => {
  const { run, dialled } = await post(url);
  expect({ run, dialled }).toEqual({ run: failed(problem), dialled: [] });
});

test("a policy decides which URLs are allowed, and its message does not contain the path", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  const url = `http://localhost:${port}/services/secret`;
  const open = await post(url, { allowedUrls: ["http://localhost:*"] });
  const closed = await post(url, { allowedUrls: [] });
  const problem = `http://localhost:${port} is not allowed by the setting allowedHttpHookUrls`;
  expect([open.run, closed.run, closed.dialled]).toEqual([said("{}"), failed(problem), []]);
});

test.each([
  [204, "", undefined],
  [200, "", undefined],
  [200, " \n", undefined],
  [201, '{"continue":true}', undefined],
  [200, "fine", "answered with something other than a JSON object"],
  [200, "[1]", "answered with something other than a JSON object"],
  [200, '{"cut":', "answered with something other than a JSON object"],
  [400, '{"decision":"block"}', "answered with HTTP 400"],
  [401, "", "answered with HTTP 401"],
  [500, '{"decision":"block"}', "answered with HTTP 500"],
])("HTTP %d with %j", async (status, body, problem) => {
  const { port } = await listen((_, response) => void response.writeHead(status).end(body));
  const { run } = await post(`http://hooks.test:${port}/`);
  expect(run).toEqual(problem === undefined ? said(body) : failed(`hooks.test:${port} ${problem}`));
});

test.each([301, 302, 303, 307, 308])("a redirect (%d) is not followed", async (status) => {
  let asked = 0;
  const { port } = await listen((_, response) => {
    asked++;
    response.writeHead(status, { location: "/elsewhere" }).end("{}");
  });
  const { run, dialled } = await post(`http://hooks.test:${port}/`);
  expect({ run, asked, dialled: dialled.length }).toEqual({
    run: failed(
      `hooks.test:${port} answered with a redirect (HTTP ${status}), which hooks do not follow; use the final URL`,
    ),
    asked: 1,
    dialled: 1,
  });
});

test("an answer of one MiB is read; a longer one is rejected without waiting for the rest", async () => {
  const fits = JSON.stringify({ a: "x".repeat(1024 * 1024 - 8) });
  const full = await listen((_, response) => void response.end(fits));
  expect((await post(`http://hooks.test:${full.port}/`)).run).toEqual(said(fits));

  const closed = Promise.withResolvers<void>();
  const endless = await listen((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
    };
    response.on("drain", more).on("close", closed.resolve);
    more();
  });
  const { run } = await post(`http://hooks.test:${endless.port}/`);
  expect(run).toEqual({ ...failed(`hooks.test:${endless.port} answered with more than 1 MiB`), prevented: "unread" });
  await closed.promise;
});

test.each([
  ["no HTTP at all", "hello\r\n\r\n"],
  ["nothing", ""],
  ["half an answer", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
  ["headers without end", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}`],
])("a server that answers with %s is a problem, not a decision", async (_, bytes) => {
  const port = await listenRaw((socket) => void socket.end(bytes));
  const { run } = await post(`http://hooks.test:${port}/`);
  expect(run).toMatchObject({ outcome: "error", stdout: "" });
  expect(run.problem).toStartWith(`the request to hooks.test:${port} failed: `);
});

test("an invalid header is a problem, and the message does not contain its value", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  const unfit: Record<string, string>[] = [{ "x-token": "s3cret\u0001" }, { "bad name": "s3cret" }];
  for (const headers of unfit) {
    const { run } = await post(`http://hooks.test:${port}/`, { handler: { headers } });
    expect(run).toMatchObject({ outcome: "error", stdout: "" });
    expect(run.problem).not.toContain("s3cret");
  }
});

test("a silent server times out at every stage", async () => {
  const silent = await listenRaw(() => {});
  const halfway = await listenRaw((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"));
  const stages: [string, Partial<HttpHookOptions>][] = [
    ["http://hooks.test/", { resolve: () => new Promise(() => {}) }],
    [`http://hooks.test:${silent}/`, {}],
    [`https://hooks.test:${silent}/`, {}],
    [`http://hooks.test:${halfway}/`, {}],
  ];
  for (const [url, options] of stages) {
    const { run } = await post(url, { timeoutMs: 30, ...options });
    const problem = `${new URL(url).host} did not answer within 0.03 s`;
    expect(run).toEqual({ outcome: "cancelled", stdout: "", stderr: "", problem });
  }
});

test("stopping the run stops its hook", async () => {
  const stopping = new AbortController();
  const port = await listenRaw(() => stopping.abort());
  const { run } = await post(`http://hooks.test:${port}/`, { signal: stopping.signal });
  expect(run).toEqual({ outcome: "cancelled", stdout: "", stderr: "", problem: "stopped with the run" });

  const before = await post(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort() });
  expect(before.run).toEqual({ outcome: "cancelled", stdout: "", stderr: "", problem: "stopped with the run" });
});

test("a timeout longer than a timer allows does not become zero", async () => {
  const { port } = await listen((_, response) => void response.end("{}"));
  expect((await post(`http://hooks.test:${port}/`, { timeoutMs: 1e12 })).run).toEqual(said("{}"));
});
