// Signing in where the authorization server forgives nothing: how it is found, who we are there, and how tokens are
// replaced.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { startStrict, type StrictOptions, type StrictServers } from "./strict-auth-server.ts";

/** A home with the server in its configuration, and a browser whose user agrees to everything. */
function homeWith({ url }: StrictServers, oauth?: object) {
  const home = temporaryHome();
  home.write("~/.claude.json", {
    mcpServers: { calc: { type: "http", url, alwaysLoad: true, ...(oauth ? { oauth } : {}) } },
  });
  const script = home.write("~/browser.ts", `await fetch(process.argv[2]);`);
  return { home, env: { BROWSER: `${process.execPath} ${script}` } };
}

const login = ({ home, env }: ReturnType<typeof homeWith>) => runKeelson(["mcp", "login", "calc"], { home, env });

const ADD: ScriptedReply = { calls: [{ name: "mcp__calc__add", input: { a: 1, b: 2 } }] };

/** The answer to one call, and the status of the server at first. */
async function add(home: TemporaryHome) {
  await using model = await startMockModel([ADD, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "mcp__calc"], { home, url: model.url });
  const [init] = messagesOf(ended, "system/init");
  const { content, is_error } = told(model.requests[1]!)[0];
  return { status: init.mcp_servers[0].status, answer: is_error ? content : content[0].text };
}

const WAYS: readonly [string, StrictOptions][] = [
  [
    "as OAuth describes it, from an address that the challenge names",
    { discovery: "oauth", resourceMetadata: "named" },
  ],
  [
    "as OpenID describes it, from a description below the server's path",
    { discovery: "openid", resourceMetadata: "below-path" },
  ],
  ["from a description at the root of the server", { discovery: "oauth", resourceMetadata: "at-root" }],
];

test.each(WAYS)("an issuer with a path is found %s", async (_, options) => {
  await using strict = startStrict(options);
  const setup = homeWith(strict);
  using home = setup.home;
  expect(await login(setup)).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining('Signed in to "calc"'),
  });
  expect(await add(home)).toEqual({ status: "connected", answer: "3" });
  expect(strict.violations).toEqual([]);
});

test("without registration, a configured client is needed and used", async () => {
  await using strict = startStrict({ registers: false });
  const unknown = homeWith(strict);
  using _ = unknown.home;
  expect(await login(unknown)).toMatchObject({ code: 1, stderr: expect.stringContaining('set "oauth.clientId"') });
  const known = homeWith(strict, { clientId: "configured" });
  using home = known.home;
  expect((await login(known)).code).toBe(0);
  expect(await add(home)).toEqual({ status: "connected", answer: "3" });
  expect(strict.violations).toEqual([]);
});

test.each([
  ["accepts documents, it is the client", { registers: false, acceptsDocuments: true }, 1],
  ["does not, a client is registered", { acceptsDocuments: false }, 2],
])("a client id that is the address of a document: where the server %s", async (_, options, clients) => {
  await using strict = startStrict(options);
  const setup = homeWith(strict, { clientId: "https://keelson.example/client.json" });
  using _home = setup.home;
  expect((await login(setup)).code).toBe(0);
  expect([strict.violations, strict.clients.size]).toEqual([[], clients]);
});

test("refresh tokens are used once: sessions side by side, one after the other, and after a revocation", async () => {
  await using strict = startStrict();
  const setup = homeWith(strict);
  using home = setup.home;
  await login(setup);
  strict.revoke(false);
  const three = { status: "connected", answer: "3" };
  expect(await Promise.all([add(home), add(home), add(home)])).toEqual([three, three, three]);
  expect(strict.refreshes).toBe(1);
  strict.revoke(false);
  expect(await add(home)).toEqual(three);
  expect([strict.refreshes, strict.violations]).toEqual([2, []]);

  strict.revoke(true);
  expect(await add(home)).toEqual({ status: "needs-auth", answer: expect.stringContaining("keelson mcp login calc") });
  expect((await login(setup)).code).toBe(0);
  expect(await add(home)).toEqual(three);
  expect(strict.violations).toEqual([]);
});

test("a scope that a call requires is asked for at the next sign-in, beside those granted before", async () => {
  await using strict = startStrict();
  const setup = homeWith(strict);
  using home = setup.home;
  await login(setup);
  strict.callScope = "write";
  expect((await add(home)).answer).toContain('requires the scope "write"; run "keelson mcp login calc" to grant it');
  expect((await login(setup)).code).toBe(0);
  expect(await add(home)).toEqual({ status: "connected", answer: "3" });
  expect([strict.scopes, strict.violations]).toEqual([["tools", "tools write"], []]);
});
