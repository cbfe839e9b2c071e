import { expect, test } from "bun:test";
import type { ModelRequest } from "@keelson/engine";
import { startChatServer, type DialectScript, type RawAnswer } from "@keelson/testkit";
import { anyTraits, bearerCredentials, collect } from "../../conformance/support.test-support.ts";
import { chatDialect } from "../chat.ts";
import { refusedCalls } from "./failed-generation.ts";

const read = [{ name: "Read", arguments: '{"path":"a {b}"}' }];

test.each<[string, ReturnType<typeof refusedCalls>]>([
  ['<function=Read>{"path":"a {b}"}</function>', read],
  ['<function=Read{"path":"a {b}"}</function>', read],
  ['<function=Read={"path":"a {b}"}</function>', read],
  ['I look.\n<function(Read)>{"path":"a {b}"}</function>', read],
  ['<tool_call>\n{"name": "Read", "arguments": {"path": "a {b}"}}\n</tool_call>', read],
  ['<|python_tag|>{"type":"function","name":"Read","parameters":{"path":"a {b}"}}', read],
  [
    '```\n{"tool_calls": [{"id": "x", "function": {"name": "Read", "arguments": "{\\"path\\":\\"a {b}\\"}"}}]}\n```',
    read,
  ],
  ['[{"name":"Read","arguments":{"path":"a {b}"}}]', read],
  [
    "<function=One></function><function=Two>{}</function>",
    [
      { name: "One", arguments: "{}" },
      { name: "Two", arguments: "{}" },
    ],
  ],
  ["Just words { not JSON", []],
  ['{"name":"Bob","age":3}', []],
  ["", []],
])("refusedCalls() reads %j", (text, calls) => {
  expect(refusedCalls(text)).toEqual(calls);
});

const request: ModelRequest = {
  model: "llama",
  max_tokens: 1_000,
  system: [],
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  betas: [],
};
const error = (failed_generation: string) => ({
  message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
  type: "invalid_request_error",
  code: "tool_use_failed",
  failed_generation,
});
const refused = (text: string): RawAnswer => ({ raw: { status: 400, body: { error: error(text) } } });

async function ask(script: DialectScript) {
  await using server = await startChatServer(script);
  const provider = chatDialect.provider(
    { provider: "groq", baseUrl: `${server.url}/v1`, addressFrom: "GROQ_BASE_URL", credentials: bearerCredentials },
    { traits: () => anyTraits },
  );
  return { got: await collect(provider, request), requests: server.requests.length };
}

test("a call that the server could not read is read from its error", async () => {
  const { got, requests } = await ask([refused('<function=read{"path":"a"}</function>')]);
  expect(got.error).toBeUndefined();
  expect(got.problems).toEqual([]);
  expect(got.blocks).toEqual([{ type: "tool_use", id: expect.any(String), name: "Read", input: { path: "a" } }]);
  expect(got.stop).toBe("tool_use");
  expect(requests).toBe(1);
});

test("a call that the server could not read is read from an error in the middle of a reply", async () => {
  const chunk = { choices: [{ index: 0, delta: { role: "assistant", content: "I look." }, finish_reason: null }] };
  const frames = [chunk, { error: error('<function=Read>{"path":"a"}</function>') }].map(
    (data) => `data: ${JSON.stringify(data)}\n\n`,
  );
  const { got } = await ask([{ raw: { headers: { "content-type": "text/event-stream" }, frames } }]);
  expect(got.error).toBeUndefined();
  expect(got.problems).toEqual([]);
  expect(got.blocks).toMatchObject([{ text: "I look." }, { name: "Read", input: { path: "a" } }]);
});

test("a reply that no one can read is asked for once more", async () => {
  const again = await ask([refused("I am not sure"), { blocks: [{ text: "done" }] }]);
  expect(again.got.blocks).toEqual([{ type: "text", text: "done" }]);
  const never = await ask([refused("I am not sure"), refused("I am not sure"), { blocks: [{ text: "done" }] }]);
  expect(never.got.error).toMatchObject({ kind: "invalid_request", apiType: "tool_use_failed" });
  expect(never.requests).toBe(2);
});
