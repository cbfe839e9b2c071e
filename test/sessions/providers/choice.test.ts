// Sessions on other providers, through the real program: chosen by settings and by variables, resumed on another one.

import { expect, test } from "bun:test";
import {
  runKeelson,
  startChatServer,
  startGeminiServer,
  startKeelson,
  startMockModel,
  startResponsesServer,
  temporaryHome,
  type DialectServer,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM } from "../front-door.ts";

const local = (server: DialectServer, more: object = {}) => ({
  api: "openai-chat",
  baseUrl: `${server.url}/v1`,
  apiKeyEnv: "LOCAL_LLM_KEY",
  headers: { "x-team": "blue" },
  models: {
    "qwen3-coder": { contextWindow: 131_072, maxTokens: 16_384, price: { input: 0.2, output: 0.8, cacheRead: 0.02 } },
  },
  ...more,
});

const KEY = { LOCAL_LLM_KEY: "local-secret-key-1" };

test("a block in the user's settings is a provider: tools run, and the result has its price", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  await using server = await startChatServer([
    { blocks: [{ call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } }] },
    { blocks: [{ text: "It says: the content" }], usage: { input: 1_000_000, output: 1_000_000 } },
  ]);
  home.settings({ model: "local/qwen3-coder", providers: { local: local(server) } });

  const ended = await runKeelson(["-p", "what is in a.txt?", ...STREAM], { home, env: KEY });

  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(messagesOf(ended, "system/init")[0]).toMatchObject({
    model: "local/qwen3-coder",
    apiKeySource: "LOCAL_LLM_KEY",
  });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "It says: the content" });
  expect(resultOf(ended).modelUsage).toMatchObject({
    "local/qwen3-coder": { contextWindow: 131_072, maxOutputTokens: 16_384 },
  });
  expect(resultOf(ended).total_cost_usd).toBeCloseTo(1.0 + 100 * 0.2e-6 + 20 * 0.8e-6, 9);
  const [first, second] = server.requests;
  expect([first!.model, first!.headers["authorization"], first!.headers["x-team"]]).toEqual([
    "qwen3-coder",
    "Bearer local-secret-key-1",
    "blue",
  ]);
  expect(second!.parts.at(-1)).toMatchObject({
    from: "tool",
    result: { text: expect.stringContaining("the content") },
  });
});

test("variables are enough for a provider; the cost is null where no price is known", async () => {
  using home = temporaryHome();
  const other = ({ path }: { path: string }) =>
    path.endsWith("/models") ? { status: 200, body: { data: [{ id: "only-model" }] } } : undefined;
  await using server = await startChatServer([{ blocks: [{ text: "hello" }] }, { blocks: [{ text: "again" }] }], {
    other,
  });
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "sk-openai-secret" };

  // Without a model: the only one that the server has.
  const ended = await runKeelson(["-p", "hi", ...STREAM], { home, env });
  expect([ended.code, server.problems]).toEqual([0, []]);
  expect(messagesOf(ended, "system/init")[0]).toMatchObject({
    model: "openai/only-model",
    apiKeySource: "OPENAI_API_KEY",
  });
  expect(resultOf(ended)).toMatchObject({ result: "hello", total_cost_usd: null });

  const named = await runKeelson(["-p", "hi", "--model", "openai/mine"], { home, env });
  expect([named.stdout, server.requests[1]!.model]).toEqual(["again\n", "mine"]);

  const limited = await runKeelson(["-p", "hi", "--model", "openai/mine", "--max-budget-usd", "1"], { home, env });
  expect([limited.code, limited.stderr]).toEqual([
    1,
    'error: --max-budget-usd cannot be enforced: the price of "openai/mine" is unknown. Add it to "modelPrices" in the settings, or remove the flag\n',
  ]);
});

test("ANTHROPIC_MODEL, --fallback-model and aliases take the same names", async () => {
  using home = temporaryHome();
  await using server = await startChatServer([
    { blocks: [{ text: "one" }] },
    { failure: "overloaded" },
    { failure: "overloaded" },
    { failure: "overloaded" },
    { blocks: [{ text: "two" }] },
  ]);
  home.settings({ providers: { local: local(server) } });
  const first = await runKeelson(["-p", "hi"], { home, env: { ...KEY, ANTHROPIC_MODEL: "local/a" } });
  expect([first.stdout, server.requests[0]!.model]).toEqual(["one\n", "a"]);
  const env = { ...KEY, ANTHROPIC_DEFAULT_HAIKU_MODEL: "local/small" };
  const second = await runKeelson(["-p", "hi", "--model", "local/big", "--fallback-model", "haiku", ...STREAM], {
    home,
    env,
  });
  expect(messagesOf(second, "system/model_fallback")[0]).toMatchObject({
    original_model: "local/big",
    fallback_model: "local/small",
  });
  expect([resultOf(second).result, server.requests.map(({ model }) => model)]).toEqual([
    "two",
    ["a", "big", "big", "big", "small"],
  ]);
});

test("a session goes from Anthropic to another provider and back", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  const file_path = `${home.project}/a.txt`;
  await using anthropic = await startMockModel([
    { thinking: "let me look", calls: [{ name: "Read", input: { file_path } }] },
    { text: "from the first" },
    { text: "back again" },
  ]);
  await using server = await startChatServer(
    [
      // An id that only this server accepts.
      { blocks: [{ thinking: "hm" }, { call: { id: "functions.Read:0", name: "Read", input: { file_path } } }] },
      { blocks: [{ text: "from the second" }] },
    ],
    { thinking: "reasoning_content" },
  );
  // It wants its thinking back while calls are answered, and no other.
  home.settings({ providers: { deepseek: local(server) } });
  const run = (more: string[], url?: string) =>
    runKeelson(["-p", "go on", ...more], { home, env: KEY, ...(url ? { url } : {}) });

  expect((await run([], anthropic.url)).stdout).toBe("from the first\n");
  const there = await run(["--continue", "--model", "deepseek/qwen3-coder"]);
  expect([there.stdout, there.stderr, server.problems]).toEqual(["from the second\n", "", []]);
  const back = await run(["--continue", "--model", "claude-sonnet-4-5"], anthropic.url);
  expect([back.stdout, back.stderr]).toEqual(["back again\n", ""]);

  const { messages } = anthropic.requests.at(-1)!.body;
  const blocks = messages.flatMap(({ content }: any) => (typeof content === "string" ? [] : content));
  const ids = blocks.flatMap(({ id, tool_use_id }: any) => id ?? tool_use_id ?? []);
  expect(ids.length).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  const signatures = blocks.flatMap(({ signature }: any) => signature ?? []);
  expect(signatures.filter((signature: string) => signature.startsWith("kp1."))).toEqual([]);
  // The other server is not sent thinking of Anthropic's.
  expect(JSON.stringify(server.requests[0]!.body)).not.toContain("let me look");
});

test("a name that leads nowhere ends with an error that says what to do", async () => {
  using home = temporaryHome();
  const run = async (model: string, env = {}) => {
    const { code, stderr } = await runKeelson(["-p", "hi", "--model", model], { home, env });
    return [code, stderr];
  };
  expect(await run("opnai/gpt-5")).toEqual([1, 'error: unknown provider "opnai"; did you mean "openai"?\n']);
  expect(await run("acme/gpt-5")).toEqual([
    1,
    expect.stringMatching(
      /^error: unknown provider "acme"; known providers are anthropic, .*zai\. Add others to "providers" in/,
    ),
  ]);
  expect(await run("gpt-5")).toEqual([1, 'error: "gpt-5" is a model of openai; use --model openai/gpt-5\n']);
  expect(await run("openai/gpt-5")).toEqual([
    1,
    'error: no key for "openai": set OPENAI_API_KEY, or run keelson auth login openai\n',
  ]);
  const several = await runKeelson(["-p", "hi"], { home, env: { GROQ_API_KEY: "a", XAI_API_KEY: "b" } });
  expect([several.code, several.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: several providers are set up: groq, xai; choose a model with --model PROVIDER\/ID/),
  ]);
});

test("set_model, /model, /status and agents know the names; aliases of agents stay with the session's provider", async () => {
  using home = temporaryHome();
  await using server = await startChatServer([
    { blocks: [{ text: "one" }] },
    { blocks: [{ text: "two" }] },
    {
      blocks: [
        { call: { name: "Agent", input: { description: "look", prompt: "look around", subagent_type: "finder" } } },
      ],
    },
    { blocks: [{ text: "found" }] },
    { blocks: [{ text: "three" }] },
  ]);
  home.settings({ model: "local/a", providers: { local: local(server) } });
  home.write("~/.claude/agents/finder.md", "---\nname: finder\ndescription: Finds\nmodel: haiku\n---\nFind.\n");
  await using program = startKeelson(["-p", ...CHAT], { home, env: KEY, stdin: "open" });
  const ask = async (text: string) => {
    const before = program.lines.at(-1);
    program.send(prompt(text));
    return (await program.waitForLine(({ type }) => type === "result", before ? { after: before } : {})).json;
  };
  expect((await ask("first")).result).toBe("one");
  program.send(control("s", { subtype: "set_model", model: "local/b" }));
  await program.waitForLine((json) => json.response?.request_id === "s");
  expect((await ask("second")).result).toBe("two");
  const status = await ask("/status");
  expect(status.result).toContain("Model: local/b");
  expect(status.result).toContain("Provider: local");
  expect((await ask("/model local/c")).result).toContain("local/c");
  expect((await ask("third")).result).toBe("three");
  // Neither Anthropic nor the offline model is asked in its place.
  expect(server.requests.map(({ model }) => model)).toEqual(["a", "b", "c", "c", "c"]);

  program.send(control("e", { subtype: "set_model", model: "opus" }));
  const refused = await program.waitForLine((json) => json.response?.request_id === "e");
  expect(refused.json.response).toMatchObject({
    subtype: "error",
    error: '"opus" is a model of Anthropic: set ANTHROPIC_API_KEY, or choose another with PROVIDER/ID',
  });
  program.send(control("m", { subtype: "initialize" }));
  const listed = await program.waitForLine((json) => json.response?.request_id === "m");
  expect(listed.json.response.response.account).toEqual({
    tokenSource: "none",
    apiKeySource: "LOCAL_LLM_KEY",
    apiProvider: "gateway",
  });
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});

test.each([
  ["openai-responses", startResponsesServer, "/v1"],
  ["gemini", startGeminiServer, ""],
] as const)("a block may have the API %s", async (api, start, path) => {
  using home = temporaryHome();
  await using server = await start([{ blocks: [{ thinking: "hm" }, { text: "hello" }] }]);
  home.settings({ providers: { x: { api, baseUrl: `${server.url}${path}`, apiKeyEnv: "X_KEY" } } });
  const { stdout, stderr } = await runKeelson(["-p", "hi", "--model", "x/m"], { home, env: { X_KEY: "x-key" } });
  expect([stdout, stderr, server.problems]).toEqual(["hello\n", "", []]);
  const { headers } = server.requests[0]!;
  expect(api === "gemini" ? headers["x-goog-api-key"] : headers["authorization"]).toMatch(/^(Bearer )?x-key$/);
});

test("a block may be another server of the Messages API", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  home.settings({
    providers: {
      x: { api: "anthropic", baseUrl: `${model.url}/v1`, apiKeyEnv: "X_KEY", headers: { "x-team": "blue" } },
    },
  });
  const { stdout, stderr } = await runKeelson(["-p", "hi", "--model", "x/claude-sonnet-4-5"], {
    home,
    env: { X_KEY: "x-key" },
  });
  expect([stdout, stderr]).toEqual(["hello\n", ""]);
  const { path, headers, body } = model.requests[0]!;
  expect([path, headers["x-api-key"], headers["x-team"], body.model, body.thinking]).toEqual([
    "/v1/messages?beta=true",
    "x-key",
    "blue",
    "claude-sonnet-4-5",
    { type: "enabled", budget_tokens: 31_999 },
  ]);
});

test("a continued session stays with its provider; without it, the usual model continues and says so", async () => {
  using home = temporaryHome();
  await using other = await startChatServer([{ blocks: [{ text: "one" }] }, { blocks: [{ text: "two" }] }]);
  home.settings({ providers: { local: local(other) } });
  const run = (...flags: readonly string[]) => runKeelson(["-p", "hi", ...flags], { home, env: KEY });

  expect((await run("--model", "local/qwen3-coder")).stdout).toBe("one\n");
  expect(await run("--continue")).toMatchObject({ stdout: "two\n", stderr: "" });
  home.settings({});
  expect(await run("--continue")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^warning: the model of this session cannot be used: .*local.*\. Continuing with "keelson-offline"/,
    ),
  });
});

test("a model of another provider is refused with the name to use, and fallback models without a key are reported", async () => {
  using home = temporaryHome();
  const key = { ANTHROPIC_API_KEY: "x", ANTHROPIC_BASE_URL: "" };
  expect(await runKeelson(["-p", "hi", "--model", "gpt-5"], { home, env: key })).toMatchObject({
    code: 1,
    stderr: 'error: "gpt-5" is a model of openai; use --model openai/gpt-5\n',
  });
  // A gateway may have it.
  await using gateway = await startMockModel([{ text: "from the gateway" }]);
  expect(await runKeelson(["-p", "hi", "--model", "gpt-5"], { home, url: gateway.url })).toMatchObject({
    stdout: "from the gateway\n",
    stderr: "",
  });

  await using server = await startChatServer([{ blocks: [{ text: "one" }] }, { blocks: [{ text: "two" }] }]);
  const block = { model: "local/qwen3-coder", providers: { local: local(server) } };
  home.settings(block);
  const flagged = await runKeelson(["-p", "hi", "--fallback-model", "sonnet"], { home, env: KEY });
  expect([flagged.stdout, flagged.stderr.replace(/claude-[\w-]+/, "claude-…")]).toEqual([
    "one\n",
    "Without a key for Anthropic, these fallback models are not used: claude-…\n",
  ]);
  // Settings name them for every session.
  home.settings({ ...block, fallbackModel: "sonnet" });
  expect(await runKeelson(["-p", "hi"], { home, env: KEY })).toMatchObject({ stdout: "two\n", stderr: "" });
});
