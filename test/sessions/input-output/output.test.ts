// What `-p` prints: text, one JSON result, or a line per message, and how each of them tells of trouble.

import { expect, test } from "bun:test";
import { normaliser, runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { kindOf, messagesOf, resultOf, spoken, STREAM, toolUseResults } from "../front-door.ts";

const SONNET = ["--model", "claude-sonnet-4-6"];

test("text is the final answer and a newline", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { text: "Let me look.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "It says one." },
  ]);

  const { stdout, stderr, code } = await runKeelson(["-p", "what is in a.txt?"], { home, url: model.url });

  expect({ stdout, stderr, code }).toEqual({ stdout: "It says one.\n", stderr: "", code: 0 });
});

test("json is the result and nothing else", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  home.write("b.txt", "two");
  await using model = await startMockModel([
    {
      calls: [
        { name: "Read", input: { file_path: "a.txt" } },
        { name: "Read", input: { file_path: "b.txt" } },
      ],
      usage: { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 10, cache_creation_input_tokens: 20 },
    },
    { text: "one and two", usage: { input_tokens: 2000, output_tokens: 200 } },
  ]);

  const ended = await runKeelson(["-p", "go", "--output-format", "json", ...SONNET], { home, url: model.url });

  expect(ended.lines).toHaveLength(1);
  expect(normaliser({ home })(ended.messages[0])).toEqual({
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: "<duration>",
    duration_api_ms: "<duration>",
    ttft_ms: "<duration>",
    api_error_status: null,
    queued_turn_count: 0,
    result_index: 0,
    // One, and one for each user line the run added.
    num_turns: 3,
    result: "one and two",
    stop_reason: "end_turn",
    session_id: "<uuid-1>",
    // 3000 in and 300 out at $3 and $15 per million, 10 read from the cache at $0.30, 20 written at $3.75.
    total_cost_usd: expect.closeTo(0.009 + 0.0045 + 0.000003 + 0.000075, 9),
    usage: {
      input_tokens: 3000,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 10,
      output_tokens: 300,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: "standard",
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    },
    modelUsage: {
      "claude-sonnet-4-6": {
        inputTokens: 3000,
        outputTokens: 300,
        cacheReadInputTokens: 10,
        cacheCreationInputTokens: 20,
        webSearchRequests: 0,
        costUSD: expect.closeTo(0.013578, 9),
        contextWindow: 200_000,
        maxOutputTokens: 32_000,
      },
    },
    permission_denials: [],
    terminal_reason: "completed",
    uuid: "<uuid-2>",
  });
});

test("stream-json is init, a line per block, a line per tool result, and the result", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    {
      thinking: "Where is it?",
      text: "Looking.",
      calls: [
        { name: "Read", input: { file_path: "a.txt" } },
        { name: "Read", input: { file_path: "gone.txt" } },
      ],
    },
    { text: "done" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM, ...SONNET], { home, url: model.url });

  // A call starts while the reply is still coming, so its result may come before the next block.
  const byCall = (message: any) => message.message.content[0].tool_use_id;
  const reply = ended.messages.slice(1, 7) as any[];
  const blocks = reply.filter(({ type }) => type === "assistant");
  const results = reply.filter(({ type }) => type === "user").sort((a, b) => byCall(a).localeCompare(byCall(b)));
  const messages = [ended.messages[0]!, ...blocks, ...results, ...ended.messages.slice(7)];
  const [init, ...rest] = normaliser({ home })(messages) as any[];
  expect(messages.map(kindOf)).toEqual([
    "system/init",
    "assistant",
    "assistant",
    "assistant",
    "assistant",
    "user",
    "user",
    "assistant",
    "result",
  ]);
  expect(init).toEqual({
    type: "system",
    subtype: "init",
    cwd: "<project>",
    session_id: "<uuid-1>",
    tools: expect.arrayContaining(["Bash", "Edit", "Glob", "Grep", "Read", "Write"]),
    mcp_servers: [],
    model: "claude-sonnet-4-6",
    permissionMode: "default",
    slash_commands: expect.any(Array),
    apiKeySource: "ANTHROPIC_API_KEY",
    claude_code_version: "<version>",
    output_style: "default",
    agents: expect.any(Array),
    skills: expect.any(Array),
    plugins: [],
    memory_paths: { auto: expect.stringContaining("/memory/") },
    original_cwd: "<project>",
    additional_directories: [],
    keelson_version: "<version>",
    uuid: "<uuid-2>",
  });
  // The agent tool has its older name here, in the place of the newer one.
  const [agentTool, ...tools] = init.tools;
  expect([agentTool, tools]).toEqual(["Task", tools.toSorted()]);
  const assistant = rest.filter(({ type }) => type === "assistant");
  expect(assistant[0]).toEqual({
    type: "assistant",
    message: {
      id: "<message-1>",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-6",
      content: [{ type: "thinking", thinking: "Where is it?", signature: "sig_1" }],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
    parent_tool_use_id: null,
    session_id: "<uuid-1>",
    uuid: expect.any(String),
    timestamp: "<time>",
    request_id: "<request-1>",
  });
  expect(assistant.map(({ message }) => [message.id, message.stop_reason, message.content])).toEqual([
    ["<message-1>", null, [{ type: "thinking", thinking: "Where is it?", signature: "sig_1" }]],
    ["<message-1>", null, [{ type: "text", text: "Looking." }]],
    ["<message-1>", null, [{ type: "tool_use", id: "<call-1>", name: "Read", input: { file_path: "a.txt" } }]],
    ["<message-1>", null, [{ type: "tool_use", id: "<call-2>", name: "Read", input: { file_path: "gone.txt" } }]],
    ["<message-2>", null, [{ type: "text", text: "done" }]],
  ]);
  // Calls that run side by side are told of as they end.
  const callOf = ({ message }: any) => message.content[0].tool_use_id;
  const answers = rest.filter(({ type }) => type === "user");
  expect(answers.toSorted((a, b) => (callOf(a) < callOf(b) ? -1 : 1))).toEqual([
    {
      type: "user",
      message: {
        role: "user",
        content: [{ tool_use_id: "<call-1>", type: "tool_result", content: "1\tone", is_error: false }],
      },
      parent_tool_use_id: null,
      session_id: "<uuid-1>",
      uuid: expect.any(String),
      timestamp: "<time>",
      tool_use_result: {
        type: "text",
        file: { filePath: "<project>/a.txt", content: "one", numLines: 1, startLine: 1, totalLines: 1 },
      },
      tool_result_meta: [
        { id: "<call-1>", permission_decision: { decision: "accept", source: "config", reason_type: "mode" } },
      ],
      tool_duration_ms: "<duration>",
    },
    {
      type: "user",
      message: {
        role: "user",
        content: [
          {
            tool_use_id: "<call-2>",
            type: "tool_result",
            content: expect.stringContaining("File does not exist. Note: your current working directory is <project>."),
            is_error: true,
          },
        ],
      },
      parent_tool_use_id: null,
      session_id: "<uuid-1>",
      uuid: expect.any(String),
      timestamp: "<time>",
      // On failure a string, not an object.
      tool_use_result: expect.stringMatching(/^Error: File does not exist/),
      tool_result_meta: [
        { id: "<call-2>", permission_decision: { decision: "accept", source: "config", reason_type: "mode" } },
      ],
      tool_duration_ms: "<duration>",
    },
  ]);
  const ids = ended.messages.map(({ uuid }) => uuid);
  expect(new Set(ids).size).toBe(ids.length);
});

test("stream-json is refused without --verbose", async () => {
  using home = temporaryHome();
  const ended = await runKeelson(["-p", "go", "--output-format", "stream-json"], { home });
  expect({ ...ended, stderr: ended.stderr.trim() }).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "error: --output-format=stream-json requires --verbose",
  });
});

test("partial messages: status first, the API's own events, and each block's line before the event that ends it", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { text: ["Loo", "king"], calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "done" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM, "--include-partial-messages"], { home, url: model.url });

  const order = ended.messages.map((message) => {
    if (message.type === "system") return message.status ?? message.subtype;
    if (message.type === "assistant") return `assistant ${message.message.content[0].type}`;
    return message.event?.type ?? message.type;
  });
  expect(order).toEqual([
    "init",
    "requesting",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "assistant text",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "assistant tool_use",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "user",
    "requesting",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "assistant text",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "result",
  ]);
  const [init] = ended.messages;
  const events = messagesOf(ended, "stream_event");
  expect(events[2]).toEqual({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Loo" } },
    parent_tool_use_id: null,
    session_id: init.session_id,
    uuid: expect.any(String),
  });
  expect(messagesOf(ended, "system/status")[0]).toEqual({
    type: "system",
    subtype: "status",
    status: "requesting",
    session_id: init.session_id,
    uuid: expect.any(String),
  });
});

test("partial messages are refused outside stream-json", async () => {
  using home = temporaryHome();
  const { code, stderr, stdout } = await runKeelson(["-p", "go", "--include-partial-messages"], { home });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("--include-partial-messages requires");
});

test("a block of a type nobody here knows reaches the client, and goes back to the model as it came", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  const block = { type: "hologram", id: "h1", data: { depth: 3, layers: ["a", "b"] } };
  await using model = await startMockModel([
    { blocks: [block], calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "done" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(messagesOf(ended, "assistant")[0].message.content).toEqual([block]);
  expect(spoken(model.requests[1]!)[1].content[0]).toEqual(block);
});

test("the cost of a model without a known price is unknown, not zero", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hi" }]);

  const ended = await runKeelson(["-p", "go", ...STREAM, "--model", "my-own-model"], { home, url: model.url });

  const result = resultOf(ended);
  expect(result.total_cost_usd).toBeNull();
  expect(result.modelUsage["my-own-model"].costUSD).toBeNull();
  expect(ended.code).toBe(0);
});

test("a price in the settings makes that cost known", async () => {
  using home = temporaryHome();
  home.settings({ modelPrices: { "my-own-model": { input: 1, output: 2 } } });
  await using model = await startMockModel([
    { text: "hi", usage: { input_tokens: 1_000_000, output_tokens: 500_000 } },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM, "--model", "my-own-model"], { home, url: model.url });

  expect(resultOf(ended).total_cost_usd).toBe(2);
});

test("an overloaded model is asked again, and each wait is announced", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { status: 529, headers: { "retry-after": "0" } },
    { status: 429, headers: { "retry-after": "0" } },
    { status: 500, headers: { "retry-after": "0" } },
    { text: "at last" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  const retries = messagesOf(ended, "system/api_retry");
  expect(retries[0]).toEqual({
    type: "system",
    subtype: "api_retry",
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 0,
    error_status: 529,
    error: "overloaded",
    session_id: expect.any(String),
    uuid: expect.any(String),
  });
  expect(retries.map(({ attempt, error_status, error }) => [attempt, error_status, error])).toEqual([
    [1, 529, "overloaded"],
    [2, 429, "rate_limit"],
    [3, 500, "server_error"],
  ]);
  expect(resultOf(ended)).toMatchObject({ result: "at last", num_turns: 1, is_error: false });
  const bodies = model.requests.map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(1);
});

test("retries end where CLAUDE_CODE_MAX_RETRIES says, and then the error is the answer", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ status: 529, headers: { "retry-after": "0" }, message: "Full" }));

  const ended = await runKeelson(["-p", "go", ...STREAM], {
    home,
    url: model.url,
    env: { CLAUDE_CODE_MAX_RETRIES: "2" },
  });

  expect(model.requests).toHaveLength(3);
  expect(messagesOf(ended, "system/api_retry").map(({ attempt, max_retries }) => [attempt, max_retries])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(resultOf(ended)).toMatchObject({ is_error: true, api_error_status: 529, terminal_reason: "api_error" });
  expect(ended.code).toBe(1);
});

test("text output says on stderr that a request is retried and why, once, and when it is given up", async () => {
  using home = temporaryHome();
  const env = { CLAUDE_CODE_MAX_RETRIES: "2" };
  const overloaded = { status: 529, headers: { "retry-after": "0" }, message: "Full" };
  await using model = await startMockModel([
    overloaded,
    overloaded,
    { text: "at last" },
    overloaded,
    overloaded,
    overloaded,
  ]);
  const warning = "warning: the model server replied with HTTP status 529 (overloaded); retrying up to 2 times\n";

  expect(await runKeelson(["-p", "go"], { home, url: model.url, env })).toMatchObject({
    code: 0,
    stdout: "at last\n",
    stderr: warning,
  });
  const failed = await runKeelson(["-p", "go"], { home, url: model.url, env });
  expect([failed.code, failed.stderr]).toEqual([1, `${warning}error: gave up after 2 retries\n`]);
});

test("text output says on stderr how to find out which credentials were refused", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ status: 401, message: "invalid x-api-key" }]);
  expect(await runKeelson(["-p", "go"], { home, url: model.url, env: { CLAUDE_CODE_MAX_RETRIES: "0" } })).toMatchObject(
    {
      code: 1,
      stdout: "Failed to authenticate. API Error: 401 invalid x-api-key\n",
      stderr:
        "error: the model server did not accept the credentials; to see which are used, run: keelson auth status\n",
    },
  );
});

test("text output says on stderr that the model server does not reply", async () => {
  using home = temporaryHome();
  const model = await startMockModel([]);
  const { url } = model;
  await model[Symbol.asyncDispose]();
  const { code, stdout, stderr } = await runKeelson(["-p", "go"], { home, url, env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "warning: no reply from the model server; retrying once\nerror: gave up after 1 retry\n",
  });
  expect(stdout).toStartWith(`API Error: Could not reach ${url}`);
});

test("a third overloaded answer sends the request to the fallback model, for this request only", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  const overloaded = { status: 529, headers: { "retry-after": "0" } };
  await using model = await startMockModel([
    overloaded,
    overloaded,
    overloaded,
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "done" },
  ]);

  const ended = await runKeelson(
    ["-p", "go", ...STREAM, "--model", "claude-opus-4-6", "--fallback-model", "claude-haiku-4-5"],
    { home, url: model.url },
  );

  expect(model.requests.map(({ body }) => body.model)).toEqual([
    "claude-opus-4-6",
    "claude-opus-4-6",
    "claude-opus-4-6",
    "claude-haiku-4-5",
    "claude-opus-4-6",
  ]);
  expect(messagesOf(ended, "system/model_fallback")).toEqual([
    {
      type: "system",
      subtype: "model_fallback",
      trigger: "overloaded",
      original_model: "claude-opus-4-6",
      fallback_model: "claude-haiku-4-5",
      content: expect.stringContaining("claude-haiku-4-5"),
      session_id: expect.any(String),
      uuid: expect.any(String),
    },
  ]);
  expect(Object.keys(resultOf(ended).modelUsage)).toEqual(["claude-haiku-4-5", "claude-opus-4-6"]);
  expect(toolUseResults(ended)).toHaveLength(1);
});

test("--version and --help answer without a model, a home or a word on stderr", async () => {
  using home = temporaryHome();
  const version = await runKeelson(["--version"], { home });
  expect(version).toMatchObject({ code: 0, stderr: "" });
  // Clients read the number in front to decide whether they can talk to us.
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+ \(Keelson \d+\.\d+\.\d+\)\n$/);
  const help = await runKeelson(["--help"], { home });
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("--output-format");
});

test("an option nobody knows, or a value it cannot have, is refused by name", async () => {
  using home = temporaryHome();
  const unknown = await runKeelson(["-p", "go", "--modle", "x"], { home });
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toBe("error: unknown option '--modle' (did you mean --model?)\n");
  const value = await runKeelson(["-p", "go", "--permission-mode", "zzz"], { home });
  expect(value).toMatchObject({ code: 1, stdout: "" });
  expect(value.stderr).toStartWith('error: invalid value "zzz" for --permission-mode; use acceptEdits, auto');
});
