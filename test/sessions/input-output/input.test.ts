// How a prompt gets in: as an argument, through a pipe, or as messages on a stream that also carries control requests.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type Running,
  type TemporaryHome,
  type RecordedRequest,
} from "@keelson/testkit";
import {
  answer,
  CHAT,
  control,
  kindOf,
  messagesOf,
  prompt,
  resultOf,
  spoken,
  told,
  toolUseResults,
} from "../front-door.ts";

const NO_INPUT =
  "error: no prompt; input must be provided either through stdin or as a prompt argument when using --print\n";

/** What the user said in the first request. */
const asked = (model: { requests: readonly RecordedRequest[] }) =>
  spoken(model.requests[0]!)[0]
    .content.map(({ text }: any) => text)
    .join("");

test("the argument is the prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "what is this?"], { home, url: model.url });
  expect(asked(model)).toBe("what is this?");
});

test("piped text follows the argument", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "explain this log"], { home, url: model.url, stdin: "line 1\nline 2" });
  expect(asked(model)).toBe("explain this log\nline 1\nline 2");
});

test("piped text alone is the prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p"], { home, url: model.url, stdin: "héllo ✓" });
  expect(asked(model)).toBe("héllo ✓");
});

test("neither is an error, and no model is asked", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const { code, stdout, stderr } = await runKeelson(["-p"], { home, url: model.url });
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: NO_INPUT });
  expect(model.requests).toEqual([]);
});

test("a flag that swallowed the prompt is named", async () => {
  using home = temporaryHome();
  const { code, stderr } = await runKeelson(["-p", "--allowedTools", "Read", "fix the bug"], { home });
  expect([code, stderr]).toEqual([
    1,
    'error: no prompt; --allowedTools took "fix the bug" as a value, so put the prompt before it or after --\n',
  ]);
  expect(await runKeelson(["-p", "--add-dir", "lib", "hi"], { home })).toMatchObject({
    code: 1,
    stderr: 'error: no prompt; --add-dir took "hi" as a value, so put the prompt before it or after --\n',
  });
});

test("stream input needs stream output", async () => {
  using home = temporaryHome();
  const { code, stderr } = await runKeelson(["-p", "--input-format", "stream-json"], { home });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "error: --input-format=stream-json requires --output-format=stream-json\n",
  });
});

test("every prompt on the stream is a run of its own in one conversation, if the client wants that", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "first" }, { text: "second" }, { text: "third" }]);

  const ended = await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: [
      control("init", { subtype: "initialize", joinQueuedPrompts: false }),
      prompt("one", { session_id: "" }),
      prompt([{ type: "text", text: "two" }], { session_id: "default" }),
      prompt("three", { uuid: "11111111-2222-4333-8444-555555555555" }),
    ],
  });

  expect(ended.code).toBe(0);
  const told = ended.messages.filter(({ type }) => !["command_lifecycle", "control_response"].includes(type));
  expect(told.map(kindOf)).toEqual([1, 2, 3].flatMap(() => ["system/init", "assistant", "result"]));
  // Who gave a prompt an id hears what becomes of it.
  expect(messagesOf(ended, "command_lifecycle").map(({ state }) => state)).toEqual(["queued", "started", "completed"]);
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["first", "second", "third"]);
  expect(new Set(told.map(({ session_id }) => session_id)).size).toBe(1);
  expect(spoken(model.requests[2]!)).toEqual([
    { role: "user", content: [{ type: "text", text: "one" }] },
    { role: "assistant", content: [{ type: "text", text: "first" }] },
    { role: "user", content: [{ type: "text", text: "two" }] },
    { role: "assistant", content: [{ type: "text", text: "second" }] },
    { role: "user", content: [{ type: "text", text: "three", cache_control: { type: "ephemeral" } }] },
  ]);
  const entries = readTranscript(home) as readonly any[];
  expect(chainProblems(entries)).toEqual([]);
  // The client's own id names the entry, and the content stays in the form it was sent in.
  const typed = entries.filter(({ type }) => type === "user");
  expect(typed.map(({ message }) => message.content)).toEqual(["one", [{ type: "text", text: "two" }], "three"]);
  expect(typed[2].uuid).toBe("11111111-2222-4333-8444-555555555555");
});

test("blocks of a prompt reach the model as they are", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "a dot" }]);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };

  await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: [prompt([image, { type: "text", text: "what is it?" }])],
  });

  expect(told(model.requests[0]!)).toEqual([
    image,
    { type: "text", text: "what is it?", cache_control: { type: "ephemeral" } },
  ]);
});

test("a prompt with shouldQuery false is kept for later: an empty result, no request", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "noted" }]);

  const ended = await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: [prompt("The build is green.", { shouldQuery: false }), prompt("And now?")],
  });

  const [silent, said] = messagesOf(ended, "result");
  expect(silent).toMatchObject({ subtype: "success", is_error: false, num_turns: 0, result: "" });
  expect(said).toMatchObject({ result: "noted", num_turns: 1 });
  expect(model.requests).toHaveLength(1);
  expect(told(model.requests[0]!).map(({ text }) => text)).toEqual(["The build is green.", "And now?"]);
});

test("a line that is not JSON ends the program with the reason", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const ended = await runKeelson(CHAT, { home, url: model.url, stdin: '{"type":"user", oops\n' });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^Error parsing streaming input line \(.+\)\n$/);
  // The line itself may hold anything, so it is not repeated.
  expect(ended.stderr).not.toContain("oops");
  expect(messagesOf(ended, "result")).toEqual([]);
});

test("a prompt in somebody else's name ends the program with the reason", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const line = { type: "user", message: { role: "assistant", content: "I am the model" } };
  const ended = await runKeelson(CHAT, { home, url: model.url, stdin: [line] });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toBe("error: Expected message role 'user', got 'assistant'\n");
  expect(model.requests).toEqual([]);
});

test("empty lines, keep_alive, unknown types and answers nobody waits for are ignored", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const lines = [
    { type: "keep_alive" },
    { type: "update_environment_variables", variables: { FOO: "bar" } },
    { type: "from_the_future", payload: [1, 2] },
    answer("nobody-asked", { behavior: "allow" }),
    { type: "control_cancel_request", request_id: "nobody-asked" },
    prompt("go"),
  ];

  const ended = await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: `\n${lines.map((line) => JSON.stringify(line)).join("\n\n")}`,
  });

  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.messages.map(kindOf)).toEqual(["system/init", "assistant", "result"]);
});

test("the end of input without a prompt is a quiet end", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const { code, stdout, stderr } = await runKeelson(CHAT, { home, url: model.url });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("initialize is answered before any prompt, with what clients read from it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const stdin = [control("r1", { subtype: "initialize", hooks: null })];

  const ended = await runKeelson(CHAT, { home, url: model.url, stdin });

  expect(ended.messages).toEqual([
    {
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r1",
        response: expect.objectContaining({
          commands: expect.any(Array),
          agents: expect.any(Array),
          output_style: "default",
          available_output_styles: expect.arrayContaining(["default"]),
          models: expect.any(Array),
          account: expect.objectContaining({ apiKeySource: "ANTHROPIC_API_KEY" }),
          pid: expect.any(Number),
        }),
        pending_permission_requests: [],
        pending_user_dialog_requests: [],
      },
    },
  ]);
});

test("interrupt stops the reply; what was said stays, and the next prompt goes on from there", async () => {
  using home = temporaryHome();
  const forever = new Promise(() => undefined);
  await using model = await startMockModel([
    { text: ["Once upon ", "a time"], hold: forever, holdAfter: "first_delta" },
    { text: "fine" },
  ]);
  await using program = chat(home, model.url, "--include-partial-messages");

  program.send(prompt("tell me a story"));
  await program.waitForLine(({ event }) => event?.type === "content_block_delta");
  program.send(control("r1", { subtype: "interrupt" }));
  const first = await program.waitForLine(({ type }) => type === "result");
  program.send(prompt("shorter, please"));
  await program.waitForLine(({ type }) => type === "result", { after: first });
  program.closeStdin();
  const ended = await program.done;

  const kinds = ended.messages.filter(({ type }) => type !== "stream_event" && type !== "system").map(kindOf);
  expect(kinds).toEqual(["control_response", "assistant", "user", "result", "assistant", "result"]);
  expect(ended.messages.find(({ type }) => type === "control_response")).toEqual({
    type: "control_response",
    response: { subtype: "success", request_id: "r1", response: { still_queued: [] } },
  });
  expect(messagesOf(ended, "user")[0].message.content).toEqual([
    { type: "text", text: "[Request interrupted by user]" },
  ]);
  expect(first.json).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "aborted_streaming",
    num_turns: 2,
  });
  expect(first.json).not.toHaveProperty("result");
  expect(spoken(model.requests[1]!).slice(0, -1)).toEqual([
    { role: "user", content: [{ type: "text", text: "tell me a story" }] },
    { role: "assistant", content: [{ type: "text", text: "Once upon " }] },
  ]);
  expect(await model.requests[0]!.ended).toBe("abandoned");
  expect(chainProblems(readTranscript(home))).toEqual([]);
  // The last result was a success.
  expect(ended.code).toBe(0);
});

test("interrupt names the prompts that still wait, and they run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ hang: true }, { text: "second" }]);
  await using program = chat(home, model.url);
  const waiting = "99999999-2222-4333-8444-555555555555";

  program.send(prompt("one"));
  await model.waitForRequest(1);
  program.send(prompt("two", { uuid: waiting }));
  program.send(control("r1", { subtype: "interrupt" }));
  program.closeStdin();
  const ended = await program.done;

  expect(messagesOf(ended, "control_response")[0].response.response).toEqual({ still_queued: [waiting] });
  expect(messagesOf(ended, "result").map(({ subtype }) => subtype)).toEqual(["error_during_execution", "success"]);
});

test("interrupt while nothing runs is acknowledged, and harms nothing", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const ended = await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: [control("r1", { subtype: "interrupt" }), prompt("go")],
  });
  expect(messagesOf(ended, "control_response")[0].response.subtype).toBe("success");
  expect(resultOf(ended).result).toBe("ok");
});

test("set_permission_mode and set_model act on what follows", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Write", input: { file_path: "a.txt", content: "hi" } }] },
    { text: "written" },
  ]);

  const ended = await runKeelson([...CHAT, "--model", "claude-opus-4-6"], {
    home,
    url: model.url,
    stdin: [
      control("r1", { subtype: "set_permission_mode", mode: "acceptEdits" }),
      control("r2", { subtype: "set_model", model: "claude-haiku-4-5" }),
      prompt("go"),
    ],
  });

  expect(messagesOf(ended, "control_response").map(({ response }) => response)).toEqual([
    { subtype: "success", request_id: "r1", response: { mode: "acceptEdits" } },
    { subtype: "success", request_id: "r2", response: { model: "claude-haiku-4-5" } },
  ]);
  expect(messagesOf(ended, "system/status")).toMatchObject([{ status: null, permissionMode: "acceptEdits" }]);
  expect(messagesOf(ended, "system/init")).toMatchObject([
    { permissionMode: "acceptEdits", model: "claude-haiku-4-5" },
  ]);
  expect(model.requests.map(({ body }) => body.model)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"]);
  expect(home.read("a.txt")).toBe("hi");
});

test("requests that cannot be met are answered with why", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const ended = await runKeelson(CHAT, {
    home,
    url: model.url,
    stdin: [
      control("r1", { subtype: "no_such" }),
      control("r2", { subtype: "set_permission_mode", mode: "bogus" }),
      control("r3", { subtype: "set_permission_mode", mode: "bypassPermissions" }),
    ],
  });
  expect(ended.messages.map(({ response }) => response)).toEqual([
    {
      subtype: "error",
      request_id: "r1",
      error: "Unsupported control request subtype: no_such",
      error_code: "unsupported_request",
    },
    {
      subtype: "error",
      request_id: "r2",
      error: expect.stringMatching(/^Cannot set permission mode: must be one of acceptEdits, auto/),
      error_code: "invalid_mode",
    },
    { subtype: "error", request_id: "r3", error: expect.stringContaining("bypass"), error_code: "bypass_not_launched" },
  ]);
  expect(ended.code).toBe(0);
});

test("--replay-user-messages repeats prompts and answers", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const sent = answer("nobody-asked", {});
  const ended = await runKeelson([...CHAT, "--replay-user-messages"], {
    home,
    url: model.url,
    stdin: [prompt("go"), sent],
  });
  expect(messagesOf(ended, "user")).toMatchObject([{ message: { role: "user", content: "go" }, isReplay: true }]);
  expect(messagesOf(ended, "control_response")).toEqual([sent]);
});

const ASKING = ["--permission-prompt-tool", "stdio"];
const writeCall = (file_path: string, content: string) => ({ name: "Write", input: { file_path, content } });

test("can_use_tool: allowed once, the call runs", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [writeCall("a.txt", "hi")] }, { text: "done" }]);
  await using program = chat(home, model.url, ...ASKING);

  program.send(prompt("go"));
  const question = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  program.send(answer(question.json.request_id, { behavior: "allow", updatedInput: question.json.request.input }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const ended = await program.done;

  expect(question.json.request).toEqual({
    subtype: "can_use_tool",
    tool_name: "Write",
    display_name: "Write",
    description: "a.txt",
    input: { file_path: "a.txt", content: "hi" },
    permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    decision_reason: expect.any(String),
    decision_reason_is_default: true,
    decision_reason_type: "other",
    tool_use_id: "call_1_1",
  });
  expect(home.read("a.txt")).toBe("hi");
  expect(messagesOf(ended, "user")[0].tool_result_meta).toEqual([
    { id: "call_1_1", permission_decision: { decision: "accept", source: "user_temporary" } },
  ]);
  expect(resultOf(ended).permission_denials).toEqual([]);
});

test.each(["updatedInput", "updated_input"])("can_use_tool: what %s says is what runs", async (field) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [writeCall("a.txt", "hi")] }, { text: "done" }]);
  const ended = await answering(home, model.url, () => ({
    behavior: "allow",
    [field]: { file_path: "b.txt", content: "changed" },
  }));
  expect(home.read("b.txt")).toBe("changed");
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  expect(toolUseResults(ended)[0]).toMatchObject({ type: "create", content: "changed" });
});

test("can_use_tool: an answer with its id on top, as one description has it, counts too", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [writeCall("a.txt", "hi")] }, { text: "done" }]);
  await using program = chat(home, model.url, ...ASKING);
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send({
    type: "control_response",
    request_id: json.request_id,
    response: { subtype: "success", response: { behavior: "allow" } },
  });
  await program.waitForLine(({ type }) => type === "result");
  expect(home.read("a.txt")).toBe("hi");
});

test("can_use_tool: rules accepted with an answer hold for the next call of the same reply", async () => {
  using home = temporaryHome();
  const calls = [writeCall("a.txt", "1"), writeCall("b.txt", "2")];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  let questions = 0;
  const ended = await answering(home, model.url, ({ permission_suggestions }) => {
    questions++;
    return { behavior: "allow", updatedPermissions: permission_suggestions };
  });
  expect(questions).toBe(1);
  expect([home.read("a.txt"), home.read("b.txt")]).toEqual(["1", "2"]);
  expect(messagesOf(ended, "system/status")).toMatchObject([{ permissionMode: "acceptEdits" }]);
});

test("can_use_tool: denied, the model hears why and goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [writeCall("a.txt", "hi")] }, { text: "as you wish" }]);
  const ended = await answering(home, model.url, () => ({ behavior: "deny", message: "not today" }));
  expect(told(model.requests[1]!)).toMatchObject([{ type: "tool_result", content: "not today", is_error: true }]);
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  expect(messagesOf(ended, "user")[0].tool_result_meta).toEqual([
    {
      id: "call_1_1",
      non_execution_kind: "permission-rule",
      permission_decision: { decision: "reject", source: "user_reject" },
    },
  ]);
  expect(resultOf(ended)).toMatchObject({
    subtype: "success",
    result: "as you wish",
    permission_denials: [
      { tool_name: "Write", tool_use_id: "call_1_1", tool_input: { file_path: "a.txt", content: "hi" } },
    ],
  });
  expect(ended.code).toBe(0);
});

test("can_use_tool: denied with interrupt, the run ends and the calls behind it are not carried out", async () => {
  using home = temporaryHome();
  const calls = [writeCall("a.txt", "1"), writeCall("b.txt", "2")];
  await using model = await startMockModel([{ calls }]);
  let questions = 0;
  const ended = await answering(home, model.url, async () => {
    questions++;
    // The other call is complete by then.
    await model.requests[0]!.ended;
    return { behavior: "deny", message: "stop it", interrupt: true };
  });

  expect(questions).toBe(1);
  expect([existsSync(join(home.project, "a.txt")), existsSync(join(home.project, "b.txt"))]).toEqual([false, false]);
  const [first, second, marker] = messagesOf(ended, "user");
  for (const line of [first, second]) {
    expect(line.message.content[0].content).toStartWith("The user doesn't want to proceed with this tool use.");
    expect(line.tool_use_result).toBe("User rejected tool use");
  }
  expect(first.message.content[0].content).toContain("stop it");
  expect(marker.message.content).toEqual([{ type: "text", text: "[Request interrupted by user for tool use]" }]);
  expect(resultOf(ended)).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "aborted_tools",
  });
  expect(ended.code).toBe(1);
  expect(model.requests).toHaveLength(1);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("can_use_tool: an error, or an answer that is none, is a no", async () => {
  using home = temporaryHome();
  const calls = [writeCall("a.txt", "1"), writeCall("b.txt", "2")];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  await using program = chat(home, model.url, ...ASKING);
  program.send(prompt("go"));
  const first = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  const { request_id } = first.json;
  program.send({ type: "control_response", response: { subtype: "error", request_id, error: "the window closed" } });
  const second = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool", { after: first });
  program.send(answer(second.json.request_id, { behavior: "deny" }));
  await program.waitForLine(({ type }) => type === "result");
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual([
    "Tool permission request failed: the window closed",
    expect.stringMatching(/^Tool permission request failed: /),
  ]);
});

test("can_use_tool: input that ends while a question is open is a no, and the run goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [writeCall("a.txt", "1")] },
    { calls: [writeCall("b.txt", "2")] },
    { text: "I could not" },
  ]);
  await using program = chat(home, model.url, ...ASKING);
  program.send(prompt("go"));
  await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.closeStdin();
  const ended = await program.done;

  const closed = expect.stringContaining("Tool permission stream closed before response received");
  expect(told(model.requests[1]!)).toMatchObject([{ content: closed, is_error: true }]);
  // Asked once; no one is left to be asked again.
  expect(told(model.requests[2]!)).toMatchObject([{ content: closed, is_error: true }]);
  expect(messagesOf(ended, "control_request")).toHaveLength(1);
  expect(resultOf(ended)).toMatchObject({ result: "I could not", permission_denials: [{}, {}] });
  expect(ended.code).toBe(0);
});

test("can_use_tool: an interrupt withdraws the open question", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [writeCall("a.txt", "1")] }]);
  await using program = chat(home, model.url, ...ASKING);
  program.send(prompt("go"));
  const question = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  program.send(control("r1", { subtype: "interrupt" }));
  const result = await program.waitForLine(({ type }) => type === "result");
  const after = program.lines.slice(question.index + 1, result.index).map(({ json }) => json);
  expect(after.map(kindOf)).toEqual(["control_cancel_request", "control_response", "user", "user"]);
  expect(after[0]).toEqual({ type: "control_cancel_request", request_id: question.json.request_id });
  expect(result.json).toMatchObject({ subtype: "error_during_execution", terminal_reason: "aborted_tools" });
});

/** Open, ready for prompts. */
function chat(home: TemporaryHome, url: string, ...flags: string[]): Running {
  return startKeelson([...CHAT, ...flags], { home, url, stdin: "open" });
}

/** One prompt to its end; every permission question gets this answer. */
async function answering(home: TemporaryHome, url: string, reply: (request: any) => object | Promise<object>) {
  await using program = chat(home, url, ...ASKING);
  program.send(prompt("go"));
  for (let line = await next(); line.json.type !== "result"; line = await next(line)) {
    program.send(answer(line.json.request_id, await reply(line.json.request)));
  }
  program.closeStdin();
  return await program.done;

  function next(after?: Awaited<ReturnType<Running["waitForLine"]>>) {
    const relevant = (json: any) => json.type === "result" || json.type === "control_request";
    return program.waitForLine(relevant, after ? { after } : {});
  }
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
