// MCP servers with models of other providers, which know no ToolSearch at first: what they are told, and how many tools
// they get.

import { expect, test } from "bun:test";
import {
  runKeelson,
  startChatServer,
  startGeminiServer,
  startResponsesServer,
  temporaryHome,
  type DialectScript,
} from "@keelson/testkit";
import { resultOf, STREAM } from "../front-door.ts";
import { fakeServer, NO_WAIT, withServers } from "./fake.ts";

const key = "sk-test-0123456789";
const scriptOf = (asked: () => void): DialectScript => [
  () => {
    asked();
    return { blocks: [{ call: { name: "mcp__late__echo", input: { text: "hi" } } }] };
  },
  { blocks: [{ text: "done" }] },
  { blocks: [{ text: "again" }] },
];
const NOTICE = "MCP servers that are still connecting: ";

const PROVIDERS = {
  async chat(asked = () => {}) {
    const server = await startChatServer(scriptOf(asked));
    return { server, model: "openai/gpt-4.1", env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key } };
  },
  async responses(asked = () => {}) {
    const server = await startResponsesServer(scriptOf(asked));
    const env = { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: `${server.url}/openai/v1` };
    return { server, model: "azure/gpt-5", env };
  },
  async gemini(asked = () => {}) {
    const server = await startGeminiServer(scriptOf(asked));
    const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: server.url };
    return { server, model: "gemini/gemini-2.5-flash", env };
  },
} as const;

for (const [name, start] of Object.entries(PROVIDERS)) {
  test(`${name}: the model is told once which servers are still connecting, and gets their tools in the next request`, async () => {
    using home = temporaryHome();
    const late = fakeServer(home, "late", { isSlow: true });
    const { server, model, env } = await start(() => late.open());
    await using _ = server;
    const servers = withServers({ late, denied: fakeServer(home, "denied", { isSlow: true }) });
    const rules = ["--allowedTools", "mcp__late", "--disallowedTools", "mcp__denied"];
    const ended = await runKeelson(["-p", "go", "--model", model, ...STREAM, ...servers, ...rules], {
      home,
      env: { ...env, ...NO_WAIT },
    });
    expect([resultOf(ended).result, ended.stderr, server.problems]).toEqual(["done", "", []]);
    const [first = "", second = ""] = server.requests.map(({ body }) => JSON.stringify(body));
    const offers = (request: string) => request.includes("mcp__late__echo");
    expect([first.includes(`${NOTICE}late. `), offers(first), offers(second)]).toEqual([true, false, true]);
    expect(second.split(NOTICE).length - 1).toBe(1);
  });
}

test("a typed prompt of a server waits for it, so that nothing is said of it", async () => {
  using home = temporaryHome();
  const { server, model, env } = await PROVIDERS.chat();
  await using _ = server;
  const prompts = [{ name: "greet", says: "Say hello" }];
  const servers = withServers({ late: fakeServer(home, "late", { prompts }), other: fakeServer(home, "other") });
  const args = ["-p", "/mcp__late__greet", "--model", model, ...STREAM, ...servers, "--allowedTools", "mcp__late"];
  resultOf(await runKeelson(args, { home, env: { ...env, ...NO_WAIT } }));
  const first = JSON.stringify(server.requests[0]!.body);
  expect([first.includes("Say hello"), first.includes("mcp__late__echo")]).toEqual([true, true]);
  // The other one may have connected by then, too.
  expect(new RegExp(`${NOTICE}[^.]*late`).test(first)).toBe(false);
});

test("more than 128 tools are searched, so that none is lost", async () => {
  using home = temporaryHome();
  const { server, model, env } = await PROVIDERS.chat();
  await using _ = server;
  const late = fakeServer(home, "late", { count: 128 });
  const args = ["-p", "go", "--model", model, ...STREAM, ...withServers({ late }), "--allowedTools", "mcp__late"];
  expect(resultOf(await runKeelson(args, { home, env })).result).toBe("done");
  const second = server.requests[1]!.body as { tools: readonly { function: { name: string } }[] };
  const names = second.tools.map(({ function: { name } }) => name);
  expect(names).toContain("ToolSearch");
  expect(names.filter((each) => each.startsWith("mcp__"))).toEqual([]);
  expect(JSON.stringify(second).includes("129 of late")).toBe(true);
});
