// Prompts of an editor: their replies, their order, stopping them, and the questions in between.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chainProblems, readTranscript, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { saidIn, startEditor } from "./editor.ts";

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

test("a session opens without a key, and its prompt says how to sign in", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const { sessionId } = await editor.open();
  const { error } = await editor.prompt(sessionId, "Hello");
  expect(error).toMatchObject({ code: -32000, data: { authMethods: [{ id: "api-key" }] } });
  expect((await editor.request("authenticate", { methodId: "api-key" })).error.code).toBe(-32000);
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

test("a permission question is asked, and yes, no, an error and an unknown option mean what they say", async () => {
  using home = temporaryHome();
  const write = (file: string) => ({
    calls: [{ name: "Write", input: { file_path: join(home.project, file), content: "x" } }],
  });
  const answers: ((request: any) => object | Error)[] = [
    (request) => selected(optionOf(request, "allow_once")),
    (request) => selected(optionOf(request, "reject_once")),
    () => new Error("The window is closed"),
    () => selected("made-up"),
    () => ({ outcome: { outcome: "cancelled" } }),
  ];
  await using model = await startMockModel(
    answers.flatMap((_, index) => [write(`file-${index}`), { text: `Done ${index}.` }]),
  );
  const asked: any[] = [];
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request) => {
      asked.push(request);
      return answers[asked.length - 1]!(request);
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

test("limits are reasons to stop, not errors", async () => {
  using home = temporaryHome();
  await using short = await startMockModel(
    Array.from({ length: 8 }, () => ({ text: "And", stopReason: "max_tokens" })),
  );
  await using cut = await startEditor({ home, url: short.url });
  const first = await cut.open();
  expect((await cut.prompt(first.sessionId, "Tell me everything")).result).toEqual({ stopReason: "max_tokens" });
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
