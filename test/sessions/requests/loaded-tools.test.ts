// Tools that a conversation loaded go on with it: to other models and providers, which know no references to tools, and
// into a session that resumes.

import { expect, test } from "bun:test";
import {
  runKeelson,
  startChatServer,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
} from "@keelson/testkit";
import { HAIKU, SONNET } from "../../models.ts";
import { CHAT, control, prompt, resultOf, STREAM, told } from "../front-door.ts";

const search = { calls: [{ name: "ToolSearch", input: { query: "select:CronList" } }] };
const list = { calls: [{ name: "CronList", input: {} }] };
const BETA = "advanced-tool-use-2025-11-20";
const BY_REFERENCE = { ENABLE_TOOL_SEARCH: "true" };
const KEY = "sk-test-0123456789";
const REFERENCE = [{ type: "tool_reference", tool_name: "CronList" }];
const IN_WORDS = [{ type: "text", text: 'The tool "CronList" can be called by its name.' }];

/** How a request speaks of the tool that was loaded. */
function loadedIn({ body, headers }: RecordedRequest) {
  const results = body.messages.flatMap(({ content }: any) =>
    Array.isArray(content) ? content.filter(({ type }: any) => type === "tool_result") : [],
  );
  const tool = body.tools.find(({ name }: any) => name === "CronList");
  return {
    model: body.model,
    result: results[0]?.content,
    tool: tool && (tool.defer_loading ? "on demand" : "plain"),
    beta: headers["anthropic-beta"]?.includes(BETA) ?? false,
  };
}

test("what was loaded by reference can be called with the smallest model, with another provider, and after both", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([search, { text: "one" }, list, { text: "two" }, list, { text: "four" }]);
  const call = { name: "CronList", input: {} };
  await using other = await startChatServer([{ blocks: [{ call }] }, { blocks: [{ text: "three" }] }]);
  const env = { ...BY_REFERENCE, OPENAI_BASE_URL: `${other.url}/v1`, OPENAI_API_KEY: KEY };
  await using program = startKeelson([...CHAT, "--model", SONNET], { home, url: model.url, env, stdin: "open" });
  let last: any;
  const ask = async (text: string) => {
    program.send(prompt(text));
    last = await program.waitForLine(({ type }) => type === "result", last && { after: last });
  };
  const use = async (name: string) => {
    program.send(control(name, { subtype: "set_model", model: name }));
    await program.waitForLine(({ response }) => response?.request_id === name);
  };
  await ask("first");
  await use(HAIKU);
  await ask("second");
  await use("openai/gpt-4.1");
  await ask("third");
  await use(SONNET);
  await ask("fourth");
  program.closeStdin();
  expect((await program.done).stderr).toBe("");

  const byReference = { model: SONNET, result: REFERENCE, tool: "on demand", beta: true };
  const inWords = { model: HAIKU, result: IN_WORDS, tool: "plain", beta: false };
  expect(model.requests.slice(1).map(loadedIn)).toEqual([byReference, inWords, inWords, byReference, byReference]);
  const [asked, answered] = other.requests.map(({ body }: any) => body);
  expect(other.problems).toEqual([]);
  expect(JSON.stringify(asked)).not.toMatch(/tool_reference|defer_loading/);
  expect(asked.tools.map((tool: any) => tool.function.name)).toContain("CronList");
  const ran = JSON.stringify(told(model.requests.at(-1)!)[0].content);
  expect([JSON.stringify(answered.messages.at(-1)).includes(JSON.parse(ran)), ran]).toEqual([true, ran]);
  expect(told(model.requests.at(-1)!)[0].is_error).toBe(false);
});

test.each([
  ["by reference", BY_REFERENCE, { result: REFERENCE, tool: "on demand", beta: true }],
  [
    "in words",
    {},
    { result: expect.stringContaining("Loaded; call them from now on:\nCronList"), tool: "plain", beta: false },
  ],
])("what was loaded %s is there when the session goes on, in the same request", async (_, env, loaded) => {
  using home = temporaryHome();
  await using model = await startMockModel([search, { text: "one" }, list, { text: "two" }]);
  const options = { home, url: model.url, env };
  const args = ["-p", ...STREAM, "--model", SONNET];
  const { session_id } = resultOf(await runKeelson([...args, "go"], options));
  resultOf(await runKeelson([...args, "--resume", session_id, "again"], options));
  const [, before, after] = model.requests;
  expect(loadedIn(after!)).toEqual({ model: SONNET, ...loaded });
  expect(after!.body.tools).toEqual(before!.body.tools);
  expect(told(model.requests[3]!)[0].is_error).toBe(false);
});

test("a reference to a tool that the session no longer has is told in words", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([search, { text: "one" }, { text: "two" }]);
  const options = { home, url: model.url, env: BY_REFERENCE };
  const args = ["-p", ...STREAM, "--model", SONNET];
  const { session_id } = resultOf(await runKeelson([...args, "go"], options));
  resultOf(await runKeelson([...args, "--resume", session_id, "again", "--disallowedTools", "CronList"], options));
  expect(loadedIn(model.requests[2]!)).toMatchObject({ tool: undefined, result: IN_WORDS });
});
