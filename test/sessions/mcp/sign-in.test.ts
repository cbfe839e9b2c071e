// keelson mcp login and logout through the real program, against a real authorization server on this machine.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, temporaryHome, type Running, type TemporaryHome } from "@keelson/testkit";
import { sessionServer } from "../../../packages/mcp/src/remote/remote-servers.test-support.ts";
import { CHAT, control } from "../front-door.ts";
import { protect, startAuthServer } from "../../../packages/mcp/src/sign-in/auth-server.test-support.ts";

async function setUp(more: object = {}) {
  const auth = await startAuthServer();
  const server = protect(auth, sessionServer().fetch);
  const home = temporaryHome();
  home.write("~/.claude.json", { mcpServers: { calc: { type: "http", url: server.url, ...more } } });
  const folder = join(home.configDir, "mcp-credentials");
  return {
    auth,
    server,
    home,
    folder,
    async [Symbol.asyncDispose]() {
      home.remove();
      await server[Symbol.asyncDispose]();
      await auth[Symbol.asyncDispose]();
    },
  };
}

/** A browser whose user agrees to everything. */
function browser(home: TemporaryHome): Record<string, string> {
  const script = home.write("~/browser.ts", `await fetch(process.argv[2]);`);
  return { BROWSER: `${process.execPath} ${script}` };
}

const storedFiles = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

test("login opens the browser and stores tokens that only the user can read; logout revokes them", async () => {
  await using setup = await setUp();
  const { auth, server, home, folder } = setup;
  const login = await runKeelson(["mcp", "login", "calc"], { home, env: browser(home) });
  expect(login).toMatchObject({ code: 0, stderr: "" });
  const { host } = new URL(auth.issuer);
  expect(login.stdout).toContain(
    `Opening your browser to sign in at ${host}. If it does not open, go to:\n\n  ${auth.issuer}`,
  );
  expect(login.stdout).toEndWith('Signed in to "calc" (scope: tools)\n');
  expect(storedFiles(folder)).toEqual([expect.stringMatching(/^calc-[0-9a-f]{16}\.json$/)]);
  const file = join(folder, storedFiles(folder)[0]!);
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  const [token] = auth.tokens.keys();
  expect(readFileSync(file, "utf8")).toContain(token!);
  expect(login.stdout + login.stderr).not.toContain(token!);
  expect([...auth.tokens.values()]).toMatchObject([{ scopes: ["tools"], resource: server.url }]);

  const logout = await runKeelson(["mcp", "logout", "calc"], { home });
  expect(logout).toMatchObject({ code: 0, stdout: 'Signed out of "calc"\n', stderr: "" });
  expect([auth.tokens.size, auth.refreshTokens.size, storedFiles(folder)]).toEqual([0, 0, []]);
  expect(await runKeelson(["mcp", "logout", "calc"], { home })).toMatchObject({
    code: 0,
    stdout: 'Not signed in to "calc"\n',
  });
});

test("remove signs out, unless another definition has the same name and address", async () => {
  await using setup = await setUp();
  const { auth, server, home, folder } = setup;
  const again = ["mcp", "add", "--transport", "http", "-s", "local", "calc", server.url];
  expect((await runKeelson(again, { home })).code).toBe(0);
  await runKeelson(["mcp", "login", "calc"], { home, env: browser(home) });
  const first = await runKeelson(["mcp", "remove", "calc", "-s", "local"], { home });
  expect([first.stdout, storedFiles(folder).length, auth.tokens.size]).toEqual([
    expect.not.stringContaining("Signed out"),
    1,
    1,
  ]);
  const second = await runKeelson(["mcp", "remove", "calc"], { home });
  expect(second).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining('Signed out of "calc"\n') });
  expect([auth.tokens.size, auth.refreshTokens.size, storedFiles(folder)]).toEqual([0, 0, []]);
});

/** The address that the program asked to open. */
async function printedAddress(program: Running): Promise<string> {
  const { text } = await program.waitForLine((_, { text }) => text.startsWith("  http"));
  return text.trim();
}

test.each(["address", "code"])("login --no-browser accepts the pasted %s", async (form) => {
  await using setup = await setUp();
  const { home } = setup;
  await using program = startKeelson(["mcp", "login", "calc", "--no-browser"], {
    home,
    stdin: "open",
    env: browser(home),
  });
  const response = await fetch(await printedAddress(program), { redirect: "manual" });
  const redirect = response.headers.get("location")!;
  program.send(`\n${form === "code" ? new URL(redirect).searchParams.get("code") : redirect}\n`);
  expect(await program.done).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining('Signed in to "calc"'),
  });
});

test("login --no-browser also catches the redirect, on the configured port", async () => {
  const port = await freePort();
  await using setup = await setUp({ oauth: { callbackPort: port } });
  const { auth, home } = setup;
  await using program = startKeelson(["mcp", "login", "calc", "--no-browser"], { home, stdin: "open" });
  await fetch(await printedAddress(program));
  expect(await program.done).toMatchObject({ code: 0, stderr: "" });
  expect([...auth.clients.values()][0]!.redirect_uris).toEqual([`http://localhost:${port}/callback`]);
});

test("a redirect with another state, and a refusal, sign no one in", async () => {
  await using setup = await setUp();
  const { auth, home, folder } = setup;
  auth.redirectExtra["state"] = "other";
  await using program = startKeelson(["mcp", "login", "calc", "--no-browser"], { home, stdin: "open" });
  const response = await fetch(await printedAddress(program), { redirect: "manual" });
  const redirect = response.headers.get("location")!;
  expect((await fetch(redirect)).status).toBe(400);
  program.send(`${redirect}\n`);
  expect(await program.done).toMatchObject({
    code: 1,
    stderr: "error: the redirect belongs to another sign-in; try again\n",
  });

  delete auth.redirectExtra["state"];
  Object.assign(auth.redirectExtra, { code: "", error: "access_denied" });
  expect(await runKeelson(["mcp", "login", "calc"], { home, env: browser(home) })).toMatchObject({
    code: 1,
    stderr: "error: the authorization server did not sign you in: access_denied\n",
  });
  expect(storedFiles(folder)).toEqual([]);
});

test("SIGINT cancels a sign-in", async () => {
  await using setup = await setUp();
  await using program = startKeelson(["mcp", "login", "calc", "--no-browser"], { home: setup.home, stdin: "open" });
  await printedAddress(program);
  program.kill("SIGINT");
  expect(await program.done).toMatchObject({ code: 1, stderr: "error: the sign-in was cancelled\n" });
});

test("a client with a secret takes it from MCP_CLIENT_SECRET or asks for it", async () => {
  await using setup = await setUp({ oauth: { clientId: "known", scopes: "files" } });
  const { auth, home } = setup;
  auth.clients.set("known", {
    client_id: "known",
    client_secret: "s3cret",
    redirect_uris: ["http://localhost/callback"],
    token_endpoint_auth_method: "client_secret_post",
  });
  const env = browser(home);
  const given = await runKeelson(["mcp", "login", "calc"], { home, env: { ...env, MCP_CLIENT_SECRET: "s3cret" } });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining("(scope: files)") });
  await runKeelson(["mcp", "logout", "calc"], { home });
  const typed = await runKeelson(["mcp", "login", "calc", "--client-secret"], { home, env, stdin: "s3cret\n" });
  expect(typed).toMatchObject({ code: 0, stdout: expect.stringContaining('Client secret of "known": \n') });
  expect(auth.requests).not.toContain("POST /register");
});

test("errors", async () => {
  using home = temporaryHome();
  home.write("~/.claude.json", {
    mcpServers: {
      local: { command: "true" },
      keyed: { type: "http", url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer x" } },
      gone: { type: "http", url: "http://127.0.0.1:9/mcp" },
    },
  });
  const cases: [string[], string][] = [
    [["login"], "usage: keelson mcp login <name> [--no-browser]"],
    [["logout", "a", "b"], "usage: keelson mcp logout <name>\nTo send it as a prompt: keelson -p 'mcp logout a b'"],
    [["login", "nobody"], 'no MCP server "nobody"; to list them, run: keelson mcp list'],
    [["logout", "local"], 'MCP server "local" is of type stdio; only http and sse servers have a sign-in'],
    [["login", "keyed"], 'MCP server "keyed" has an Authorization header; remove it to sign in instead'],
    [["login", "gone"], 'cannot reach "127.0.0.1:9": connection refused'],
  ];
  for (const [argv, message] of cases) {
    expect(await runKeelson(["mcp", ...argv], { home })).toMatchObject({ code: 1, stderr: `error: ${message}\n` });
  }
});

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port!;
}

test.each(["browser", "pasted code"])("a client signs in over the stream, with the %s", async (how) => {
  await using setup = await setUp();
  const { home } = setup;
  await using program = startKeelson(CHAT, { home, stdin: "open", env: browser(home) });
  const ask = async (id: string, request: object) => {
    program.send(control(id, request));
    return ((await program.waitForLine(({ response }: any) => response?.request_id === id)).json as any).response;
  };
  const isBrowser = how === "browser";
  const begun = await ask("in", { subtype: "mcp_authenticate", serverName: "calc", openBrowser: isBrowser });
  expect(begun.response).toEqual({
    authUrl: expect.stringContaining(setup.auth.issuer),
    redirectUrl: expect.stringMatching(/^http:\/\/localhost:\d+\/callback$/),
    requiresUserAction: true,
    opened: isBrowser,
  });
  if (!isBrowser) {
    const bad = await ask("bad", { subtype: "mcp_submit_code", serverName: "calc", code: "no" });
    expect(bad.error).toBe("This is neither the address of the redirect nor a code");
    const { headers } = await fetch(begun.response.authUrl, { redirect: "manual" });
    const code = new URL(headers.get("location")!).searchParams.get("code");
    expect(await ask("code", { subtype: "mcp_submit_code", serverName: "calc", code })).toMatchObject({
      subtype: "success",
    });
  }
  const signedIn = await program.waitForLine(({ subtype }: any) => subtype === "mcp_sign_in");
  expect(signedIn.json).toMatchObject({ type: "system", server_name: "calc", state: "signed_in" });
  const status = await program.waitForLine(({ subtype }: any) => subtype === "mcp_server_status");
  expect(status.json).toMatchObject({ server_name: "calc", status: "connected" });
  const none = await ask("none", { subtype: "mcp_authenticate", serverName: "nope" });
  expect(none.error).toBe("Server not found: nope");
  program.closeStdin();
  await program.done;
});
