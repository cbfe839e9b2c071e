// Prompts of an editor: their replies, their order, stopping them, and the questions in between.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chainProblems, readTranscript, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { saidIn, startEditor, type Editor } from "./editor.ts";

/** A reply that is held until the test lets it go. */
function held(reply: ScriptedReply) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const step = async (): Promise<ScriptedReply> => {
    reached.resolve();
    await gate.promise;
    return reply;
  };
  return { step, reached: reached.promise, release: () => gate.resolve() };
}

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const optionOf = ({ params }: any, kind: string) => params.options.find((option: any) => option.kind === kind).optionId;

test("each prompt gets the reason its run ended, after everything that was said", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: ["Hel", "lo."] },
    { text: "No.", stopReason: "refusal" },
    { status: 401, message: "invalid x-api-key" },
    { text: "Once more." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Begin")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(editor.updates(sessionId))).toBe("Hello.");
  expect(editor.updates(sessionId, "usage_update")).toMatchObject([{ used: 120, size: expect.any(Number) }]);
  expect((await editor.prompt(sessionId, "Do harm")).result).toEqual({ stopReason: "refusal" });
  const { error } = await editor.prompt(sessionId, "With a wrong key");
  expect(error).toMatchObject({ code: -32000, data: { authMethods: [{ id: "api-key" }] } });
  expect((await editor.prompt(sessionId, "Again")).result).toEqual({ stopReason: "end_turn" });
});

test("a reply that breaks off and is sent again is not shown twice", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: ["One ", "two ", "three."], cutAfter: "first_delta" },
    { text: ["On", "e two ", "three."] },
    { text: ["Once ", "more."], cutAfter: "first_delta" },
    { text: ["Again ", "more."] },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Count");
  expect(saidIn(editor.updates(sessionId))).toBe("One two three.");
  await editor.prompt(sessionId, "And again");
  expect(saidIn(editor.updates(sessionId))).toEndWith("three.Once \n\nAgain more.");
});

test("why the model refused is said when it happens, and when the session is loaded", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "", stopReason: "refusal" }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Do harm")).result).toEqual({ stopReason: "refusal" });
  const said = saidIn(editor.updates(sessionId));
  expect(said).toContain("refused");
  const before = editor.updates(sessionId).length;
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(saidIn(editor.updates(sessionId).slice(before))).toBe(said);
});

test("an image that no model reads is refused, and the conversation is not spoiled", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const image = { type: "image", mimeType: "image/bmp", data: "Qk0=" };
  const refused = await editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "See" }, image] });
  expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining("PNG, JPEG, GIF or WebP") });
  expect((await editor.prompt(sessionId, "Hello")).result).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(model.requests[0]!.body)).not.toContain("image/bmp");
});

test("a session opens without a key, and its prompt says how to sign in", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home, capabilities: { auth: { terminal: true } } });
  const { sessionId } = await editor.open();
  const { error } = await editor.prompt(sessionId, "Hello");
  expect(error).toMatchObject({ code: -32000, data: { authMethods: [{ id: "api-key" }, { id: "terminal" }] } });
  expect(error.message).toContain("keelson auth login");
  for (const methodId of ["api-key", "terminal"])
    expect((await editor.request("authenticate", { methodId })).error.code).toBe(-32000);
  expect((await editor.request("authenticate", { methodId: "other" })).error.code).toBe(-32602);
  await using offline = await startEditor({ home, args: ["--model", "offline"] });
  const chosen = await offline.open();
  expect((await offline.prompt(chosen.sessionId, "Hello")).result).toEqual({ stopReason: "end_turn" });
});

test("prompts wait for each other; a cancel ends those before it, and none that comes after", async () => {
  using home = temporaryHome();
  const first = held({ text: "One." });
  await using model = await startMockModel([first.step, { text: "Four." }, { text: "Five." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  editor.notify("session/cancel", { sessionId });
  const before = [1, 2, 3].map((each) => editor.prompt(sessionId, `Prompt ${each}`));
  await first.reached;
  editor.notify("session/cancel", { sessionId });
  const behind = editor.prompt(sessionId, "Prompt 4");
  expect(await Promise.all(before.map(async (each) => (await each).result))).toEqual([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
  first.release();
  expect((await behind).result).toEqual({ stopReason: "end_turn" });
  editor.notify("session/cancel", { sessionId });
  expect((await editor.prompt(sessionId, "Prompt 5")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(editor.updates(sessionId))).toBe("Four.Five.");
});

test("$/cancel_request takes back one prompt, running or waiting", async () => {
  using home = temporaryHome();
  const first = held({ text: "One." });
  await using model = await startMockModel([first.step, { text: "Three." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const say = (id: string) => editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: id }] }, id);
  const all = [say("one"), say("two"), say("three")];
  await first.reached;
  for (const requestId of ["two", "one"]) editor.notify("$/cancel_request", { requestId });
  expect((await Promise.all(all)).map(({ result }) => result.stopReason)).toEqual([
    "cancelled",
    "cancelled",
    "end_turn",
  ]);
  first.release();
});

test("a permission question is asked, and yes, no, an error, an unknown option and an empty answer mean what they say", async () => {
  using home = temporaryHome();
  const write = (file: string) => ({
    calls: [{ name: "Write", input: { file_path: join(home.project, file), content: "x" } }],
  });
  const answers: ((request: any, editor: Editor) => object | Error | void)[] = [
    (request) => selected(optionOf(request, "allow_once")),
    (request) => selected(optionOf(request, "reject_once")),
    () => new Error("The window is closed"),
    () => selected("made-up"),
    () => ({ outcome: { outcome: "cancelled" } }),
    ({ id }, { program }) => void program.send({ jsonrpc: "2.0", id }),
  ];
  await using model = await startMockModel(
    answers.flatMap((_, index) => [write(`file-${index}`), { text: `Done ${index}.` }]),
  );
  const asked: any[] = [];
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request, own) => {
      asked.push(request);
      return answers[asked.length - 1]!(request, own) ?? undefined;
    },
  });
  const { sessionId } = await editor.open();
  for (const index of answers.keys()) {
    await editor.prompt(sessionId, `Write ${index}`);
    expect(existsSync(join(home.project, `file-${index}`))).toBe(index === 0);
  }
  expect(asked.map(({ method }) => method)).toEqual(answers.map(() => "session/request_permission"));
  const calls = editor.updates(sessionId).filter(({ toolCallId }) => toolCallId !== undefined);
  for (const { params } of asked) {
    const { toolCallId } = params.toolCall;
    const states = calls.filter((call) => call.toolCallId === toolCallId);
    expect(states[0].sessionUpdate).toBe("tool_call");
    expect(["completed", "failed"]).toContain(states.findLast(({ status }) => status !== undefined).status);
  }
});

test("a cancel withdraws the open question, and the next prompt works", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Write", input: { file_path: join(home.project, "file"), content: "x" } }] },
    { text: "Next." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const stopped = editor.prompt(sessionId, "Write");
  const question = await editor.until(({ method }) => method === "session/request_permission");
  editor.notify("session/cancel", { sessionId });
  expect((await stopped).result).toEqual({ stopReason: "cancelled" });
  expect(await editor.until(({ method }) => method === "$/cancel_request")).toMatchObject({
    params: { requestId: question.id },
  });
  // Too late to count.
  editor.program.send({ jsonrpc: "2.0", id: question.id, result: selected(optionOf(question, "allow_once")) });
  expect((await editor.prompt(sessionId, "Go on")).result).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(home.project, "file"))).toBe(false);
  const last = editor.updates(sessionId).findLast(({ toolCallId, status }) => toolCallId && status);
  expect(last.status).toBe("failed");
});

test.each(["max_tokens", "model_context_window_exceeded"])(
  "a model that ends with %s, again after it was asked to go on, has reached its limit",
  async (stopReason) => {
    using home = temporaryHome();
    await using model = await startMockModel(() => ({ text: "And", stopReason }));
    await using editor = await startEditor({ home, url: model.url });
    const { sessionId } = await editor.open();
    expect((await editor.prompt(sessionId, "Tell me everything")).result).toEqual({ stopReason: "max_tokens" });
    expect(model.requests.length).toBeGreaterThan(1);
  },
);

test("a limit of turns is a reason to stop, not an error", async () => {
  using home = temporaryHome();
  const read = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
  await using long = await startMockModel([read, read]);
  await using limited = await startEditor({ home, url: long.url, args: ["--max-turns", "1"] });
  const second = await limited.open();
  expect((await limited.prompt(second.sessionId, "Look")).result).toEqual({ stopReason: "max_turn_requests" });
});

test("a slash command is one also when something follows it, and an unknown one names the nearest", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home, args: ["--model", "offline"] });
  const { sessionId } = await editor.open();
  const link = { type: "resource_link", name: "notes", uri: `file://${home.write("my notes.txt", "x")}` };
  const say = (text: string) => editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text }, link] });
  expect((await say("/contxt")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(editor.updates(sessionId))).toContain("/context");
  const before = editor.updates(sessionId).length;
  const attached = { type: "resource", resource: { uri: "file:///a.ts", text: "let a = 1;" } };
  await editor.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "/context" }, link, attached] });
  expect(saidIn(editor.updates(sessionId).slice(before))).toContain("Free space");
  expect((await editor.request("session/prompt", { sessionId, prompt: [{ type: "audio" }] })).error.code).toBe(-32602);
});

test("a cancel at any point ends its prompt with one reply, every call with it, and leaves the next prompt alone", async () => {
  using home = temporaryHome();
  const file = home.write("notes.txt", "x");
  const step = ({ messages }: any): ScriptedReply =>
    JSON.stringify(messages.at(-1)).includes("tool_result")
      ? { text: "It says x.", deltas: 3 }
      : {
          thinking: "Hm.",
          text: "I will look at it.",
          deltas: 4,
          calls: [{ name: "Read", input: { file_path: file } }],
        };
  await using model = await startMockModel(Array.from({ length: 200 }, () => step));
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const ends: string[] = [];
  for (let point = 0; point < 24; point++) {
    const before = editor.updates(sessionId).length;
    const reply = editor.prompt(sessionId, `Prompt ${point}`);
    const enough = () => editor.updates(sessionId).length >= before + point;
    await Promise.race([reply, editor.until(enough)]);
    editor.notify("session/cancel", { sessionId });
    const { result } = await reply;
    ends.push(result.stopReason);
    expect((await editor.prompt(sessionId, "And now?")).result).toEqual({ stopReason: "end_turn" });
  }
  expect(ends[0]).toBe("cancelled");
  expect(ends.filter((end) => end !== "cancelled" && end !== "end_turn")).toEqual([]);
  const states = new Map<string, string>();
  for (const { toolCallId, status } of editor.updates(sessionId))
    if (toolCallId && status) states.set(toolCallId, status);
  expect([...states.values()].filter((status) => status !== "completed" && status !== "failed")).toEqual([]);
  const replies = editor.messages
    .filter(({ id, method }) => id !== undefined && method === undefined)
    .map(({ id }) => id);
  expect(new Set(replies).size).toBe(replies.length);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("the todo list and the task list are plans, each time whole", async () => {
  using home = temporaryHome();
  const todos = (...states: string[]) => ({
    calls: [
      {
        name: "TodoWrite",
        input: { todos: states.map((status, at) => ({ content: `Step ${at}`, activeForm: `Doing ${at}`, status })) },
      },
    ],
  });
  await using model = await startMockModel([
    todos("in_progress", "pending"),
    todos("completed", "in_progress"),
    { text: "So far." },
    { calls: [{ name: "TaskCreate", input: { subject: "Write it", description: "All of it" } }] },
    { calls: [{ name: "TaskUpdate", input: { taskId: "1", status: "in_progress" } }] },
    { text: "Listed." },
  ]);
  const env = { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" };
  await using editor = await startEditor({ home, url: model.url, env });
  const plans = (sessionId: string) =>
    editor
      .updates(sessionId, "plan")
      .map(({ entries }) => entries.map(({ content, status }: any) => `${content}: ${status}`));
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(plans(sessionId)).toEqual([
    ["Step 0: in_progress", "Step 1: pending"],
    ["Step 0: completed", "Step 1: in_progress"],
  ]);
  const { sessionId: other } = await editor.open();
  await editor.prompt(other, "List");
  expect(plans(other)).toEqual([["Write it: pending"], ["Write it: in_progress"]]);
});

test("input of the wrong type is a failed call, not a failed prompt", async () => {
  using home = temporaryHome();
  const wrong = [
    { name: "Read", input: { file_path: 7 } },
    { name: "TodoWrite", input: { todos: "all" } },
    { name: "Bash", input: { command: ["ls"] } },
    { name: "Edit", input: { file_path: "a.txt", old_string: 1, new_string: null } },
    { name: "Agent", input: { prompt: { of: "an object" } } },
    { name: "AskUserQuestion", input: { questions: "Which?" } },
    { name: "ExitPlanMode", input: { plan: 3 } },
    { name: "NoSuchTool", input: { any: "thing" } },
  ];
  await using model = await startMockModel([
    { calls: wrong as never },
    { calls: [{ name: "Read", input: {} }], brokenJson: '{"file_path": ' },
    { text: "Sorry." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Go")).result).toEqual({ stopReason: "end_turn" });
  const states = new Map<string, string>();
  for (const { toolCallId, status } of editor.updates(sessionId))
    if (toolCallId && status) states.set(toolCallId, status);
  expect([...states.values()]).toEqual(Array.from({ length: wrong.length + 1 }, () => "failed"));
  expect(saidIn(editor.updates(sessionId))).toBe("Sorry.");
});

test("a subagent is shown inside its call, and what a command does later is told in the call that started it", async () => {
  using home = temporaryHome();
  const flag = join(home.project, "go");
  const command = `until [ -e ${flag} ]; do sleep 0.01; done; echo done`;
  await using model = await startMockModel(({ messages }: any): ScriptedReply => {
    const said = JSON.stringify(messages);
    if (JSON.stringify(messages[0]).includes("Look around")) {
      return said.includes("tool_result")
        ? { text: "Seen it all." }
        : { text: "I will look.", calls: [{ id: "inner", name: "Glob", input: { pattern: "*" } }] };
    }
    if (said.includes("task-notification")) return { text: "It ended." };
    if (said.includes("tool_result")) return { text: "Both began." };
    const about = { description: "Look", prompt: "Look around", subagent_type: "general-purpose" };
    return {
      calls: [
        { id: "agent", name: "Agent", input: about },
        { id: "command", name: "Bash", input: { command, run_in_background: true } },
      ],
    };
  });
  await using editor = await startEditor({ home, url: model.url, args: ["--allowedTools", "Bash,Agent"] });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Go")).result).toEqual({ stopReason: "end_turn" });
  const ofCall = (id: string) => editor.updates(sessionId).filter(({ toolCallId }) => toolCallId === id);
  expect(ofCall("inner")).toEqual([]);
  expect(JSON.stringify(ofCall("agent"))).toContain("✓ Glob *");
  expect(JSON.stringify(ofCall("agent").at(-1).content)).toContain("Seen it all.");
  expect(saidIn(editor.updates(sessionId))).toBe("Both began.");
  expect(ofCall("command").findLast(({ status }) => status).status).toBe("completed");

  home.write("go", "");
  const isTold = ({ params }: any) =>
    params?.update?.toolCallId === "command" && JSON.stringify(params.update).includes("in the background: ");
  expect(JSON.stringify(await editor.until(isTold))).toContain("Completed in the background");
  await editor.until(({ params }) => params?.update?.content?.text?.includes("It ended."));
});

test("pieces of an answer that arrive together are one update, and a piece that arrives alone is told before the next comes", async () => {
  using home = temporaryHome();
  const sse = (type: string, fields: object) => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
  const piece = (text: string) => sse("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  const words = Array.from({ length: 500 }, (_, at) => `${at} `);
  const alone = Promise.withResolvers<void>();
  async function* body() {
    yield sse("message_start", { message });
    yield sse("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) + piece("Alone. ");
    await alone.promise;
    yield words.map(piece).join("") + sse("content_block_stop", { index: 0 });
    yield sse("message_delta", { delta: { stop_reason: "end_turn" }, usage }) + sse("message_stop", {});
  }
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body(), { headers: { "content-type": "text/event-stream" } }),
  });
  await using editor = await startEditor({ home, url: server.url.origin });
  const { sessionId } = await editor.open();
  const reply = editor.prompt(sessionId, "Go");
  await editor.until(({ params }) => params?.update?.content?.text === "Alone. ");
  alone.resolve();
  expect((await reply).result).toEqual({ stopReason: "end_turn" });
  const told = editor.updates(sessionId, "agent_message_chunk");
  expect(saidIn(told)).toBe(`Alone. ${words.join("")}`);
  expect(told.length).toBeLessThan(50);
});
