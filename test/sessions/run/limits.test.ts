// How a run ends when it may not or cannot go on: turns, money, answers that do not fit, and a model that fails.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, resultOf, spoken, STREAM, told } from "../front-door.ts";

const look = (...paths: string[]) => ({ calls: paths.map((file_path) => ({ name: "Read", input: { file_path } })) });

test("--max-turns: the calls are answered, the run is over, and every format says so", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel(() => look("a.txt"));
  const run = (...args: string[]) => runKeelson(["-p", "go", "--max-turns", "2", ...args], { home, url: model.url });

  const text = await run();
  expect(text).toMatchObject({ code: 1, stdout: "Error: Reached max turns (2)\n", stderr: "" });
  expect(model.requests).toHaveLength(2);

  const json = await run("--output-format", "json");
  expect(json.code).toBe(1);
  expect(json.messages[0]).toMatchObject({
    subtype: "error_max_turns",
    is_error: true,
    errors: ["Reached maximum number of turns (2)"],
    terminal_reason: "max_turns",
    num_turns: 3,
  });
  expect(json.messages[0]).not.toHaveProperty("result");
  expect(chainProblems(readTranscript(home, json.messages[0].session_id))).toEqual([]);
});

test("--max-turns: an answer within them is no error", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([look("a.txt"), { text: "one" }]);
  const { code, stdout } = await runKeelson(["-p", "go", "--max-turns", "2"], { home, url: model.url });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "one\n" });
});

test("with summarizeOnMaxTurns one more request, without tools, says what was done", async () => {
  using home = temporaryHome();
  home.settings({ summarizeOnMaxTurns: true });
  home.write("a.txt", "one");
  await using model = await startMockModel([look("a.txt"), { text: "I read a.txt; nothing is left to do." }]);

  const ended = await runKeelson(["-p", "go", "--max-turns", "1", ...STREAM], { home, url: model.url });

  expect(model.requests[1]!.body.tool_choice).toEqual({ type: "none" });
  // Still there: without them the provider's cache would not hold.
  expect(model.requests[1]!.body.tools).toEqual(model.requests[0]!.body.tools);
  expect(resultOf(ended)).toMatchObject({
    subtype: "error_max_turns",
    is_error: true,
    errors: ["Reached maximum number of turns (1)"],
    result: "I read a.txt; nothing is left to do.",
  });
  expect(ended.code).toBe(1);
});

test("--max-budget-usd: checked after each reply; calls made by then are answered, not carried out", async () => {
  using home = temporaryHome();
  const usage = { input_tokens: 1_000_000, output_tokens: 0 };
  await using model = await startMockModel([
    { text: "Writing.", calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }], usage },
  ]);

  const ended = await runKeelson(
    ["-p", "go", "--max-budget-usd", "2.5", "--model", "claude-sonnet-4-6", "--allowedTools", "Write", ...STREAM],
    { home, url: model.url },
  );

  expect(resultOf(ended)).toMatchObject({
    subtype: "error_max_budget_usd",
    is_error: true,
    errors: ["Reached maximum budget ($2.5)"],
    terminal_reason: "budget_exhausted",
    total_cost_usd: 3,
    permission_denials: [],
  });
  expect(ended.code).toBe(1);
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  expect(model.requests).toHaveLength(1);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("--max-budget-usd cannot be held without a price, so it is refused with the fix", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "cheap" }]);
  const args = ["-p", "go", "--max-budget-usd", "1", "--model", "my-own-model"];

  const refused = await runKeelson(args, { home, url: model.url });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`the price of "my-own-model" is unknown`);
  expect(refused.stderr).toContain("modelPrices");
  expect(model.requests).toEqual([]);

  home.settings({ modelPrices: { "my-own-model": { input: 1, output: 1 } } });
  expect(await runKeelson(args, { home, url: model.url })).toMatchObject({ code: 0, stdout: "cheap\n" });
});

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name"],
  additionalProperties: false,
};
const structured = (input: any) => ({ calls: [{ name: "StructuredOutput", input }] });

test("--json-schema: an answer that fits ends the run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([structured({ name: "Ada", age: 36 })]);

  const ended = await runKeelson(["-p", "who?", "--json-schema", JSON.stringify(SCHEMA), ...STREAM], {
    home,
    url: model.url,
  });

  const { tools, tool_choice } = model.requests[0]!.body;
  expect(tools.find(({ name }: any) => name === "StructuredOutput").input_schema).toEqual(SCHEMA);
  expect(tool_choice).toBeUndefined();
  expect(resultOf(ended)).toMatchObject({
    subtype: "success",
    is_error: false,
    structured_output: { name: "Ada", age: 36 },
    result: '{"name":"Ada","age":36}',
  });
  expect(messagesOf(ended, "user")[0].message.content[0]).toMatchObject({
    content: "Structured output provided successfully",
    is_error: false,
  });
  expect(ended.code).toBe(0);
});

test("--json-schema: an answer that does not fit is sent back with what is wrong", async () => {
  using home = temporaryHome();
  home.write("schema.json", SCHEMA);
  await using model = await startMockModel([structured({ name: 7 }), structured({ name: "Ada" })]);

  const { code, stdout } = await runKeelson(["-p", "who?", "--json-schema", "schema.json"], { home, url: model.url });

  expect(told(model.requests[1]!)).toMatchObject([
    {
      type: "tool_result",
      content: expect.stringContaining("Output does not match required schema: /name: must be string"),
      is_error: true,
    },
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"name":"Ada"}\n' });
});

test("--json-schema: after five answers that do not fit the run gives up", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => structured({ nom: "Ada" }));

  const ended = await runKeelson(["-p", "who?", "--json-schema", JSON.stringify(SCHEMA), ...STREAM], {
    home,
    url: model.url,
  });

  expect(model.requests).toHaveLength(5);
  expect(resultOf(ended)).toMatchObject({
    subtype: "error_max_structured_output_retries",
    is_error: true,
    terminal_reason: "structured_output_retry_exhausted",
  });
  expect(ended.code).toBe(1);
});

test("--json-schema: a plain answer is nudged once, then taken without the value", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Ada." }, { text: "Ada, I said." }]);

  const ended = await runKeelson(["-p", "who?", "--json-schema", JSON.stringify(SCHEMA), ...STREAM], {
    home,
    url: model.url,
  });

  expect(told(model.requests[1]!)[0].text).toStartWith(
    "[structured-output-enforce] You MUST call the StructuredOutput tool",
  );
  expect(messagesOf(ended, "user")[0].isSynthetic).toBe(true);
  const result = resultOf(ended);
  expect(result).toMatchObject({ subtype: "success", is_error: false, result: "Ada, I said." });
  expect(result).not.toHaveProperty("structured_output");
});

test("--json-schema that is none is refused before anything is asked", async () => {
  using home = temporaryHome();
  const broken = await runKeelson(["-p", "who?", "--json-schema", "{oops"], { home });
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain("--json-schema is not valid JSON");
  const missing = await runKeelson(["-p", "who?", "--json-schema", "nowhere.json"], { home });
  expect(missing.stderr).toContain(`file not found: ${home.project}/nowhere.json`);
});

test("a reply that was cut at its longest is asked to go on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Once upon", stopReason: "max_tokens" }, { text: " a time." }]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(spoken(model.requests[1]!).map(({ role }: any) => role)).toEqual(["user", "assistant", "user"]);
  expect(messagesOf(ended, "user")[0]).toMatchObject({ isSynthetic: true });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", is_error: false, num_turns: 2 });
  expect(ended.code).toBe(0);
});

test("a reply that is cut again and again is given up after three times", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "and ", stopReason: "max_tokens" }));
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(model.requests).toHaveLength(4);
  expect(resultOf(ended)).toMatchObject({
    is_error: true,
    result: expect.stringContaining("CLAUDE_CODE_MAX_OUTPUT_TOKENS"),
  });
  expect(ended.code).toBe(1);
});

test.each([
  [400, "invalid_request_error", "api_error", ""],
  [401, "authentication_error", "api_error", "Failed to authenticate. "],
  [403, "permission_error", "api_error", "Failed to authenticate. "],
  [404, "not_found_error", "api_error", ""],
] as const)("API error %i is not tried again, and is the answer", async (status, type, reason, first) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ status, message: "scripted failure" }]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(model.requests).toHaveLength(1);
  const text = `${first}API Error: ${status} scripted failure`;
  expect(messagesOf(ended, "assistant")).toMatchObject([
    {
      message: {
        model: "<synthetic>",
        role: "assistant",
        content: [{ type: "text", text }],
        stop_reason: "stop_sequence",
      },
      error: expect.any(String),
      is_api_error_message: true,
      api_error_status: status,
      api_error_type: type,
    },
  ]);
  expect(resultOf(ended)).toMatchObject({
    subtype: "success",
    is_error: true,
    result: text,
    api_error_status: status,
    api_error_type: type,
    terminal_reason: reason,
    num_turns: 1,
  });
  expect(ended.code).toBe(1);
});

test("an API error in text is on stdout, with exit code 1", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ status: 400, message: "scripted failure" }]);
  const { code, stdout, stderr } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "API Error: 400 scripted failure\n", stderr: "" });
});

test("the key is never repeated, even when the API does", async () => {
  using home = temporaryHome();
  const key = "sk-very-secret-value";
  await using model = await startMockModel([{ status: 401, message: `invalid x-api-key: ${key}` }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env: { ANTHROPIC_API_KEY: key } });
  expect(ended.stdout + ended.stderr).not.toContain(key);
  expect(JSON.stringify(readTranscript(home))).not.toContain(key);
  expect(resultOf(ended).result).toContain("invalid x-api-key: ***");
});

test("an API error is not part of the conversation when the session goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ status: 400, message: "scripted failure" }, { text: "hello" }]);
  await runKeelson(["-p", "one"], { home, url: model.url });
  await runKeelson(["-p", "two", "-c"], { home, url: model.url });
  expect(JSON.stringify(spoken(model.requests[1]!))).not.toContain("scripted failure");
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("a prompt that is too long ends the run with that reason", async () => {
  using home = temporaryHome();
  const message = "prompt is too long: 250000 tokens > 200000 maximum";
  await using model = await startMockModel([{ status: 400, message }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(model.requests).toHaveLength(1);
  expect(resultOf(ended)).toMatchObject({ is_error: true, terminal_reason: "prompt_too_long", api_error_status: 400 });
  expect(ended.code).toBe(1);
});

test("a stream cut before anything was finished is asked for once more in one piece, and said once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: ["Hel", "lo"], cutAfter: "first_delta" }, { text: "Hello" }]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(model.requests.map(({ body }) => body.stream ?? false)).toEqual([true, false]);
  expect(messagesOf(ended, "assistant").map(({ message }) => message.content)).toEqual([
    [{ type: "text", text: "Hello" }],
  ]);
  expect(resultOf(ended)).toMatchObject({ result: "Hello", is_error: false });
});

test("a stream cut after a finished block keeps the block, answers its calls and goes on", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { ...look("a.txt", "a.txt"), cutAfter: "first_block" },
    { text: "It says one." },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  const [, reply, results] = spoken(model.requests[1]!);
  expect(reply.content).toMatchObject([{ type: "tool_use", id: "call_1_1" }]);
  expect(results.content).toMatchObject([{ type: "tool_result", tool_use_id: "call_1_1", content: "1\tone" }]);
  expect(resultOf(ended)).toMatchObject({ result: "It says one.", is_error: false });
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("an error event in the middle of a stream is a failure like any other", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "Hello", errorAfter: { after: "message_start", type: "invalid_request_error", message: "no such thing" } },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(resultOf(ended)).toMatchObject({ is_error: true, result: expect.stringContaining("no such thing") });
  expect(ended.code).toBe(1);
});

test("input for a tool that is no JSON is answered, and the model may try again", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { ...look("a.txt"), brokenJson: '{"file_path": "a.t' },
    look("a.txt"),
    { text: "one" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  const [result] = told(model.requests[1]!);
  expect(result).toMatchObject({ type: "tool_result", tool_use_id: "call_1_1", is_error: true });
  expect(result.content).toMatch(/^<tool_use_error>InputValidationError: .*not valid JSON/);
  // What goes back must be an object, or the API would refuse the whole conversation.
  expect(spoken(model.requests[1]!)[1].content[0].input).toEqual({});
  expect(resultOf(ended)).toMatchObject({ result: "one", is_error: false });
});

test("a refusal of the model is an error, whatever it said", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "I cannot help with that.", stopReason: "refusal" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" });
  expect(ended.code).toBe(1);
});

test("an empty reply is asked for once more, and is then an empty answer", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{}, {}]);
  expect(await runOnce(home, model.url)).toEqual({ code: 0, stdout: "\n", stderr: "" });
});

test("an empty reply in the last turn that is allowed is the answer, not a limit that was reached", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{}]);
  const ended = await runKeelson(["-p", "go", "--max-turns", "1", ...STREAM], { home, url: model.url });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", is_error: false, result: "", num_turns: 1 });
});

test("an address nobody listens at is named, after the retries it was given", async () => {
  using home = temporaryHome();
  const { code, stdout } = await runOnce(home, "http://127.0.0.1:9", { CLAUDE_CODE_MAX_RETRIES: "0" });
  expect(code).toBe(1);
  expect(stdout).toStartWith("API Error: Could not reach http://127.0.0.1:9");
});

async function runOnce(home: TemporaryHome, url: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runKeelson(["-p", "go"], { home, url, env });
  return { code, stdout, stderr };
}
