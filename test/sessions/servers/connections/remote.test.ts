// Servers at an address, through the program: official servers of both generations, lost sessions, and sign-ins.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import {
  modernServer,
  serveHttp,
  sessionServer,
  sseServer,
} from "../../../../packages/mcp/src/remote/remote-servers.test-support.ts";
import { messagesOf, STREAM, told } from "../../front-door.ts";
import { mcpNames, withServers } from "../fake.ts";

const ADD: ScriptedReply = { calls: [{ name: "mcp__calc__add", input: { a: 1, b: 2 } }] };
const ALLOWED = ["--allowedTools", "mcp__calc"];

async function addThrough(entry: object): Promise<unknown> {
  using home = temporaryHome();
  await using model = await startMockModel([ADD, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM, ...withServers({ calc: entry }), ...ALLOWED], { home, url: model.url });
  expect(mcpNames(model.requests[1]!)).toContain("mcp__calc__add");
  return told(model.requests[1]!)[0].content;
}

test("a call reaches an official server over streamable HTTP, of either generation", async () => {
  await using old = serveHttp(sessionServer().fetch);
  await using modern = serveHttp(modernServer());
  const answers = await Promise.all([old, modern].map(({ url }) => addThrough({ type: "http", url })));
  expect(answers).toEqual([[{ type: "text", text: "3" }], [{ type: "text", text: "3" }]]);
});

test("a call reaches an official server over server-sent events", async () => {
  await using server = await sseServer();
  expect(await addThrough({ type: "sse", url: server.url })).toEqual([{ type: "text", text: "3" }]);
});

test("headersHelper adds its headers, with every connection", async () => {
  const calc = sessionServer();
  await using server = serveHttp((request) =>
    request.headers.get("x-key") === "from calc" ? calc.fetch(request) : new Response("no", { status: 403 }),
  );
  const headersHelper = `printf '{"x-key":"from %s"}' "$CLAUDE_CODE_MCP_SERVER_NAME"`;
  expect(await addThrough({ type: "http", url: server.url, headersHelper })).toEqual([{ type: "text", text: "3" }]);
});

test("a server that forgot the session is connected again, and the call is answered", async () => {
  using home = temporaryHome();
  const calc = sessionServer();
  await using server = serveHttp(calc.fetch);
  await using model = await startMockModel([
    ADD,
    () => {
      calc.forget();
      return ADD;
    },
    { text: "done" },
  ]);
  const flags = withServers({ calc: { type: "http", url: server.url, alwaysLoad: true } });
  await runKeelson(["-p", "go", ...STREAM, ...flags, ...ALLOWED], { home, url: model.url });
  expect(told(model.requests[2]!)[0]).toMatchObject({ content: [{ type: "text", text: "3" }], is_error: false });
});

test("a server that wants a sign-in is reported as such, and the run goes on", async () => {
  using home = temporaryHome();
  let asked = 0;
  await using server = serveHttp(() => (asked++, new Response("no", { status: 401 })));
  await using model = await startMockModel([ADD, { text: "done" }, { text: "done" }]);
  const flags = withServers({ calc: { type: "http", url: server.url, alwaysLoad: true } });
  const first = await runKeelson(["-p", "go", ...STREAM, ...flags, ...ALLOWED], { home, url: model.url });
  expect(messagesOf(first, "system/init")[0].mcp_servers).toMatchObject([{ name: "calc", status: "needs-auth" }]);
  expect(told(model.requests[1]!)[0].content).toContain('The MCP server "calc" is not connected (needs-auth)');
  const before = asked;
  await runKeelson(["-p", "again", ...flags], { home, url: model.url });
  // For a while, no one asks it again.
  expect(asked).toBe(before);
});
