import { expect, test } from "bun:test";
import { chatProblem, type ChatRules } from "./chat-rules.ts";
import { startChatServer } from "./chat-server.ts";
import { responsesProblem } from "./responses-rules.ts";

const user = { role: "user", content: "hi" };
const call = (id = "a", name = "Read", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calling = (...calls: object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const answer = (id = "a", content: unknown = "x") => ({ role: "tool", tool_call_id: id, content });
const tool = (name = "Read", parameters: object = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, description: "d", parameters },
});
const chat = (fields: object, ...messages: object[]) => ({
  model: "gpt-4o",
  messages: messages.length > 0 ? messages : [user],
  ...fields,
});

test.each<[string, object, RegExp, ChatRules?]>([
  ["an unknown field", chat({ thinking: {} }), /Unrecognized request argument supplied: thinking/],
  ["max_tokens for a reasoning model", chat({ model: "gpt-5", max_tokens: 9 }), /Use 'max_completion_tokens'/],
  ["a temperature for a reasoning model", chat({ model: "o3", temperature: 0 }), /'temperature'/],
  ["an effort for another model", chat({ reasoning_effort: "low" }), /reasoning_effort/],
  ["stream_options without a stream", chat({ stream_options: {} }), /stream_options/],
  ["a choice without tools", chat({ tool_choice: "auto" }), /tool_choice/],
  ["parallel calls without tools", chat({ parallel_tool_calls: false }), /parallel_tool_calls/],
  ["an empty list of tools", chat({ tools: [] }), /too short/],
  ["a long name of a tool", chat({ tools: [tool("x".repeat(65))] }), /does not match pattern/],
  ["a tool twice", chat({ tools: [tool(), tool()] }), /unique/],
  [
    "a choice of no tool",
    chat({ tools: [tool()], tool_choice: { type: "function", function: { name: "No" } } }),
    /not found/,
  ],
  ["a schema that is no object", chat({ tools: [tool("Read", { oneOf: [] })] }), /must have type 'object'/],
  [
    "an array without items",
    chat({ tools: [tool("Read", { type: "object", properties: { a: { type: "array" } } })] }),
    /missing items/,
  ],
  ["an unknown role", chat({}, { role: "model", content: "x" }), /Invalid value: 'model'/],
  [
    "thinking in a message",
    chat({}, user, { role: "assistant", content: "x", reasoning_content: "y" }),
    /Unknown parameter/,
  ],
  ["an empty text", chat({}, { role: "user", content: "" }), /too short/],
  ["a picture in a result", chat({}, user, calling(call()), answer("a", [{ type: "image_url" }])), /Invalid value/],
  ["a reply without content", chat({}, user, { role: "assistant", content: null }), /expected a string/],
  ["an unanswered call", chat({}, user, calling(call("a"), call("b")), answer("a"), user), /response messages: b/],
  ["an unanswered call at the end", chat({}, user, calling(call())), /response messages: a/],
  ["a result without a call", chat({}, user, answer()), /must be a response/],
  ["a result twice", chat({}, user, calling(call()), answer(), answer()), /must be a response/],
  ["a long id", chat({}, user, calling(call("x".repeat(41))), answer("x".repeat(41))), /string too long/],
  ["broken arguments", chat({}, user, calling(call("a", "Read", "{")), answer()), /expected a JSON object/],
  ["a refused parameter", chat({ max_tokens: 9 }), /'max_tokens' is not supported/, { refuses: ["max_tokens"] }],
  [
    "parts where strings are wanted",
    chat({}, user, calling(call()), answer("a", [{ type: "text", text: "x" }])),
    /must be a string/,
    { stringToolContent: true },
  ],
  [
    "thinking that is missed in the loop",
    chat({}, user, calling(call()), answer()),
    /Missing reasoning_content/,
    { thinking: "reasoning_content" },
  ],
  [
    "old thinking that is missed",
    chat({}, user, calling(call()), answer(), { role: "assistant", content: "x" }, user),
    /must be passed back/,
    { thinking: "reasoning_content", keepsThinking: true },
  ],
  [
    "thinking that is over",
    chat({}, user, { role: "assistant", content: "x", reasoning_content: "y" }, user),
    /must not be sent back/,
    { thinking: "reasoning_content" },
  ],
])("Chat Completions refuses %s", (_, body, problem, rules = {}) => {
  expect(chatProblem(body, rules)).toMatch(problem);
});

test("Chat Completions accepts a request that is right", () => {
  const body = chat(
    { tools: [tool()], tool_choice: "required", stream: true, stream_options: { include_usage: true } },
    { role: "system", content: "be brief" },
    user,
    calling(call("a"), call("b")),
    answer("b"),
    answer("a"),
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }] },
  );
  expect(chatProblem(body, {})).toBeUndefined();
});

const responses = (fields: object, ...input: object[]) => ({
  model: "gpt-5",
  store: false,
  input: input.length > 0 ? input : [said],
  ...fields,
});
const said = { role: "user", content: [{ type: "input_text", text: "hi" }] };
const made = { type: "function_call", call_id: "a", name: "Read", arguments: "{}" };
const output = { type: "function_call_output", call_id: "a", output: "x" };
const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" };
const given = new Map([["rs_1", { item, next: { type: "function_call", call_id: "a" } }]]);
const strict = { type: "function", name: "Read", parameters: { type: "object", properties: {} } };

test.each<[string, object, RegExp]>([
  ["an unknown field", responses({ messages: [] }), /Unknown parameter: 'messages'/],
  ["stored responses", responses({ store: true }), /stored/],
  ["a low limit", responses({ max_output_tokens: 8 }), /below minimum/],
  ["reasoning for another model", responses({ model: "gpt-4o", reasoning: { effort: "low" } }), /reasoning\.effort/],
  ["encrypted content of another model", responses({ model: "gpt-4o", include: [] }), /Encrypted content/],
  ["a strict tool without required", responses({ tools: [strict] }), /'required' is required/],
  ["a call with an id of another kind", responses({}, said, { ...made, id: "call_1" }, output), /begins with 'fc'/],
  [
    "a call with its id but no reasoning",
    responses({}, said, { ...made, id: "fc_1" }, output),
    /required 'reasoning' item/,
  ],
  ["an unanswered call", responses({}, said, made, said), /No tool output found/],
  ["an unanswered call at the end", responses({}, said, made), /No tool output found/],
  ["an output without a call", responses({}, said, output), /No tool call found/],
  [
    "reasoning without encrypted content",
    responses({}, said, { type: "reasoning", id: "rs_1", summary: [] }),
    /not found/,
  ],
  [
    "reasoning that was changed",
    responses({}, said, { ...item, summary: [{}] }, made, output),
    /could not be verified/,
  ],
  ["reasoning of another key", responses({}, said, { ...item, id: "rs_2" }, made, output), /could not be verified/],
  [
    "reasoning without its follower",
    responses({}, said, item, { role: "assistant", content: [{ type: "output_text", text: "x" }] }),
    /required following item/,
  ],
  [
    "input parts in a reply",
    responses({}, { role: "assistant", content: [{ type: "input_text", text: "x" }] }),
    /Supported values/,
  ],
])("Responses refuses %s", (_, body, problem) => {
  expect(responsesProblem(body, given)).toMatch(problem);
});

test("Responses accepts a request that is right", () => {
  expect(
    responsesProblem(responses({ tools: [{ ...strict, strict: false }] }, said, item, made, output, said), given),
  ).toBeUndefined();
});

test("a server refuses in the vendor's shape, and the script does not continue", async () => {
  await using server = await startChatServer([{ blocks: [{ text: "hello" }] }]);
  const post = (body: object) =>
    fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
  const refused = await post(chat({ nonsense: 1 }));
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({
    error: {
      message: "Unrecognized request argument supplied: nonsense",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  });
  expect(await (await post(chat({}))).json()).toMatchObject({ choices: [{ message: { content: "hello" } }] });
  expect(server.problems.length).toBe(1);
  expect(server.requests.length).toBe(1);
});
