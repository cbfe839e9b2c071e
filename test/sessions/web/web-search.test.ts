// WebSearch through the whole program: by the model's own server, by each service, and by an MCP tool.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told, toolUseResults } from "../front-door.ts";
import { fakeServer, withServers } from "../servers/fake.ts";
import { HAIKU } from "../../models.ts";

const ALLOWED = ["--allowedTools", "WebSearch"];
const search = (query: string, more: object = {}): ScriptedCall => ({ name: "WebSearch", input: { query, ...more } });
const REMINDER = "REMINDER: You MUST include the sources above in your answer to the user, as Markdown links.";

const found = (tool_use_id: string, ...pages: readonly (readonly [string, string])[]) => ({
  type: "web_search_tool_result",
  tool_use_id,
  content: pages.map(([title, url]) => ({ type: "web_search_result", title, url, encrypted_content: "x" })),
});

test("the model's own server searches, in a request beside the conversation; searches have a price", async () => {
  using home = temporaryHome();
  const blocks: any[] = [
    { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "bun" } },
    found("srv_1", ["Bun", "https://bun.example.com/"], ["Ad", "https://ads.example.com/x"]),
    { type: "server_tool_use", id: "srv_2", name: "web_search", input: { query: "bun 2" } },
    { type: "web_search_tool_result", tool_use_id: "srv_2", content: { error_code: "max_uses_exceeded" } },
    { type: "text", text: "Bun is a runtime." },
  ];
  const usage = { server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } };
  await using model = await startMockModel([
    { calls: [search("bun runtime", { num_results: 3, blocked_domains: ["ads.example.com"] })] },
    { text: "Searching.", blocks, usage },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });

  const { body } = model.requests[1]!;
  expect(body).toMatchObject({
    model: HAIKU,
    messages: [{ role: "user", content: [{ text: "Perform a web search for the query: bun runtime" }] }],
  });
  expect(body.serverTools).toBeUndefined();
  expect(body.tools).toEqual([
    { type: "web_search_20250305", name: "web_search", max_uses: 8, blocked_domains: ["ads.example.com"] },
  ]);
  expect(toolUseResults(ended)).toEqual([
    {
      query: "bun runtime",
      results: [
        "Searching.",
        { tool_use_id: "srv_1", content: [{ title: "Bun", url: "https://bun.example.com/" }] },
        "Web search error: max_uses_exceeded",
        "Bun is a runtime.",
      ],
      searchCount: 2,
      durationSeconds: expect.any(Number),
    },
  ]);
  expect(told(model.requests[2]!)[0].content).toBe(
    [
      'Web search results for query: "bun runtime"',
      "Searching.",
      'Links: [{"title":"Bun","url":"https://bun.example.com/"}]',
      "Web search error: max_uses_exceeded",
      "Bun is a runtime.",
      REMINDER,
    ].join("\n\n"),
  );
  expect(resultOf(ended).modelUsage[HAIKU]).toMatchObject({ webSearchRequests: 2 });
});

test("a search whose turn the server pauses goes on from there", async () => {
  using home = temporaryHome();
  const asked = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "bun" } };
  const page = found("srv_1", ["Bun", "https://bun.example.com/"]);
  await using model = await startMockModel([
    { calls: [search("bun runtime")] },
    { text: "Searching.", blocks: [asked, page] as any[], stopReason: "pause_turn" },
    { text: "Bun is a runtime." },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });

  expect(model.requests[2]!.body.messages).toEqual([
    expect.objectContaining({ role: "user" }),
    { role: "assistant", content: [{ type: "text", text: "Searching." }, asked, page] },
  ]);
  expect(toolUseResults(ended)).toMatchObject([
    {
      results: [
        "Searching.",
        { tool_use_id: "srv_1", content: [{ title: "Bun", url: "https://bun.example.com/" }] },
        "Bun is a runtime.",
      ],
      searchCount: 1,
    },
  ]);
  expect(resultOf(ended).result).toBe("done");
});

/** A search service that answers every request with this. */
function startService(answer: (request: Request) => object | Response | Promise<object | Response>) {
  const requests: { method: string; path: string; headers: Record<string, string>; body: unknown }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search: query } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      const body = request.method === "POST" ? await request.json() : undefined;
      requests.push({ method: request.method, path: decodeURIComponent(pathname + query), headers, body });
      const answered = await answer(request);
      return answered instanceof Response ? answered : Response.json(answered);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

const PAGES = [
  { title: "One", url: "https://one.example.com/a", content: "About <strong>one</strong>", description: "About one" },
  { title: "Two", url: "https://two.example.org/", content: "", description: "" },
  { title: "Not a page", url: "javascript:alert(1)" },
];
const LINKS = [
  { title: "One", url: "https://one.example.com/a" },
  { title: "Two", url: "https://two.example.org/" },
];

async function searchBy(home: TemporaryHome, webSearch: object, input: object = {}, env: Record<string, string> = {}) {
  home.write("~/.claude/settings.json", { webSearch });
  await using model = await startMockModel([{ calls: [search("fruit", input)] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url, env });
  expect(resultOf(ended)).toMatchObject({ result: "done" });
  expect(model.requests).toHaveLength(2);
  return { ended, result: toolUseResults(ended)[0], text: told(model.requests[1]!)[0].content as string };
}

test("SearXNG", async () => {
  using home = temporaryHome();
  await using service = startService(() => ({ results: PAGES }));
  const { result } = await searchBy(home, { provider: "searxng", url: `${service.url}/x/` });
  expect(result).toEqual({
    query: "fruit",
    results: [{ tool_use_id: "call_1_1", content: LINKS }, "One (https://one.example.com/a): About one"],
    searchCount: 1,
    durationSeconds: expect.any(Number),
  });
  const limited = await searchBy(home, { provider: "searxng", url: service.url }, { allowed_domains: ["example.org"] });
  expect(limited.result.results).toEqual([{ tool_use_id: "call_1_1", content: LINKS.slice(1) }]);
  const without = { blocked_domains: ["two.example.org", "one.example.com/a"] };
  const blocked = await searchBy(home, { provider: "searxng", url: service.url }, without);
  expect(blocked.text).toContain("No links found.");
  expect(service.requests.map(({ path }) => path)).toEqual([
    "/x/search?q=fruit&format=json",
    "/search?q=fruit+site:example.org&format=json",
    "/search?q=fruit+-site:two.example.org+-site:one.example.com/a&format=json",
  ]);
});

test("Brave", async () => {
  using home = temporaryHome();
  await using service = startService(() => ({ web: { results: PAGES } }));
  const settings = { provider: "brave", url: `${service.url}/res/v1/` };
  const { result } = await searchBy(home, settings, {}, { BRAVE_API_KEY: "brave-secret" });
  expect(result.results).toEqual([
    { tool_use_id: "call_1_1", content: LINKS },
    "One (https://one.example.com/a): About one",
  ]);
  expect(service.requests).toMatchObject([
    { method: "GET", path: "/res/v1/web/search?q=fruit&count=10", headers: { "x-subscription-token": "brave-secret" } },
  ]);
});

test("Tavily, with the key in another variable", async () => {
  using home = temporaryHome();
  await using service = startService(() => ({ results: PAGES }));
  const settings = { provider: "tavily", url: service.url, apiKeyEnv: "MY_KEY" };
  const { result } = await searchBy(home, settings, { allowed_domains: ["one.example.com"] }, { MY_KEY: "secret" });
  expect(result.results[0].content).toEqual(LINKS.slice(0, 1));
  expect(service.requests).toMatchObject([
    {
      method: "POST",
      path: "/search",
      headers: { authorization: "Bearer secret" },
      body: { query: "fruit", max_results: 10, include_domains: ["one.example.com"], exclude_domains: [] },
    },
  ]);
});

test("an MCP tool, after its own permission", async () => {
  using home = temporaryHome();
  home.write("~/.claude/settings.json", { webSearch: { provider: "mcp", tool: "mcp__web__search" } });
  const server = fakeServer(home, "web", { tools: ["search"] });
  const run = async (allowed: string) => {
    await using model = await startMockModel([{ calls: [search("fruit")] }, { text: "done" }]);
    const flags = [...STREAM, ...withServers({ web: server }), "--allowedTools", allowed];
    const ended = await runKeelson(["-p", "go", ...flags], { home, url: model.url });
    return { ended, content: told(model.requests[1]!)[0].content as string };
  };
  const denied = await run("WebSearch");
  expect(denied.content).toStartWith("Permission to use mcp__web__search was not granted. ");
  const allowed = await run("WebSearch,mcp__web__search");
  expect(allowed.content).toStartWith('Web search results for query: "fruit"\n\n');
  expect(allowed.content).toContain("fruit");
  // The conversation holds the call of WebSearch only.
  expect(messagesOf(allowed.ended, "assistant").flatMap(({ message }) => message.content)).toMatchObject([
    { type: "tool_use", name: "WebSearch" },
    { type: "text" },
  ]);
});

test("what a hook says of the MCP tool is read with the call of WebSearch", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "web", { tools: ["search"] });
  const said = {
    hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "Only half of it is indexed." },
  };
  const hook = { type: "command", command: `echo '${JSON.stringify(said)}'` };
  home.write("~/.claude/settings.json", {
    webSearch: { provider: "mcp", tool: "mcp__web__search" },
    hooks: { PostToolUse: [{ matcher: "mcp__.*", hooks: [hook] }] },
  });
  await using model = await startMockModel([{ calls: [search("fruit")] }, { text: "done" }]);
  const flags = [...STREAM, ...withServers({ web: server }), "--allowedTools", "WebSearch,mcp__web__search"];
  await runKeelson(["-p", "go", ...flags], { home, url: model.url });
  expect(JSON.stringify(told(model.requests[1]!)[0])).not.toContain("half of it");
  expect(JSON.stringify(model.requests[1]!.body["messages"])).toContain("Only half of it is indexed.");
});

test("a subagent does not reach an MCP tool through WebSearch, past its own rules", async () => {
  using home = temporaryHome();
  home.write("~/.claude/settings.json", { webSearch: { provider: "mcp", tool: "mcp__web__search" } });
  const server = fakeServer(home, "web", { tools: ["search"] });
  const seeker = { description: "seeks", prompt: "Seek.", disallowedTools: ["mcp__web__search"] };
  const order = { description: "seek", prompt: "seek fruit", subagent_type: "seeker" };
  await using model = await startMockModel([
    { calls: [{ name: "Agent", input: order }] },
    { calls: [search("fruit")] },
    { text: "nothing" },
    { text: "done" },
  ]);
  const flags = [...withServers({ web: server }), "--agents", JSON.stringify({ seeker })];
  const allowed = ["--allowedTools", "WebSearch,mcp__web__search"];
  await runKeelson(["-p", "go", ...flags, ...allowed], { home, url: model.url });
  expect(told(model.requests[2]!)[0].content).toContain('A subagent cannot search through "mcp__web__search"');
});

test.each([
  ["no key", { provider: "brave" }, "Set BRAVE_API_KEY to the key for brave"],
  ["no address", { provider: "searxng" }, 'Set "webSearch.url" to the address of searxng'],
  ["no tool", { provider: "mcp" }, 'Set "webSearch.tool" to the MCP tool that searches'],
  ["a tool that is not there", { provider: "mcp", tool: "mcp__a__b" }, 'There is no MCP tool "mcp__a__b"'],
  ["a built-in tool", { provider: "mcp", tool: "Bash" }, 'There is no MCP tool "Bash"'],
])("a setting with %s is told", async (_, settings, message) => {
  using home = temporaryHome();
  const { text } = await searchBy(home, settings);
  expect(text).toContain(message);
});

test("services that fail: the key is in no message, and no redirect takes it elsewhere", async () => {
  using home = temporaryHome();
  const answers = [
    new Response("no", { status: 401 }),
    new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com/" } }),
    new Response("<html>"),
    new Response(new Uint8Array(3 * 1024 * 1024)),
  ];
  await using service = startService(() => answers.shift()!);
  const texts = [];
  for (let index = 0; index < 4; index++) {
    const settings = { provider: "tavily", url: service.url };
    const { text, ended } = await searchBy(home, settings, {}, { TAVILY_API_KEY: "tvly-secret" });
    expect(ended.stdout + ended.stderr).not.toContain("tvly-secret");
    texts.push(text);
  }
  expect(texts).toEqual([
    "tavily answered with HTTP 401",
    "tavily answered with HTTP 302",
    "tavily answered with something other than JSON",
    "The search service's answer is too long",
  ]);
});

test("without anyone who searches, the error names the setting; a repository cannot set it", async () => {
  using home = temporaryHome();
  await using service = startService(() => ({ results: PAGES }));
  home.write(".claude/settings.json", { webSearch: { provider: "searxng", url: service.url } });
  await using model = await startMockModel([
    { calls: [search("fruit")] },
    { status: 400, message: "web_search is not supported" },
    { text: "done" },
  ]);
  await runKeelson(["-p", "go", ...ALLOWED], { home, url: model.url });
  expect(told(model.requests[2]!)[0].content).toContain('set "webSearch" in the user settings');
  expect(service.requests).toEqual([]);
});

test("both lists at once, a short query, and the limit of a session", async () => {
  using home = temporaryHome();
  await using service = startService(() => ({ results: PAGES }));
  home.write("~/.claude/settings.json", { webSearch: { provider: "searxng", url: service.url } });
  const both = { allowed_domains: ["a.com"], blocked_domains: ["b.com"] };
  await using model = await startMockModel([
    { calls: [search("fruit", both), search("x"), search("one"), search("two"), search("three")] },
    { text: "done" },
  ]);
  const env = { CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: "2" };
  await runKeelson(["-p", "go", ...ALLOWED], { home, url: model.url, env });
  // Results come in the order in which the calls ended.
  const contents = told(model.requests[1]!).map(({ content }) => content);
  expect(contents).toContain(
    "<tool_use_error>Error: Cannot specify both allowed_domains and blocked_domains in the same request</tool_use_error>",
  );
  expect(contents).toContain(
    "This session has made 2 web searches, which is the limit (CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION)",
  );
  const count = (text: string) => contents.filter((content) => content.includes(text)).length;
  expect([count("InputValidationError"), count("https://one.example.com/a")]).toEqual([1, 2]);
  expect(service.requests).toHaveLength(2);
});

test("without permission nothing is searched", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [search("fruit")] }, { text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!)).toMatchObject([
    { content: expect.stringMatching(/^Permission to use WebSearch was not granted\. /), is_error: true },
  ]);
});
