// A configured remote server: where its headers come from, and that only it gets them.

import { expect, test } from "bun:test";
import { remoteHeaders, type RunHeadersHelper } from "./headers.ts";
import { dial, never, serveHttp, sessionServer, sseServer } from "./remote-servers.test-support.ts";
import { remoteTransport } from "./transport.ts";

const printing =
  (stdout: string): RunHeadersHelper =>
  () =>
    Promise.resolve({ outcome: "success", stdout });

test("headers come from the configuration and its helper, which runs again for every connection", async () => {
  const calculator = sessionServer();
  const seen: (string | null)[][] = [];
  await using server = serveHttp((request) => {
    seen.push(["x-a", "x-b", "x-c"].map((name) => request.headers.get(name)));
    return calculator.fetch(request);
  });
  const runs: unknown[] = [];
  const runHelper: RunHeadersHelper = async (command, env) => {
    runs.push([command, env]);
    return { outcome: "success", stdout: JSON.stringify({ "x-b": `run ${runs.length}`, "x-c": "3" }) };
  };
  const config = {
    type: "http",
    url: server.url,
    headers: { "x-a": "1", "x-b": "2" },
    headersHelper: "helper",
  } as const;
  for (const run of [1, 2]) {
    const connection = await dial(remoteTransport(config, { name: "calc", fetch, runHelper }));
    await connection.initialize();
    expect(seen.at(-1)).toEqual(["1", `run ${run}`, "3"]);
    await connection.close();
  }
  const env = { CLAUDE_CODE_MCP_SERVER_NAME: "calc", CLAUDE_CODE_MCP_SERVER_URL: server.url };
  expect(runs).toEqual([
    ["helper", env],
    ["helper", env],
  ]);
});

test("a server of kind sse is reached over server-sent events", async () => {
  await using server = await sseServer();
  const config = { type: "sse", url: server.url, headers: {} } as const;
  const connection = await dial(remoteTransport(config, { name: "calc", fetch }));
  expect(await connection.initialize()).toMatchObject({ protocolVersion: "2025-11-25" });
  await connection.close();
});

test.each([
  ["not json", "headersHelper must print a JSON object with strings as values"],
  ['["a"]', "headersHelper must print a JSON object with strings as values"],
  ['{"a": 1}', "headersHelper must print a JSON object with strings as values"],
  ['{"a b": "1"}', 'The header "a b" is not a valid HTTP header'],
  ['{"a": "1\\nb: 2"}', 'The header "a" is not a valid HTTP header'],
  [JSON.stringify({ a: "x".repeat(20_000) }), 'The header "a" is not a valid HTTP header'],
  [
    JSON.stringify(Object.fromEntries([...Array(101).keys()].map((n) => [`h${n}`, ""]))),
    "headersHelper printed more than 100 headers",
  ],
])("a helper that prints %.40s fails the connection", async (stdout, message) => {
  const config = { url: "http://x", headers: {}, headersHelper: "helper" };
  await expect(remoteHeaders(config, { name: "calc", runHelper: printing(stdout) }, never)).rejects.toThrow(message);
});

test("a helper that fails is reported without its output", async () => {
  const config = { url: "http://x", headers: {}, headersHelper: "helper" };
  const runHelper: RunHeadersHelper = async () => ({
    outcome: "cancelled",
    stdout: "secret",
    problem: "It took too long",
  });
  await expect(remoteHeaders(config, { name: "calc", runHelper }, never)).rejects.toThrow(
    /^MCP error -32000: headersHelper failed: It took too long$/,
  );
});
