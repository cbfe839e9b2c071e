import { expect, test } from "bun:test";
import { Conversation, run } from "@keelson/engine";
import type { HookOutcome, JsonObject, PromptMessage } from "@keelson/protocol";
import { scriptedModel, testEngine, type TestEngineOptions } from "@keelson/testkit";
import { McpConnection } from "../connection/connection.ts";
import { fakeServer, NEVER, type FakeServer } from "../connection/fake-server.test-support.ts";

const text = (value: string) => ({ type: "text", text: value });

test("a call sends the tool use id and returns the server's blocks", async () => {
  const server = fakeServer();
  const { result, stored } = await call(server);
  expect(server.heard.at(-1)).toEqual({
    method: "tools/call",
    params: {
      name: "add",
      arguments: { a: 1, b: 2 },
      _meta: { "claudecode/toolUseId": "call_1_1", progressToken: 2 },
    },
    jsonrpc: "2.0",
    id: 2,
  });
  expect(result).toEqual({ type: "tool_result", tool_use_id: "call_1_1", content: [text("3")], is_error: false });
  expect(stored).toEqual([text("3")]);
});

test("structured content is shown as JSON instead of the text, and stored", async () => {
  const answer = { content: [{ type: "text", text: "three" }], structuredContent: { sum: 3 } };
  const { result, stored } = await call(fakeServer({ "tools/call": answer }));
  expect(result).toMatchObject({ content: [text('{"sum":3}')], is_error: false });
  expect(stored).toEqual({ content: '{"sum":3}', structuredContent: { sum: 3 } });
});

test("isError becomes an error with all the text", async () => {
  const answer = { content: [text("no such"), text("number")], isError: true };
  const { result, stored } = await call(fakeServer({ "tools/call": answer }));
  expect(result).toMatchObject({ content: "no such\nnumber", is_error: true });
  expect(stored).toBe("Error: no such\nnumber");
});

test("the model reads an error for a failed call and for an invalid result", async () => {
  const failed = await call(fakeServer({ "tools/call": () => Promise.reject(new Error("Stream gone")) }));
  expect(failed.result).toMatchObject({ content: "MCP error -32000: Stream gone", is_error: true });
  const nonsense = await call(fakeServer({ "tools/call": { weather: "fine" } }));
  expect(nonsense.result).toMatchObject({
    content: 'MCP error -32603: the result of "add" is not a valid tool result',
    is_error: true,
  });
});

test.each([
  ["no content", { content: [] }, []],
  ["nothing", {}, []],
  ["blank text", { content: [text(" \n")] }, [text(" \n")]],
])("%s is shown as a note", async (_, answer, kept) => {
  const { result, stored } = await call(fakeServer({ "tools/call": answer }));
  expect(result).toMatchObject({ content: "(mcp__calc__add completed with no output)", is_error: false });
  expect(stored).toEqual(kept);
});

test("structured content replaces the text only; clients also get links and what the server says about the result", async () => {
  const content = [
    text("sum is 3"),
    { type: "resource_link", uri: "x:1", name: "one", size: 5, extra: true },
    { type: "resource", resource: { uri: "x:2", text: "two" } },
  ];
  const answer = { content, structuredContent: { sum: 3 }, _meta: { cost: 1 } };
  const { result, stored } = await call(fakeServer({ "tools/call": answer }));
  const shown = [text("[Resource link: one] x:1"), text("[Resource from calc at x:2] two"), text('{"sum":3}')];
  expect(result).toMatchObject({ content: shown, is_error: false });
  expect(stored).toEqual({
    content: shown,
    _meta: { cost: 1 },
    structuredContent: { sum: 3 },
    resourceLinks: [{ uri: "x:1", name: "one", size: 5 }],
  });
});

test("an error with structured content is told in the server's words", async () => {
  const answer = { content: [text("too large")], structuredContent: { code: 7 }, isError: true };
  const { result } = await call(fakeServer({ "tools/call": answer }));
  expect(result).toMatchObject({ content: "too large", is_error: true });
});

test("arguments are passed to the server unchecked", async () => {
  const server = fakeServer();
  await call(server, { input: { a: "one", c: null } });
  expect(server.heard.at(-1)).toMatchObject({ params: { arguments: { a: "one", c: null } } });
});

test("stopping the run cancels the call", async () => {
  const stop = new AbortController();
  const server = fakeServer({ "tools/call": () => (stop.abort(), NEVER()) });
  const { result } = await call(server, { signal: stop.signal });
  expect(result).toMatchObject({ is_error: true });
  expect(server.heard.at(-1)).toMatchObject({ method: "notifications/cancelled", params: { requestId: 2 } });
});

test("a hook may replace the result, but only with content", async () => {
  const saying = (output: unknown) => (event: string) =>
    ({ reasons: [], context: [], ...(event === "PostToolUse" ? { output } : {}) }) as unknown as HookOutcome;
  const changed = await call(fakeServer(), { fire: saying([text("four")]) });
  expect(changed.result).toMatchObject({ content: [text("four")] });
  const refused = await call(fakeServer(), { fire: saying({ sum: 4 }) });
  expect(refused.result).toMatchObject({ content: [text("3")] });
});

test("of 10 MB of text, the model sees where it is, and the transcript keeps a part", async () => {
  const long = "0123456789".repeat(1024 * 1024);
  const { result, stored, spilled } = await call(fakeServer({ "tools/call": { content: [text(long)] } }));
  const [{ text: shown }] = result["content"] as [{ text: string }];
  const [path] = [...spilled.keys()];
  expect(path).toMatch(/\/mcp-calc-add-\d+\.txt$/);
  expect(shown).toStartWith(
    `Error: result (10,485,760 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to `,
  );
  expect([shown.includes(path!), shown.length < 1_000, result["is_error"]]).toEqual([true, true, false]);
  expect([...spilled.values()].map(({ length }) => length)).toEqual([long.length]);
  expect(JSON.stringify(stored).length).toBeLessThan(101_000);
});

test("10 MB in a thousand blocks is limited like one long text", async () => {
  const parts = Array.from({ length: 1_000 }, () => text("x".repeat(10_000)));
  const { result, stored, spilled } = await call(fakeServer({ "tools/call": { content: parts } }));
  expect(result["content"]).toHaveLength(1);
  expect(spilled.size).toBe(1);
  expect(JSON.stringify(stored).length).toBeLessThan(101_000);
});

test("10 MB of structured content or of error text is limited", async () => {
  const long = "x".repeat(10 * 1024 * 1024);
  const own = await call(fakeServer({ "tools/call": { structuredContent: { long } } }));
  expect(JSON.stringify([own.result, own.stored]).length).toBeLessThan(110_000);
  const error = await call(fakeServer({ "tools/call": { content: [text(long)], isError: true } }));
  expect(error.result).toMatchObject({ is_error: true });
  expect(JSON.stringify([error.result, error.stored]).length).toBeLessThan(10_000);
});

test("a tool may set its own result limit", async () => {
  const listed = (size: number) => ({
    "tools/list": { tools: [{ name: "add", inputSchema: {}, _meta: { "anthropic/maxResultSizeChars": size } }] },
    "tools/call": { content: [text("x".repeat(200_000))] },
  });
  expect((await call(fakeServer(listed(300_000)))).spilled.size).toBe(0);
  expect((await call(fakeServer(listed(1_000)))).spilled.size).toBe(1);
});

/** Runs one prompt in which the model calls the tool once. Returns what the model was shown and what was stored. */
async function call(
  { transport }: FakeServer,
  {
    input = { a: 1, b: 2 },
    ...options
  }: { readonly input?: JsonObject } & Pick<TestEngineOptions, "fire" | "signal"> = {},
) {
  const connection = new McpConnection({ name: "calc", transport, timeoutMs: 1_000, callTimeoutMs: 60_000 });
  await connection.open();
  const tools = connection.tools.map(({ tool }) => tool);
  const model = scriptedModel({ calls: [{ name: "mcp__calc__add", input }] }, { text: "done" });
  const there = testEngine(model, {
    tools,
    ...options,
    permit: (request) => {
      expect(request.access).toEqual({ kind: "external", server: "calc" });
      return { behavior: "allow", by: "rule", source: "config", input: request.input };
    },
  });
  const prompt: PromptMessage = { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
  await run(prompt, "default", new Conversation(), there.ports, {});
  const entry = there.entries.find((each) => "toolUseResult" in each) as unknown as {
    message: { content: [JsonObject] };
    toolUseResult: unknown;
  };
  return { result: entry.message.content[0], stored: entry.toolUseResult, spilled: there.spilled };
}
