// Servers of the official SDK, reached by the program over each transport: their calls, headers, restarts and streams.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../../front-door.ts";
import { until } from "../../processes.ts";
import { mcpNames, withServers } from "../fake.ts";
import { memoryEvents, startOfficial, type Kind, type OfficialServer } from "../official.ts";

const KINDS: readonly Kind[] = ["http", "sse", "ws"];
const call = (name: string): ScriptedReply => ({ calls: [{ name: `mcp__calc__${name}`, input: { a: 1, b: 2 } }] });
const THREE = { content: [{ type: "text", text: "3" }], is_error: false };

/** The last answer that the model got. */
async function converse(entry: object, replies: Parameters<typeof startMockModel>[0]) {
  using home = temporaryHome();
  await using model = await startMockModel(replies);
  const flags = [...withServers({ calc: { ...entry, alwaysLoad: true } }), "--allowedTools", "mcp__calc"];
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  const [init] = messagesOf(ended, "system/init");
  return { servers: init.mcp_servers, names: mcpNames(model.requests[0]!), answer: told(model.requests.at(-1)!)[0] };
}

test.each(KINDS)(
  "a server over %s: its tools are listed and called, with headers and those of headersHelper",
  async (kind) => {
    await using server = await startOfficial[kind]({ requires: { "x-written": "a", "x-helper": "for calc" } });
    const entry = {
      ...server.entry,
      headers: { "X-Written": "a" },
      headersHelper: `printf '{"X-Helper":"for %s"}' "$CLAUDE_CODE_MCP_SERVER_NAME"`,
    };
    const { servers, names, answer } = await converse(entry, [call("add"), { text: "done" }]);
    expect(servers).toMatchObject([{ name: "calc", status: "connected" }]);
    expect(names).toEqual(["mcp__calc__add", "mcp__calc__later"]);
    expect(answer).toMatchObject(THREE);
  },
);

test.each(KINDS)("a server over %s that is started again between two calls is connected again", async (kind) => {
  const first = await startOfficial[kind]();
  let second: OfficialServer | undefined;
  const restart = async () => {
    await first[Symbol.asyncDispose]();
    second = await startOfficial[kind]({ port: first.port });
    // A lost stream is noticed; a lost session only by the next request.
    if (kind !== "http") await until(() => second!.connections > 0, "the client never came back");
    return call("add");
  };
  const { answer } = await converse(first.entry, [call("add"), restart, { text: "done" }]);
  expect([answer, second?.connections]).toMatchObject([THREE, 1]);
  await second?.[Symbol.asyncDispose]();
});

test.each([
  ["answers with JSON only", { enableJsonResponse: true }],
  ["has no sessions", { isStateless: true }],
])("a server over streamable HTTP that %s", async (_, http) => {
  await using server = await startOfficial.http({ http });
  const { answer } = await converse(server.entry, [call("add"), { text: "done" }]);
  expect(answer).toMatchObject(THREE);
});

test("a stream that ends before the answer is resumed where it ended", async () => {
  const eventStore = memoryEvents();
  await using server = await startOfficial.http({ http: { eventStore } });
  const { answer } = await converse(server.entry, [call("later"), { text: "done" }]);
  expect(answer).toMatchObject(THREE);
  expect(eventStore.replays).toBeGreaterThan(0);
});

test("the protocol version that a server answers with is the one of all later requests", async () => {
  const versions: (string | null)[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      versions.push(request.headers.get("mcp-protocol-version"));
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const hello = {
        protocolVersion: "2025-03-26",
        capabilities: { tools: {} },
        serverInfo: { name: "o", version: "1" },
      };
      const results: Record<string, object> = {
        initialize: hello,
        "tools/list": { tools: [{ name: "add", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "3" }] },
      };
      return Response.json({ jsonrpc: "2.0", id, result: results[method] });
    },
  });
  const { answer } = await converse({ type: "http", url: server.url.href }, [call("add"), { text: "done" }]);
  expect(answer).toMatchObject(THREE);
  expect([versions[0], new Set(versions.slice(1))]).toEqual([null, new Set(["2025-03-26"])]);
});
