// Signing in, refreshing and signing out against a real authorization server.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { dial, modernServer, serveHttp, sessionServer, sseServer } from "../remote/remote-servers.test-support.ts";
import { remoteTransport } from "../remote/transport.ts";
import { protect, startAuthServer, type AuthServer, type ProtectedServer } from "./auth-server.test-support.ts";
import { memoryStorage } from "./memory-storage.test-support.ts";
import { signIn, type SignInOptions } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";
import { readRecord } from "./storage.ts";

let auth: AuthServer;
let server: ProtectedServer;
let storage: ReturnType<typeof memoryStorage>;

beforeEach(async () => {
  auth = await startAuthServer();
  server = protect(auth, sessionServer().fetch);
  storage = memoryStorage();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await auth[Symbol.asyncDispose]();
});

/** A browser whose user agrees to everything: follows the redirects up to our own address. */
async function browse(url: URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "http://nowhere").searchParams;
}

const login = (more: Partial<SignInOptions> = {}) =>
  signIn({
    name: "calc",
    type: "http",
    url: server.url,
    headers: {},
    storage,
    fetch,
    redirectUrl: "http://localhost:3118/callback",
    state: "state-1",
    authorize: browse,
    ...more,
  });

const record = () => readRecord(storage.tokens, { name: "calc", url: server.url });

async function connect(
  name = "calc",
  url = server.url,
  more: { headers?: Record<string, string>; isRetry?: boolean } = {},
) {
  const { headers = {}, isRetry = false } = more;
  const deps = { name, fetch, signIn: storage, isRetry };
  const connection = await dial(remoteTransport({ type: "http", url, headers }, deps));
  await connection.initialize();
  return connection;
}

const add = { name: "add", arguments: { a: 1, b: 2 } };

test("finds the authorization server, registers, and gets tokens for this server", async () => {
  expect(await login()).toEqual({ scope: "tools" });
  expect(auth.requests).toEqual([
    "GET /.well-known/oauth-authorization-server",
    "POST /register",
    "GET /authorize",
    "POST /token",
  ]);
  const [client] = [...auth.clients.values()];
  expect(client).toMatchObject({ client_name: "Keelson", redirect_uris: ["http://localhost:3118/callback"] });
  expect(client?.client_secret).toBeUndefined();
  expect([...auth.tokens.values()]).toEqual([{ client: client!.client_id, scopes: ["tools"], resource: server.url }]);

  expect(Object.keys((await record())!.issuer!.metadata!)).toEqual([
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "response_types_supported",
    "token_endpoint_auth_methods_supported",
    "revocation_endpoint",
  ]);

  const connection = await connect();
  expect(await connection.request("tools/call", add)).toMatchObject({ content: [{ text: "3" }] });
  await connection.close();
});

test("a server of the 2026-07-28 generation gets the token too", async () => {
  await using modern = protect(auth, modernServer());
  await login({ url: modern.url });
  const config = { type: "http", url: modern.url, headers: {} } as const;
  const connection = await dial(remoteTransport(config, { name: "calc", fetch, signIn: storage }));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  expect(await connection.request("tools/call", { ...add, _meta })).toMatchObject({ content: [{ text: "3" }] });
  await connection.close();
});

test("a server over server-sent events gets the token, also after a refresh", async () => {
  await using inner = await sseServer();
  await using target = protect(auth, (request) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname === "/mcp" ? "/sse" : pathname;
    return fetch(new URL(path + search, inner.url), new Request(request.url, request));
  });
  const config = { type: "sse", url: target.url, headers: {} } as const;
  const open = () => dial(remoteTransport(config, { name: "calc", fetch, signIn: storage }));
  await expect(open()).rejects.toThrow("requires you to sign in");
  await login({ type: "sse", url: target.url });
  auth.revokeAll(false);
  const connection = await open();
  await connection.initialize();
  expect(await connection.request("tools/call", add)).toMatchObject({ content: [{ text: "3" }] });
  auth.revokeAll(false);
  expect(await connection.request("tools/call", add)).toMatchObject({ content: [{ text: "3" }] });
  target.callScope = "files:write";
  await expect(connection.request("tools/call", add)).rejects.toThrow('requires the scope "files:write"');
  auth.revokeAll(true);
  await expect(connection.request("tools/call", add)).rejects.toThrow("requires you to sign in");
  await connection.close();
});

test("a configured Authorization header is used instead of a sign-in, and never falls back to it", async () => {
  await login();
  server.seen.length = 0;
  const config = { type: "http", url: server.url, headers: { Authorization: "Bearer mine" } } as const;
  const connection = await dial(remoteTransport(config, { name: "calc", fetch, signIn: storage }));
  await expect(connection.initialize()).rejects.toThrow("rejected the configured Authorization header (HTTP 401)");
  expect(server.seen).toEqual(["mine"]);
});

test("without a sign-in a server is contacted once, and then not for a while", async () => {
  await expect(connect()).rejects.toThrow(
    /-32401: "127.0.0.1:\d+" requires you to sign in; run "keelson mcp login calc"$/,
  );
  await expect(connect()).rejects.toThrow("requires you to sign in");
  expect(server.seen).toEqual([null]);
  expect(auth.requests).toEqual([]);
  // Unless something may have changed, or the user asks.
  await expect(connect("calc", server.url, { headers: { "x-key": "1" } })).rejects.toThrow("requires you to sign in");
  await expect(connect("calc", server.url, { isRetry: true })).rejects.toThrow("requires you to sign in");
  expect(server.seen).toEqual([null, null, null]);
  await login();
  await (await connect()).close();
});

test("an expired token is refreshed before it is sent, once for all connections", async () => {
  auth.lifetime = 0;
  await login();
  auth.lifetime = 3_600;
  const before = (await record())!.tokens!.access_token;
  const connections = await Promise.all([connect(), connect(), connect()]);
  expect(auth.requests.filter((request) => request === "POST /token")).toHaveLength(2);
  expect(server.seen).not.toContain(before);
  expect((await record())!.tokens).toMatchObject({
    scope: "tools",
    refresh_token: expect.stringContaining("refresh-"),
  });
  for (const connection of connections) await connection.close();
});

test("a token that the server no longer accepts is refreshed", async () => {
  await login();
  const connection = await connect();
  auth.revokeAll(false);
  expect(await connection.request("tools/call", add)).toMatchObject({ content: [{ text: "3" }] });
  await connection.close();
});

test("a revoked sign-in drops the tokens and needs a new one", async () => {
  await login();
  const connection = await connect();
  auth.revokeAll(true);
  await expect(connection.request("tools/call", add)).rejects.toThrow("requires you to sign in");
  expect(await record()).not.toHaveProperty("tokens");
  const requests = server.seen.length;
  await expect(connect()).rejects.toThrow("requires you to sign in");
  expect(server.seen).toHaveLength(requests);
  await login();
  await (await connect()).close();
});

test("tokens survive an authorization server that cannot be reached", async () => {
  auth.lifetime = 0;
  await login();
  await auth[Symbol.asyncDispose]();
  await expect(connect()).rejects.toThrow(
    /^MCP error -32000: Cannot refresh the sign-in at "127.0.0.1:\d+": Cannot reach "127.0.0.1:\d+": connection refused$/,
  );
  expect(await record()).toHaveProperty("tokens.refresh_token");
});

test("a missing scope is asked for at the next sign-in, with those granted before", async () => {
  await login();
  server.callScope = "files:write";
  const connection = await connect();
  await expect(connection.request("tools/call", add)).rejects.toThrow('requires the scope "files:write"');
  expect(await connection.request("tools/list")).toHaveProperty("tools");
  await connection.close();
  expect(await login()).toEqual({ scope: "tools files:write" });
  const again = await connect();
  expect(await again.request("tools/call", add)).toMatchObject({ content: [{ text: "3" }] });
  await again.close();
});

test("tokens are not sent to another URL under the same name, nor to the same URL under another", async () => {
  await login();
  await using other = protect(auth, sessionServer().fetch);
  await expect(connect("calc", other.url)).rejects.toThrow("requires you to sign in");
  await expect(connect("the other")).rejects.toThrow(`run "keelson mcp login 'the other'"`);
  expect([...other.seen, ...server.seen].filter(Boolean)).toEqual([]);
});

test("configured headers go to the server and not to its authorization server", async () => {
  await login({ headers: { "x-key": "secret" } });
  expect(auth.headers.map((headers) => headers.get("x-key"))).toEqual([null, null, null, null]);
});

test.each([
  [{ state: "other" }, "The redirect belongs to another sign-in; try again"],
  [
    { iss: "https://evil.example" },
    "The redirect came from a different authorization server than the one you were sent to; not signed in",
  ],
  [{ code: "", error: "access_denied" }, "The authorization server did not sign you in: access_denied"],
  [
    { code: "", error: "x", error_description: "No\nway\u001b[2J" },
    "The authorization server did not sign you in: No way [2J",
  ],
  [{ code: "stolen" }, "The authorization server refused: Unknown code"],
])("a redirect with %j signs nobody in", async (extra, message) => {
  Object.assign(auth.redirectExtra, extra);
  await expect(login()).rejects.toThrow(message);
  expect(await record()).toBeUndefined();
  expect(auth.tokens.size).toBe(0);
});

test("an authorization server that claims to be another is refused", async () => {
  await using liar = await startAuthServer({ claimedIssuer: "https://accounts.example" });
  await using target = protect(liar, sessionServer().fetch);
  await expect(login({ url: target.url })).rejects.toThrow(
    "The authorization server identifies itself as a different server",
  );
  expect(liar.requests).not.toContain("POST /register");
});

/** A server of March 2025: it describes an authorization server itself, and names none. */
const describes = (metadata: () => Promise<object>) =>
  serveHttp(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/oauth-authorization-server") return Response.json(await metadata());
    return new Response("", { status: pathname.startsWith("/.well-known/") ? 404 : 401 });
  });

const metadataOf = async ({ issuer }: AuthServer) =>
  (await (await fetch(`${issuer}.well-known/oauth-authorization-server`)).json()) as object;

test("a server that describes its authorization server itself may use the name of the real one", async () => {
  await using named = await startAuthServer({ claimedIssuer: "https://accounts.example" });
  await using target = describes(() => metadataOf(named));
  expect(await login({ url: target.url })).toEqual({ scope: "" });
  expect(named.tokens.size).toBe(1);
});

test("the redirect may give that name if its owner describes the same server", async () => {
  await using target = describes(() => metadataOf(auth));
  Object.assign(auth.redirectExtra, { iss: auth.issuer });
  expect(await login({ url: target.url })).toEqual({ scope: "" });
  expect(auth.tokens.size).toBe(1);
});

test("a server that claims the name of another gets no code that the other one gave", async () => {
  const taken: string[] = [];
  await using evil = serveHttp(async (request) => {
    taken.push(await request.text());
    return new Response("", { status: 400 });
  });
  await using target = describes(async () => ({ ...(await metadataOf(auth)), token_endpoint: evil.url }));
  Object.assign(auth.redirectExtra, { iss: auth.issuer });
  await expect(login({ url: target.url })).rejects.toThrow("The redirect came from a different authorization server");
  expect(taken).toEqual([]);
});

test("a secret stays with its authorization server when the server describes another under the same name", async () => {
  let more = {};
  await using target = describes(async () => ({ ...(await metadataOf(auth)), ...more }));
  const known = { client_id: "mine", client_secret: "s3cret", redirect_uris: ["http://localhost:3118/callback"] };
  auth.clients.set("mine", known);
  const mine = { url: target.url, oauth: { clientId: "mine" }, clientSecret: "s3cret" };
  await login(mine);
  more = { token_endpoint: "https://evil.example/token" };
  await expect(login(mine)).rejects.toThrow("now uses another authorization server");
});

test.each([
  ["file:///etc/passwd", "named an address that is not a web page"],
  ["https://bank.example@evil.example/", 'named an address at "evil.example" that looks like another one'],
  ["javascript:alert(1)", "the server's answer is not valid: authorization_endpoint: URL cannot use"],
])("an authorization page at %p is not opened", async (authorization_endpoint, why) => {
  await using liar = await startAuthServer({ metadata: { authorization_endpoint } });
  await using target = protect(liar, sessionServer().fetch);
  const opened: URL[] = [];
  const authorize = async (url: URL) => {
    opened.push(url);
    return new URLSearchParams();
  };
  await expect(login({ url: target.url, authorize })).rejects.toThrow(why);
  expect(opened).toEqual([]);
});

test("a configured client is used with its secret, and only at its authorization server", async () => {
  auth.clients.set("known", {
    client_id: "known",
    client_secret: "s3cret",
    redirect_uris: ["http://localhost:3118/callback"],
    token_endpoint_auth_method: "client_secret_post",
  });
  const oauth = { clientId: "known", scopes: "tools files:read" };
  expect(await login({ oauth, clientSecret: "s3cret" })).toEqual({ scope: "tools files:read" });
  expect(auth.requests).not.toContain("POST /register");
  await (await connect()).close();

  // Asked for once.
  expect(await login({ oauth })).toEqual({ scope: "tools files:read" });

  await using other = await startAuthServer();
  const moved = { authServerMetadataUrl: `${other.issuer}.well-known/oauth-authorization-server` };
  await expect(login({ oauth: { ...oauth, ...moved } })).rejects.toThrow(
    /now uses another authorization server; run "keelson mcp logout calc" first if that is expected$/,
  );
  expect(other.requests).not.toContain("POST /token");
});

test("a client id that is the address of a document needs no registration", async () => {
  await using modern = await startAuthServer({ metadata: { client_id_metadata_document_supported: true } });
  await using target = protect(modern, sessionServer().fetch);
  const clientId = "https://keelson.example/client.json";
  modern.clients.set(clientId, { client_id: clientId, redirect_uris: ["http://localhost:3118/callback"] });
  expect(await login({ url: target.url, oauth: { clientId } })).toEqual({ scope: "tools" });
  expect(modern.requests).not.toContain("POST /register");
});

test("the authorization server can be configured", async () => {
  const authServerMetadataUrl = `${auth.issuer}.well-known/oauth-authorization-server`;
  expect(await login({ oauth: { authServerMetadataUrl } })).toEqual({ scope: "tools" });
  await expect(login({ oauth: { authServerMetadataUrl: "http://a.example/x" } })).rejects.toThrow(
    "must be an https address",
  );
  await expect(login({ oauth: { authServerMetadataUrl: `${auth.issuer}nothing` } })).rejects.toThrow("HTTP 404");
});

test("a registration is used again for the same redirect address only", async () => {
  await login();
  await login();
  expect(auth.clients.size).toBe(1);
  await login({ redirectUrl: "http://localhost:3119/callback" });
  expect(auth.clients.size).toBe(2);
});

test("signing out revokes the tokens and deletes them", async () => {
  await login();
  const options = { name: "calc", url: server.url, storage, fetch };
  expect(await signOut(options)).toBe("revoked");
  expect([auth.tokens.size, auth.refreshTokens.size, storage.secrets.size]).toEqual([0, 0, 0]);
  expect(await signOut(options)).toBe("not signed in");

  await login();
  await auth[Symbol.asyncDispose]();
  expect(await signOut(options)).toBe("kept");
  expect(storage.secrets.size).toBe(0);
});

test("damaged tokens count as none", async () => {
  await login();
  for (const key of storage.secrets.keys()) storage.secrets.set(key, "{ broken");
  await expect(connect()).rejects.toThrow("requires you to sign in");
});
