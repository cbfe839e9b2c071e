// Hostile sites, on this machine: the connector dials loopback only, whatever was resolved.

import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer as createProxy, type RequestListener } from "node:http";
import { createServer } from "node:https";
import { connect as dialLoopback, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { LOOPBACK_CERTIFICATE } from "@keelson/testkit";
import type { ConnectSocket } from "../hooks/http/connect.ts";
import { fetchPage, type FetchPageOptions } from "./fetch-page.ts";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

const MEGABYTE = 1024 * 1024;

async function listen(handle: RequestListener): Promise<number> {
  const server = createServer({ ...LOOPBACK_CERTIFICATE }, handle).listen(0, "127.0.0.1");
  closing.push(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Speaks TLS and then whatever bytes `speak` writes. */
async function listenRaw(speak: (socket: Socket) => void): Promise<number> {
  const server = createTlsServer({ ...LOOPBACK_CERTIFICATE }, (socket) => {
    closing.push(() => socket.destroy());
    socket.on("error", () => {});
    socket.once("data", () => speak(socket));
  }).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const get = (url: string, options: Partial<FetchPageOptions> = {}) =>
  fetchPage(new URL(url), {
    signal: new AbortController().signal,
    headers: { accept: "text/html" },
    network: async () => ({ ca: [LOOPBACK_CERTIFICATE.cert] }),
    ...options,
  });

const text = async (page: ReturnType<typeof get>) => {
  const { body, ...rest } = await page;
  return { ...rest, body: Buffer.from(body).toString() };
};

test("a page arrives with its status, type and final address", async () => {
  const heads: unknown[] = [];
  const port = await listen((request, response) => {
    heads.push([request.url, request.headers]);
    if (request.url === "/a?b=1") return response.writeHead(302, { location: "/c" }).end("moved");
    return response.setHeader("content-type", "text/plain; charset=utf-8").end("hello");
  });
  expect(await text(get(`https://127.0.0.1:${port}/a?b=1#part`))).toEqual({
    status: 200,
    statusText: "OK",
    contentType: "text/plain; charset=utf-8",
    body: "hello",
    cut: false,
    url: `https://127.0.0.1:${port}/c`,
  });
  expect(heads).toEqual([
    ["/a?b=1", expect.objectContaining({ host: `127.0.0.1:${port}`, accept: "text/html" })],
    ["/c", expect.objectContaining({ host: `127.0.0.1:${port}` })],
  ]);
});

test("a certificate that is not trusted ends the request", async () => {
  const port = await listen((_, response) => response.end("hello"));
  await expect(get(`https://127.0.0.1:${port}/`, { network: async () => ({}) })).rejects.toThrow(
    `Cannot fetch 127.0.0.1:${port}: `,
  );
});

test("a server without TLS is reported in plain words", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  await expect(get(`https://127.0.0.1:${server.port}/`)).rejects.toThrow(
    `Cannot fetch 127.0.0.1:${server.port}: it does not speak https`,
  );
});

test("an error has no body", async () => {
  const port = await listen((_, response) => response.writeHead(404).end("a long explanation"));
  expect(await text(get(`https://127.0.0.1:${port}/`))).toMatchObject({
    status: 404,
    statusText: "Not Found",
    body: "",
  });
});

test("redirects to another host or port are reported, not followed", async () => {
  let location = "";
  const port = await listen((_, response) => response.writeHead(301, { location }).end());
  const rows = [
    ["https://other.example.com/x", "https://other.example.com/x"],
    ["http://other.example.com/x", "https://other.example.com/x"],
    ["//user:pw@other.example.com/x", "https://other.example.com/x"],
    [`https://127.0.0.1:${port + 1}/`, `https://127.0.0.1:${port + 1}/`],
    ["https://169.254.169.254/latest/meta-data", "https://169.254.169.254/latest/meta-data"],
  ] as const;
  for (const [sent, reported] of rows) {
    location = sent;
    expect(await get(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 301, redirect: reported });
  }
  for (const sent of ["file:///etc/passwd", "javascript:alert(1)", "http://[", "data:text/plain,x"]) {
    location = sent;
    const page = await get(`https://127.0.0.1:${port}/`);
    expect([sent, page.status, page.redirect]).toEqual([sent, 301, undefined]);
  }
});

test("a redirect loop ends", async () => {
  let count = 0;
  const port = await listen((_, response) => response.writeHead(302, { location: `/${++count}` }).end());
  await expect(get(`https://127.0.0.1:${port}/`)).rejects.toThrow(`127.0.0.1:${port} redirected more than 10 times`);
  expect(count).toBe(11);
});

test("a body of 1 GB is cut at the limit", async () => {
  let sent = 0;
  const port = await listen(async (_, response) => {
    response.setMaxListeners(0);
    const chunk = Buffer.alloc(MEGABYTE, "x");
    while (sent < 1024 && !response.destroyed) {
      sent++;
      if (!response.write(chunk)) await Promise.race([once(response, "drain"), once(response, "close")]);
    }
    response.end();
  });
  const page = await get(`https://127.0.0.1:${port}/`);
  expect([page.body.length, page.cut]).toEqual([10 * MEGABYTE, true]);
  expect(sent).toBeLessThan(1024);
});

test.each([
  ["gzip", gzipSync],
  ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
] as const)("a %s bomb is cut at the limit", async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(200 * MEGABYTE));
  expect(bomb.length).toBeLessThan(MEGABYTE);
  const port = await listen((_, response) => response.setHeader("content-encoding", encoding).end(bomb));
  const page = await get(`https://127.0.0.1:${port}/`);
  expect([page.body.length, page.cut]).toEqual([10 * MEGABYTE, true]);
});

test("a compressed body that is too large as it arrives is cut, also if it would decompress to less", async () => {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const emptyBlocks = Buffer.alloc(11 * MEGABYTE, Buffer.from([0, 0, 0, 0xff, 0xff]));
  const more = Buffer.concat([header, emptyBlocks, gzipSync("hello").subarray(10)]);
  const port = await listen((_, response) => response.setHeader("content-encoding", "gzip").end(more));
  const page = await get(`https://127.0.0.1:${port}/`);
  expect([page.body.length, page.cut]).toEqual([0, true]);
});

test("a compressed page is decompressed; what cannot be is an error", async () => {
  let [encoding, body] = ["gzip", gzipSync("hello")];
  const port = await listen((_, response) => response.setHeader("content-encoding", encoding).end(body));
  const url = `https://127.0.0.1:${port}/`;
  expect(await text(get(url))).toMatchObject({ body: "hello", cut: false });
  [encoding, body] = ["br", brotliCompressSync("hello")];
  expect(await text(get(url))).toMatchObject({ body: "hello", cut: false });
  [encoding, body] = ["gzip", Buffer.from("this is not gzip at all")];
  await expect(get(url)).rejects.toThrow(`Cannot fetch 127.0.0.1:${port}: `);
  encoding = "gzip, gzip";
  await expect(get(url)).rejects.toThrow('the content encoding "gzip, gzip" is not supported');
});

test("a server that drips, stalls or says nothing runs into the time limit", async () => {
  const ports = [
    await listenRaw(() => {}),
    await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
      const timer = setInterval(() => socket.write("x"), 5);
      socket.on("close", () => clearInterval(timer));
    }),
    await listen((_, response) => void response.write("start")),
    await listen((_, response) => void setInterval(() => response.write("x"), 5).unref()),
    await listen((_, response) => {
      response.setHeader("content-encoding", "gzip");
      response.write(gzipSync("x").subarray(0, 10));
    }),
  ];
  for (const port of ports)
    await expect(get(`https://127.0.0.1:${port}/`, { limits: { totalMs: 100 } })).rejects.toThrow(
      `127.0.0.1:${port} did not send the page within 0.1 s`,
    );
});

test("a server that never finishes the connection runs into its limit", async () => {
  const connect: ConnectSocket = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await expect(get("https://127.0.0.1:9/", { connect, limits: { connectMs: 20 } })).rejects.toThrow(
    "Cannot connect to 127.0.0.1:9 within 0.02 s",
  );
});

test("an interrupt ends a request at once", async () => {
  const stopping = new AbortController();
  const port = await listen((_, response) => {
    response.write("start");
    stopping.abort();
  });
  await expect(get(`https://127.0.0.1:${port}/`, { signal: stopping.signal })).rejects.toThrow("interrupted");
});

test("a head without end is refused", async () => {
  const port = await listenRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const line = `x-long: ${"x".repeat(60_000)}\r\n`;
    const timer = setInterval(() => socket.write(line), 1);
    socket.on("close", () => clearInterval(timer));
  });
  await expect(get(`https://127.0.0.1:${port}/`)).rejects.toThrow("Cannot fetch");
});

test.each([
  ["https://169.254.169.254/latest/meta-data", "169.254.169.254"],
  ["https://10.0.0.1/", "10.0.0.1"],
  ["https://0x0a000001/", "10.0.0.1"],
  ["https://192.168.1.1/", "192.168.1.1"],
  ["https://[fd00:ec2::254]/", "fd00:ec2::254"],
  ["https://[::ffff:169.254.169.254]/", "::ffff:a9fe:a9fe"],
  ["https://100.100.100.200/", "100.100.100.200"],
  ["https://0.0.0.0/", "0.0.0.0"],
])("%s is refused without a connection", async (url, address) => {
  const connect: ConnectSocket = () => Promise.reject(new Error("connected"));
  await expect(get(url, { connect })).rejects.toThrow(`${address} is ${address.includes("0.0.0.0") ? "the" : "a"}`);
});

test.each([
  [["169.254.169.254"], "which is a link-local network (cloud metadata)"],
  [["10.1.2.3"], "which is a private network"],
  [["93.184.215.14", "10.1.2.3"], "which is a private network"],
  [["127.0.0.1"], "which is this machine: use 127.0.0.1 instead"],
  [["::1"], "which is this machine: use 127.0.0.1 instead"],
  [["::ffff:10.0.0.1"], "which is a private network"],
  [["fd00:ec2::254"], "which is a private network"],
  [[], "has no address"],
  [["not an address"], "which is not an IP address"],
])("a name that resolves to %j is refused, also behind a proxy", async (addresses, why) => {
  const connect: ConnectSocket = () => Promise.reject(new Error("connected"));
  const options = { connect, resolve: async () => addresses };
  await expect(get("https://www.example.com/", options)).rejects.toThrow(why);
  const network = async () => ({ proxy: "http://127.0.0.1:9" });
  await expect(get("https://www.example.com/", { ...options, network })).rejects.toThrow(why);
});

test.each(["metadata.google.internal", "printer.local", "wiki.corp", "metadata.google.internal."])(
  "%s is refused by its name, although no one could resolve it here",
  async (name) => {
    const resolve = () => Promise.reject(new Error("resolved"));
    const network = async () => ({ proxy: "http://127.0.0.1:9" });
    for (const options of [{ resolve }, { resolve, network }])
      await expect(get(`https://${name}/`, options)).rejects.toThrow("is a name in a private network");
  },
);

test("a name is resolved once, and the checked address is the one that is dialed, for each redirect anew", async () => {
  const port = await listen((request, response) =>
    request.url === "/" ? response.writeHead(302, { location: "/next" }).end() : response.end("never sent"),
  );
  const answers = [["93.184.215.14"], ["169.254.169.254"]];
  const dialed: string[] = [];
  const connect: ConnectSocket = async ({ address }) => {
    dialed.push(address);
    const socket = dialLoopback({ host: "127.0.0.1", port });
    await once(socket, "connect");
    return socket;
  };
  const resolve = async () => answers.shift() ?? [];
  await expect(get("https://www.example.com/", { connect, resolve })).rejects.toThrow(
    "www.example.com resolves to 169.254.169.254, which is a link-local network (cloud metadata)",
  );
  expect(dialed).toEqual(["93.184.215.14"]);
});

test("a proxy is asked for the name, and TLS runs through it to the site", async () => {
  const port = await listen((_, response) => response.end("through"));
  const asked: unknown[] = [];
  const proxy = createProxy().listen(0, "127.0.0.1");
  closing.push(() => proxy.close());
  proxy.on("connect", (request, client: Socket) => {
    asked.push([request.url, request.headers["proxy-authorization"]]);
    if (request.url!.startsWith("no.")) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const site = dialLoopback({ host: "127.0.0.1", port }, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      site.pipe(client).pipe(site);
    });
    for (const end of [site, client]) end.on("error", () => {});
    return undefined;
  });
  await once(proxy, "listening");
  const address = `http://me:p%40ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const network = async () => ({ proxy: address, ca: [LOOPBACK_CERTIFICATE.cert] });
  const resolve = () => Promise.reject(new Error("no names here"));
  expect(await text(get("https://www.example.com/", { network, resolve }))).toMatchObject({ body: "through" });
  await expect(get("https://no.example.com/", { network, resolve })).rejects.toThrow(
    'the proxy answered "HTTP/1.1 403 Forbidden" instead of connecting',
  );
  const login = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
  expect(asked).toEqual([
    ["www.example.com:443", login],
    ["no.example.com:443", login],
  ]);
});
