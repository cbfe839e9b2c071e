// What other sites, other programs and other users try. Each attempt is refused before the host is asked for anything.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  exchange,
  post,
  rawRequest,
  SESSION_ID,
  startWatchedServer,
  type WatchedServer,
} from "../watched-server.test-support.ts";

let server: WatchedServer;
let own: string;
let token: string;
let viewer: string;

beforeAll(async () => {
  server = startWatchedServer();
  own = `127.0.0.1:${server.server.port}`;
  token = await server.signIn();
  viewer = await server.signIn("viewer");
});
afterAll(() => server[Symbol.asyncDispose]());

/** `$OWN`, `$TOKEN`, `$VIEWER` and `$PORT` in what is sent stand for those of this server. */
const filled = (text: string) =>
  text
    .replaceAll("$OWN", own)
    .replaceAll("$TOKEN", token)
    .replaceAll("$VIEWER", viewer)
    .replaceAll("$PORT", String(server.server.port));

interface Attempt {
  readonly line?: string;
  /** A whole head is made of these; undefined leaves a usual one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines as they are, behind the headers. */
  readonly more?: readonly string[];
  readonly body?: string;
  /** The statuses that are right. 0: the connection is closed. */
  readonly status: readonly number[];
}

const SESSIONS = "/v1/sessions";
const STREAM = `/v1/sessions/${SESSION_ID}/stream`;
const SIGNED_IN = { Authorization: "Bearer $TOKEN" };
const FROM_PAGE = { Origin: "http://$OWN" };
const get = (path: string, headers: Attempt["headers"] = {}, status = [403]): Attempt => ({
  line: `GET ${path} HTTP/1.1`,
  headers: { ...SIGNED_IN, ...headers },
  status,
});
const send = (path: string, headers: Attempt["headers"], status: readonly number[], body = "{}"): Attempt => ({
  line: `POST ${path} HTTP/1.1`,
  headers: {
    ...SIGNED_IN,
    ...FROM_PAGE,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  },
  body,
  status,
});
const upgrade = (headers: Attempt["headers"], status = [403], path = STREAM): Attempt => ({
  line: `GET ${path} HTTP/1.1`,
  headers: {
    ...FROM_PAGE,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "keelson.v1, bearer.$TOKEN",
    ...headers,
  },
  status,
});

const HOSTS = [
  "evil.example",
  "evil.example:$PORT",
  "localhost.evil.example:$PORT",
  "127.0.0.1.nip.io:$PORT",
  "127.0.0.1:1",
  "127.0.0.1",
  "localhost",
  "[::1]",
  "0.0.0.0:$PORT",
  "127.0.0.2:$PORT",
  "2130706433:$PORT",
  "127.1:$PORT",
  "0x7f.0.0.1:$PORT",
  "[::ffff:127.0.0.1]:$PORT",
  "$OWN.",
  "127.0.0.1.:$PORT",
  "$OWN@evil.example",
  "evil.example#$OWN",
  "evil.example, $OWN",
  "$OWN, evil.example",
  "metadata.google.internal",
  "localhost.:$PORT",
  "LOCALHOST.:$PORT",
  "sub.localhost:$PORT",
  "[::1%25lo]:$PORT",
  "[0:0:0:0:0:0:0:1]:$PORT",
  "[::]:$PORT",
  "::1:$PORT",
  "0177.0.0.1:$PORT",
  "127.0.0.1:0$PORT",
  "$OWN:80",
  "$OWN/",
  "http://$OWN",
  "xn--lcalhost-54a:$PORT",
];

const ORIGINS = [
  "http://evil.example",
  "https://evil.example",
  "null",
  "https://$OWN",
  "http://127.0.0.1",
  "http://127.0.0.1:1",
  "http://localhost:$PORT",
  "http://[::1]:$PORT",
  "http://$OWN.evil.example",
  "http://evil.example:$PORT",
  "http://$OWN/",
  "HTTP://$OWN",
  "http://user@$OWN",
  "file://",
  "chrome-extension://abcdefghijklmnop",
  "http://$OWN http://evil.example",
  "http://$OWN, http://evil.example",
  "",
  "ws://$OWN",
  "http://sub.$OWN",
  "http://127.0.0.1.:$PORT",
  "http://localhost.:$PORT",
  "http://2130706433:$PORT",
  "http://[::ffff:127.0.0.1]:$PORT",
  "http://$OWN#",
  "blob:http://$OWN",
  "view-source:http://$OWN",
];

const OTHER_SITES = ["cross-site", "same-site", "anything"];

const attempts: Readonly<Record<string, Attempt>> = {
  ...Object.fromEntries(HOSTS.map((host) => [`host ${host}`, get(SESSIONS, { Host: host }, [421, 400])])),
  ...Object.fromEntries(HOSTS.slice(0, 4).map((host) => [`page, host ${host}`, get("/", { Host: host }, [421])])),
  ...Object.fromEntries(HOSTS.slice(0, 4).map((host) => [`stream, host ${host}`, upgrade({ Host: host }, [421])])),
  "no host": get(SESSIONS, { Host: undefined }, [400, 421, 0]),
  "two hosts": { ...get(SESSIONS, {}, [421, 400]), more: ["Host: evil.example"] },
  "a forwarded host": get(
    SESSIONS,
    { Host: "evil.example", "X-Forwarded-Host": "$OWN", Forwarded: "host=$OWN" },
    [421],
  ),
  "a host that a proxy might believe": get(
    SESSIONS,
    { Host: "evil.example", "X-Forwarded-Server": "$OWN", "X-Host": "$OWN", "X-Original-Host": "$OWN" },
    [421],
  ),
  "a foreign origin that a proxy calls ours": send(
    SESSIONS,
    { Origin: "http://evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" },
    [403],
  ),
  "a whole address of another host": {
    line: `GET http://evil.example${SESSIONS} HTTP/1.1`,
    headers: { ...SIGNED_IN, Host: "evil.example" },
    status: [421, 400],
  },
  ...Object.fromEntries(ORIGINS.map((origin) => [`post, origin ${origin}`, send(SESSIONS, { Origin: origin }, [403])])),
  ...Object.fromEntries(ORIGINS.map((origin) => [`stream, origin ${origin}`, upgrade({ Origin: origin })])),
  ...Object.fromEntries(
    ORIGINS.slice(0, 4).map((origin) => [`get, origin ${origin}`, get(SESSIONS, { Origin: origin })]),
  ),
  ...Object.fromEntries(OTHER_SITES.map((site) => [`get from ${site}`, get(SESSIONS, { "Sec-Fetch-Site": site })])),
  ...Object.fromEntries(
    OTHER_SITES.map((site) => [`post from ${site}`, send(SESSIONS, { "Sec-Fetch-Site": site }, [403])]),
  ),
  ...Object.fromEntries(
    OTHER_SITES.map((site) => [
      `script from ${site}`,
      get("/page.js", { "Sec-Fetch-Site": site, "Sec-Fetch-Dest": "script" }),
    ]),
  ),
  "a visit from another site to an address of the API": get(SESSIONS, {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
  }),
  ...Object.fromEntries(
    ["iframe", "frame", "embed", "object", "fencedframe"].map((dest) => [
      `the page in ${dest}`,
      get("/", { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": dest }),
    ]),
  ),
  "a code without an origin": send(
    "/v1/auth/code",
    { Origin: undefined, Authorization: undefined },
    [403],
    '{"code":"x"}',
  ),
  "a new session without an origin and without a token": send(
    SESSIONS,
    { Origin: undefined, Authorization: undefined },
    [403],
  ),
  "a stream without an origin": upgrade({ Origin: undefined }),
  "a form": send(SESSIONS, { "Content-Type": "application/x-www-form-urlencoded" }, [415], "cwd=/"),
  "a form as text": send(SESSIONS, { "Content-Type": "text/plain" }, [415], '{"cwd":"/"}'),
  "a form with files": send(SESSIONS, { "Content-Type": "multipart/form-data; boundary=x" }, [415]),
  "a body without a type": send(SESSIONS, { "Content-Type": undefined }, [415]),
  "JSON in another alphabet": send(SESSIONS, { "Content-Type": "application/json; charset=utf-16" }, [415]),
  "a type with more behind it": send(SESSIONS, { "Content-Type": "application/json, text/plain" }, [415]),
  "a packed body": send(SESSIONS, { "Content-Encoding": "gzip" }, [415]),
  "no token": get(SESSIONS, { Authorization: undefined }, [401]),
  "an empty token": get(SESSIONS, { Authorization: "Bearer " }, [401]),
  "a made-up token": get(SESSIONS, { Authorization: `Bearer ${"A".repeat(43)}` }, [401]),
  "a token that is too long": get(SESSIONS, { Authorization: `Bearer $TOKENx` }, [401]),
  "another kind of sign-in": get(SESSIONS, { Authorization: "Basic $TOKEN" }, [401]),
  "two tokens": get(SESSIONS, { Authorization: "Bearer $TOKEN, Bearer $TOKEN" }, [401]),
  "a token in a cookie": get(
    SESSIONS,
    { Authorization: undefined, Cookie: "token=$TOKEN; keelson=$TOKEN; bearer=$TOKEN" },
    [401],
  ),
  "a token in the query": get(`${SESSIONS}?token=$TOKEN`, { Authorization: undefined }, [400, 401]),
  "an access token in the query": get(`${SESSIONS}?access_token=$TOKEN`, {}, [400]),
  "a code in the query": get("/?code=abc", {}, [400]),
  "a server in the query of the page": get("/?gatewayUrl=ws://evil.example", {}, [400]),
  "a prompt in the query of the page": get("/?prompt=rm", {}, [400]),
  "a token in the query of a stream": upgrade(
    { "Sec-WebSocket-Protocol": "keelson.v1" },
    [400, 401],
    `${STREAM}?token=$TOKEN`,
  ),
  "a stream without a token": upgrade({ "Sec-WebSocket-Protocol": "keelson.v1" }, [401]),
  "a stream with a made-up token": upgrade({ "Sec-WebSocket-Protocol": `keelson.v1, bearer.${"A".repeat(43)}` }, [401]),
  "a stream with two tokens": upgrade({ "Sec-WebSocket-Protocol": "keelson.v1, bearer.x, bearer.$TOKEN" }, [400]),
  "a stream without our protocol": upgrade({ "Sec-WebSocket-Protocol": "bearer.$TOKEN" }, [400]),
  "a stream with a token in a cookie": upgrade(
    { "Sec-WebSocket-Protocol": "keelson.v1", Cookie: "token=$TOKEN" },
    [401],
  ),
  "a stream where there is none": upgrade({}, [404], SESSIONS),
  "a stream of the page": upgrade({}, [404], "/"),
  "a stream of a session with a made-up name": upgrade({}, [404], "/v1/sessions/..%2f..%2fetc/stream"),
  "a stream by POST": { ...upgrade({ "Content-Length": "0" }, [400, 404, 405]), line: `POST ${STREAM} HTTP/1.1` },
  "a stream as an ordinary request": get(STREAM, {}, [400]),
  "a viewer starts a session": send(SESSIONS, { Authorization: "Bearer $VIEWER" }, [403]),
  "a viewer lets a device in": send("/v1/devices", { Authorization: "Bearer $VIEWER" }, [403]),
  "a viewer signs a device out": {
    ...get(`/v1/devices/${SESSION_ID}`, { ...FROM_PAGE, Authorization: "Bearer $VIEWER" }),
    line: `DELETE /v1/devices/${SESSION_ID} HTTP/1.1`,
  },
  "a viewer deletes a session": {
    ...get(`${SESSIONS}/${SESSION_ID}`, { ...FROM_PAGE, Authorization: "Bearer $VIEWER" }),
    line: `DELETE ${SESSIONS}/${SESSION_ID} HTTP/1.1`,
  },
  ...Object.fromEntries(
    [
      "/../../etc/passwd",
      "/..%2f..%2fetc%2fpasswd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/page.js/../../../etc/passwd",
      "/page.js%00.html",
      "/..\\..\\etc\\passwd",
      "//etc/passwd",
      "/./page.js%2f",
      "/.git/config",
      "/page.tsx",
      "/package.json",
      "/constructor",
      "/__proto__",
      "/toString",
      "/page.js;x",
      "/v1/sessions/%2e%2e",
      "/v1/sessions/..",
      "/v1/sessions/__proto__",
      `/v1/sessions/${SESSION_ID}/../../devices/x`,
      "/v1",
      "/v1/",
      "/V1/SESSIONS",
      "/v1/sessions/",
      "/v1//sessions",
      "/%2fv1/sessions",
      "/v1%2fsessions",
      "/v1/sessions%2f",
      "/v1/sessions%00",
      "/v1/sessions%0d%0aX-A:b",
      "/v1/sessions;token=x",
      "/v1/sessions/.",
      `/v1/sessions/${SESSION_ID}%2fexport`,
      `/v1/sessions/${SESSION_ID}/..%2f..%2fetc%2fpasswd`,
      `/v1/sessions/${SESSION_ID.toUpperCase()}x`,
      `/v1/sessions/${SESSION_ID}%20`,
      "/%c0%ae%c0%ae/etc/passwd",
      "/%25%32%65%25%32%65/etc/passwd",
      "/worker.js/../page.js%3f",
      "/page.js.map",
      "/devices.json",
    ].map((path) => [`path ${path}`, get(path, {}, [404, 400])]),
  ),
  ...Object.fromEntries(
    ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"].map((method) => [
      `${method} of the list`,
      { ...get(SESSIONS, FROM_PAGE, [405, 400, 501, 0]), line: `${method} ${SESSIONS} HTTP/1.1` },
    ]),
  ),
  "a preflight of another site": {
    line: `OPTIONS ${SESSIONS} HTTP/1.1`,
    headers: { Origin: "http://evil.example", "Access-Control-Request-Method": "POST" },
    status: [403],
  },
  "a query that is too long": get(`${SESSIONS}?q=${"a".repeat(3_000)}`, {}, [400]),
  "an address that is too long": get(`/${"a".repeat(5_000)}`, {}, [400]),
  "a parameter twice": get(`${SESSIONS}?q=a&q=b`, {}, [400]),
  "a parameter that is not known": get(`${SESSIONS}?path=/etc`, {}, [400]),
  "a body that is no JSON": send(SESSIONS, {}, [400], "{"),
  "a body that is a list": send(SESSIONS, {}, [400], "[]"),
  "a body with deep nesting": send(SESSIONS, {}, [400], `{"cwd":${"[".repeat(100_000)}`),
  "a field that is not known": send(SESSIONS, {}, [400], '{"flags":["--dangerously-skip-permissions"]}'),
  "a field that is inherited": send(SESSIONS, {}, [400], '{"__proto__":{"cwd":"/"},"constructor":1}'),
  "a mode without questions": send(SESSIONS, {}, [400], '{"mode":"bypassPermissions"}'),
  "a folder that is no text": send(SESSIONS, {}, [400], '{"cwd":["/"]}'),
  "a body where none belongs": { ...get(SESSIONS, { "Content-Length": "2" }, [400]), body: "{}" },
  "a length that is a lie": send(SESSIONS, { "Content-Length": "999999999" }, [413]),
  "a length below nothing": send(SESSIONS, { "Content-Length": "-1" }, [400, 413, 0]),
  "two lengths": { ...send(SESSIONS, {}, [400, 0]), more: ["Content-Length: 9"] },
  "a length and chunks": { ...send(SESSIONS, { "Transfer-Encoding": "chunked" }, [400, 0]) },
  "a header that is too large": get(SESSIONS, { "X-Large": "a".repeat(200_000) }, [400, 431, 0]),
  "a line break in a header": { ...get(SESSIONS, {}, [400, 0]), more: ["X-A: b\rInjected: c"] },
};

function headOf({ line = "GET / HTTP/1.1", headers = {}, more = [] }: Omit<Attempt, "status">): string {
  const all = Object.entries({ Host: "$OWN", ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return filled([line, ...all, ...more].join("\r\n"));
}

test("there are at least a hundred attempts", () => {
  expect(Object.keys(attempts).length).toBeGreaterThanOrEqual(150);
});

test.each(Object.keys(attempts))("refused: %s", async (name) => {
  const attempt = attempts[name]!;
  server.work.length = 0;
  const { status, headers, body } = await server.request(headOf(attempt), attempt.body && filled(attempt.body));
  expect(attempt.status).toContain(status);
  expect(server.work).toEqual([]);
  expect([...headers.keys()].filter((header) => header.startsWith("access-control-"))).toEqual([]);
  // What the HTTP parser itself refuses has no body.
  if (body !== "") {
    expect(JSON.parse(body)).toEqual({
      type: "error",
      error: { type: expect.any(String), message: expect.any(String) },
    });
    expect(headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
  }
  expect(body).not.toContain(token);
});

test("what the attempts leave out is what they fail for", async () => {
  server.work.length = 0;
  const list = await server.request(filled(`GET ${SESSIONS} HTTP/1.1\r\nHost: $OWN\r\nAuthorization: Bearer $TOKEN`));
  expect([list.status, JSON.parse(list.body)]).toEqual([200, { data: [], next_cursor: null }]);
  const created = await post(server, SESSIONS, {}, token);
  expect([created.status, JSON.parse(created.body)]).toEqual([201, { id: SESSION_ID, cwd: "/" }]);
  const stream = await server.request(headOf(upgrade({})));
  expect([stream.status, stream.headers.get("sec-websocket-protocol")]).toEqual([101, "keelson.v1"]);
  expect(server.work).toEqual(["list", "open", "join", "attach"]);
});

test("a code signs one device in, once and within a minute", async () => {
  await using fresh = startWatchedServer();
  const codeOf = (link: string) => link.split("#code=")[1]!;
  const [used, late, good] = [fresh.server.link(), fresh.server.link(), fresh.server.link()].map(codeOf);
  const sign = (code: string) => post(fresh, "/v1/auth/code", { code }).then(({ status }) => status);
  expect(await sign(used!)).toBe(200);
  expect(await sign(used!)).toBe(401);
  expect(await sign(`${good}x`)).toBe(401);
  expect(await sign(good!.toLowerCase())).toBe(401);
  expect(await sign("")).toBe(401);
  fresh.clock += 60_000;
  expect(await sign(late!)).toBe(401);
  // Of the twenty that may fail in an hour.
  for (let failed = 5; failed < 20; failed++) expect(await sign("guess")).toBe(401);
  const limited = await post(fresh, "/v1/auth/code", { code: codeOf(fresh.server.link()) });
  expect([limited.status, Number(limited.headers.get("retry-after")) > 3_000]).toEqual([429, true]);
  fresh.clock += 3_600_000;
  expect(await sign(codeOf(fresh.server.link()))).toBe(200);
  expect(fresh.work).toEqual([]);
});

/** What servers and proxies have read differently: where one request ends, and the next begins. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  "chunks that are no chunks": ["Transfer-Encoding: xchunked"],
  "a space before the colon": ["Transfer-Encoding : chunked"],
  "an encoding that changes nothing": ["Transfer-Encoding: identity"],
  "a packed body in chunks": ["Transfer-Encoding: gzip, chunked"],
  "chunks that are not the last encoding": ["Transfer-Encoding: chunked, identity"],
  "two encodings": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
  "an encoding in a second line": ["Transfer-Encoding:", " chunked"],
  "an encoding behind a control character": ["Transfer-Encoding: \u000bchunked"],
  "chunks and a length": ["Transfer-Encoding: chunked", "Content-Length: 5"],
  "large chunks and a length": ["Transfer-Encoding: CHUNKED", "Content-Length: 5"],
  "two lengths": ["Content-Length: 5", "Content-Length: 6"],
  "two lengths in one line": ["Content-Length: 5, 5"],
  "a length with a sign": ["Content-Length: +5"],
  "a length below nothing": ["Content-Length: -0"],
  "a length in other digits": ["Content-Length: 0x5"],
  "a length of two words": ["Content-Length: 5 5"],
  "a length without digits": ["Content-Length:"],
  "a length that no number holds": ["Content-Length: 99999999999999999999999"],
  "a header that begins with a space": [" Content-Length: 5"],
  "a line that ends early": ["Content-Length: 5\nX-A: b"],
};
/** Sizes of chunks. */
const SIZES = ["FFFFFFFFFFFFFFFF", "-1", "0x1", "1 ", " 1", "G", "1\n"];

test.each([
  ...Object.entries(ENDS).map(([name, lines]) => [name, lines, "0\r\n\r\n"] as const),
  ...SIZES.map((size) => [`a chunk of ${size}`, ["Transfer-Encoding: chunked"], `${size}\r\na\r\n0\r\n\r\n`] as const),
])("no second request hides behind one with %s", async (_, lines, body) => {
  server.work.length = 0;
  const hidden = `POST ${SESSIONS} HTTP/1.1\r\nHost: $OWN\r\nAuthorization: Bearer $TOKEN\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  const head = ["POST /v1/auth/code HTTP/1.1", "Host: $OWN", "Origin: http://$OWN", "Content-Type: application/json"];
  const { status } = await exchange(
    server.server.port,
    filled(`${[...head, ...lines].join("\r\n")}\r\n\r\n${body}${hidden}`),
    { toEnd: true },
  );
  expect([400, 431, 501, 505, 0]).toContain(status);
  expect(server.work).toEqual([]);
});

test("headers with which other servers change the method, the address or the sender change nothing", async () => {
  server.work.length = 0;
  const change = {
    "X-HTTP-Method-Override": "DELETE",
    "X-Method-Override": "DELETE",
    "X-Original-URL": SESSIONS,
    "X-Rewrite-URL": SESSIONS,
    "X-Forwarded-Prefix": SESSIONS,
  };
  const { status, body } = await server.request(headOf({ line: "GET /healthz HTTP/1.1", headers: change }));
  expect([status, body]).toEqual([200, '{"ok":true}']);
  await using fresh = startWatchedServer();
  const guess = (from: string) => {
    const body = '{"code":"guess"}';
    const lines = [
      "POST /v1/auth/code HTTP/1.1",
      `Host: 127.0.0.1:${fresh.server.port}`,
      `Origin: http://127.0.0.1:${fresh.server.port}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `X-Forwarded-For: ${from}`,
      `X-Real-IP: ${from}`,
      `Forwarded: for=${from}`,
    ];
    return fresh.request(lines.join("\r\n"), body).then(({ status }) => status);
  };
  for (let at = 0; at < 20; at++) expect(await guess(`10.0.0.${at}`)).toBe(401);
  expect(await guess("10.0.0.20")).toBe(429);
});

test("every answer forbids frames, sniffing, caches of the API and workers of other scopes, and sets no cookie", async () => {
  await using own = startWatchedServer({ exported: "<script>0</script>" });
  const driver = await own.signIn();
  const ask = (line: string) =>
    own.request(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${own.server.port}\r\nAuthorization: Bearer ${driver}`);
  own.sessions = [
    {
      id: SESSION_ID,
      title: "x",
      cwd: undefined,
      branch: undefined,
      worktree: undefined,
      modifiedMs: 0,
      bytes: 0,
      isOpen: false,
      isArchived: false,
      state: "idle",
    },
  ];
  const exported = `/v1/sessions/${SESSION_ID}/export?format=html`;
  for (const path of ["/", "/page.js", "/healthz", SESSIONS, "/v1/openapi.json", exported, "/nothing", "/?x=1"]) {
    const { headers } = await ask(`GET ${path}`);
    const kept = ["/", "/page.js"].includes(path);
    expect([path, Object.fromEntries(headers)]).toEqual([
      path,
      expect.objectContaining({
        "cache-control": kept ? "no-cache" : "no-store",
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      }),
    ]);
    for (const name of [
      "set-cookie",
      "service-worker-allowed",
      "server",
      "x-powered-by",
      "access-control-allow-origin",
    ])
      expect(headers.has(name)).toBe(false);
    expect(headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:/);
  }
  // What is exported is text of others: it is saved, never shown at this address.
  const { headers } = await ask(`GET ${exported}`);
  expect(headers.get("content-disposition")).toBe(`attachment; filename="${SESSION_ID}.html"`);
});

test("requests that do not arrive are cut off, and others are answered meanwhile", async () => {
  await using fresh = startWatchedServer();
  const { port } = fresh.server;
  const host = `127.0.0.1:${port}`;
  const body = "Origin: http://$HOST\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{".replace(
    "$HOST",
    host,
  );
  const beginnings = [
    "",
    "G",
    "GET /v1/sess",
    `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: 1`,
    `POST /v1/auth/code HTTP/1.1\r\nHost: ${host}\r\n${body}`,
  ];
  const slow = Array.from({ length: 400 }, (_, at) => exchange(port, beginnings[at % beginnings.length]!));
  const answered = await rawRequest(port, `GET /healthz HTTP/1.1\r\nHost: ${host}`);
  expect(answered.status).toBe(200);
  const statuses = new Set((await Promise.all(slow)).map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 0 && status !== 408)).toEqual([]);
  expect(fresh.work).toEqual([]);
});

test("a connection on which nothing more is asked is cut off, whatever was answered on it", async () => {
  await using own = startWatchedServer();
  const { port } = own.server;
  const signed = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${await own.signIn()}\r\n\r\n`;
  const asked = ["GET /healthz", "GET /", "GET /v1/sessions", "GET /v1/devices", "GET /nothing"];
  const ends = asked.map((line) => exchange(port, `${line} HTTP/1.1\r\n${signed}`, { toEnd: true }));
  expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 404]);
});

test("who sends a byte now and then does not keep a connection, with a head, a body or chunks", async () => {
  await using own = startWatchedServer();
  const { port } = own.server;
  const host = `127.0.0.1:${port}`;
  const head = `POST /v1/auth/code HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json`;
  const slow = [
    [`GET / HTTP/1.1\r\nHost: ${host}\r\n`, "X-A: b\r\n"],
    [`${head}\r\nContent-Length: 1000\r\n\r\n`, " "],
    [`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"],
  ] as const;
  await Promise.all(slow.map(([first, next]) => exchange(port, first, { toEnd: true, drip: next })));
  // Nor does it write to the terminal of the server.
  expect(own.work).toEqual([]);
});
