import { expect, test } from "bun:test";
import { McpConnection } from "../connection/connection.ts";
import { McpError } from "../connection/rpc.ts";
import { ADD, fakeServer, HELLO } from "../connection/fake-server.test-support.ts";

const signal = new AbortController().signal;
const RICH = { ...HELLO, capabilities: { tools: {}, resources: {}, prompts: {} } };

async function connect(answers: Parameters<typeof fakeServer>[0]) {
  const problems: string[] = [];
  const { transport, heard } = fakeServer({ initialize: RICH, ...answers });
  const onProblem = (problem: string) => problems.push(problem);
  const connection = new McpConnection({
    name: "docs",
    transport,
    timeoutMs: 20_000,
    callTimeoutMs: 20_000,
    onProblem,
  });
  await connection.open();
  return { connection, problems, heard };
}

test("resources, templates and prompts are listed, with what cannot be used left out", async () => {
  const { connection, problems } = await connect({
    "resources/list": ({ cursor }) =>
      cursor === undefined
        ? { resources: [{ uri: "a://1", name: "One\u202e", mimeType: "text/plain", size: 3 }, 7], nextCursor: "2" }
        : {
            resources: [
              { uri: "a://2", title: "Two\nlines", description: "d\u0007" },
              { uri: "a://1" },
              { uri: "b\u0000" },
            ],
          },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: "a://{id}", name: "Any" }, {}] },
    "prompts/list": {
      prompts: [
        { name: "greet", description: "Says hello", arguments: [{ name: "who", required: true }, {}, "x"] },
        { name: "" },
        null,
      ],
    },
  });
  expect(await connection.listResources(signal)).toEqual([
    { uri: "a://1", name: "One", mimeType: "text/plain", size: 3 },
    { uri: "a://2", name: "a://2", title: "Two lines", description: "d" },
  ]);
  expect(await connection.listResourceTemplates(signal)).toEqual([{ uriTemplate: "a://{id}", name: "Any" }]);
  expect(await connection.listPrompts(signal)).toEqual([
    { name: "greet", description: "Says hello", arguments: [{ name: "who", required: true }] },
  ]);
  expect(problems).toEqual([
    "Skipped a resource that is not an object",
    'The resource "a://1" is listed twice; using the first',
    "Skipped a resource without a usable URI",
    "Skipped a resource template without a usable URI",
    "Skipped a prompt without a usable name",
    "Skipped a prompt that is not an object",
  ]);
});

test("a server without resources or prompts is not asked for them", async () => {
  const { connection, heard } = await connect({ initialize: HELLO });
  const lists = [connection.listResources(signal), connection.listPrompts(signal)];
  expect([await Promise.all(lists), heard.length]).toEqual([[[], []], 3]);
});

test("a list that is none rejects; one that the server does not know is empty", async () => {
  const { connection } = await connect({ "resources/list": { resources: {} } });
  await expect(connection.listResources(signal)).rejects.toThrow(
    "the result of resources/list has no list of resources",
  );
  expect(await connection.listResourceTemplates(signal)).toEqual([]);
  expect(await connection.listPrompts(signal)).toEqual([]);
  const unknown = () => {
    throw new McpError(-32601, "Method not found");
  };
  const without = await connect({ "tools/list": unknown });
  expect([without.connection.status, without.connection.tools]).toEqual(["connected", []]);
});

test("a resource is read; what is not content is left out", async () => {
  const { connection, heard } = await connect({
    "resources/read": {
      contents: [
        { uri: "a://1", mimeType: "text/plain", text: "hi\ud800" },
        { uri: "a://2", blob: "AAAA" },
        { text: "no address" },
        7,
      ],
    },
  });
  expect(await connection.readResource("a://1", signal)).toEqual([
    { uri: "a://1", mimeType: "text/plain", text: "hi\ufffd" },
    { uri: "a://2", blob: "AAAA" },
  ]);
  expect(heard.at(-1)).toMatchObject({ method: "resources/read", params: { uri: "a://1" } });
});

test("a prompt is fetched with its arguments", async () => {
  const { connection, heard } = await connect({
    "prompts/get": {
      description: "A greeting",
      messages: [
        { role: "user", content: { type: "text", text: "Hello" } },
        { role: "assistant", content: { type: "resource", resource: { uri: "a://1", text: "there" } } },
        null,
      ],
    },
  });
  expect(await connection.getPrompt("greet", { who: "you" }, signal)).toEqual({
    description: "A greeting",
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      { role: "assistant", content: [{ type: "text", text: "[Resource from docs at a://1] there" }] },
    ],
  });
  expect(heard.at(-1)).toMatchObject({ params: { name: "greet", arguments: { who: "you" } } });
});

test("results that are neither resource nor prompt reject", async () => {
  const { connection } = await connect({ "resources/read": {}, "prompts/get": { messages: "no" } });
  expect(connection.readResource("a://1", signal)).rejects.toThrow("the result of resources/read has no contents");
  expect(connection.getPrompt("x", {}, signal)).rejects.toThrow("the result of prompts/get has no messages");
});

test("the size of a list is limited as a whole, not only that of each entry", async () => {
  const big = { type: "object", description: "x".repeat(90_000) };
  const tools = Array.from({ length: 500 }, (_, n) => ({ ...ADD, name: `t${n}`, inputSchema: big }));
  const { connection, problems } = await connect({ "tools/list": { tools } });
  expect(connection.tools.length).toBe(110);
  expect(problems).toEqual(["Too many tools; using the first 110"]);
});
