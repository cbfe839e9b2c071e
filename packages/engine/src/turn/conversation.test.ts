import { expect, test } from "bun:test";
import type { AssistantSubject, ChainSubject, ContentBlock, UserSubject } from "@keelson/protocol";
import { Conversation } from "./conversation.ts";
import { NO_RESULT } from "./well-formed.ts";

const says = (content: UserSubject["message"]["content"]): ChainSubject => ({
  type: "user",
  message: { role: "user", content },
});

const replies = (id: string, ...content: ContentBlock[]): AssistantSubject => ({
  type: "assistant",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});

const text = (value: string): ContentBlock => ({ type: "text", text: value });
const call = (id: string): ContentBlock => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, content = "ok"): ContentBlock => ({ type: "tool_result", tool_use_id: id, content });
const thought: ContentBlock = { type: "thinking", thinking: "hm", signature: "s" };

test("blocks of one reply become one assistant message, and results come in call order", async () => {
  const conversation = await Conversation.of([
    says("go"),
    replies("m1", thought),
    replies("m1", call("a")),
    replies("m1", call("b")),
    says([result("b")]),
    says([result("a")]),
    replies("m2", text("done")),
  ]);

  const reply = { model: "m" };
  expect(conversation.messages).toEqual([
    { role: "user", content: [text("go")] },
    { role: "assistant", content: [thought, call("a"), call("b")], reply },
    { role: "user", content: [result("a"), result("b")] },
    { role: "assistant", content: [text("done")], reply },
  ]);
});

test("what belongs to a call comes behind the results in the order of the calls, whichever ended first", async () => {
  const reminds = (toolUseID: string): ChainSubject => ({
    type: "attachment",
    attachment: { type: "hook_additional_context", content: [toolUseID], toolUseID },
    rendered: [{ content: `about ${toolUseID}` }],
  });
  const skill = { ...says([text("skill of b")]), isMeta: true, sourceToolUseID: "b" } as ChainSubject;
  const document = { type: "document", source: {} } as unknown as ContentBlock;
  const calls = ["a", "b", "c"].map((id) => replies("m1", call(id)));
  const ofA = [says([result("a")]), reminds("a")];
  const ofB = [says([result("b")]), reminds("b"), skill];
  const ofC = [says([result("c"), document])];
  const messagesOf = async (...ended: ChainSubject[][]) =>
    (await Conversation.of([says("go"), ...calls, ...ended.flat(), says("Go on")])).messages;

  const [one, ...others] = await Promise.all([
    messagesOf(ofA, ofB, ofC),
    messagesOf(ofC, ofB, ofA),
    messagesOf(ofB, ofC, ofA),
  ]);
  expect(one!.at(-1)!.content).toEqual([
    ...[result("a"), result("b"), result("c")],
    ...[text("about a"), text("about b"), text("skill of b"), document, text("Go on")],
  ]);
  expect(others).toEqual([one!, one!]);
});

test.each([
  ["a string", (own: string, reminder: string) => `${own}\n\n${reminder}`],
  ["blocks", (own: string, reminder: string) => [text(own), text(reminder)]],
])("text that an earlier version put into a result of %s is read behind it", async (_, join) => {
  const reminder = "<system-reminder>\nHook says no\n</system-reminder>";
  const content = join("out", reminder);
  const entry = { ...says([{ ...result("a"), content } as ContentBlock]), addedContext: reminder.length + 2 };
  const given = typeof content === "string" ? entry : { ...entry, addedContext: reminder.length };
  const { messages } = await Conversation.of([says("go"), replies("m1", call("a")), given as ChainSubject]);
  const own = typeof content === "string" ? "out" : [text("out")];
  expect(messages.at(-1)!.content).toEqual([{ ...result("a"), content: own } as ContentBlock, text(reminder)]);
});

test("two replies in a row stay two messages if their ids differ", async () => {
  const conversation = await Conversation.of([says("go"), replies("m1", text("a")), replies("m2", text("b"))]);
  expect(conversation.messages.map(({ content }) => content)).toEqual([[text("go")], [text("a")], [text("b")]]);
});

test("a session cut off in the middle of its calls is made well formed", async () => {
  const conversation = await Conversation.of([
    says("go"),
    replies("m1", call("a")),
    replies("m1", call("b")),
    says([result("a")]),
  ]);

  expect(conversation.messages.at(-1)).toEqual({
    role: "user",
    content: [result("a"), { type: "tool_result", tool_use_id: "b", content: NO_RESULT, is_error: true }],
  });
});

test("unanswered calls followed by a new prompt are answered before it", async () => {
  const conversation = await Conversation.of([says("go"), replies("m1", call("a")), says("go on")]);
  expect(conversation.messages.at(-1)?.content).toEqual([
    { type: "tool_result", tool_use_id: "a", content: NO_RESULT, is_error: true },
    text("go on"),
  ]);
});

test("a reply that only began to think is dropped, and so are results without a call", async () => {
  const conversation = await Conversation.of([says("go"), replies("m1", thought), says([result("x"), text("again")])]);
  expect(conversation.messages).toEqual([{ role: "user", content: [text("go"), text("again")] }]);
});

test("API errors are shown to people, not to the model", async () => {
  const failure = { ...replies("e1", text("API Error: 500")), isApiErrorMessage: true };
  expect((await Conversation.of([says("go"), failure])).messages).toEqual([{ role: "user", content: [text("go")] }]);
});

test("earlier messages keep their identity while the conversation grows", async () => {
  const conversation = await Conversation.of([says("go")]);
  const first = conversation.messages[0];
  conversation.add(replies("m1", text("a")));
  conversation.add(says("more"));
  expect(conversation.messages[0]).toBe(first!);
});

test("calls of different replies may have the same id, each with its own result", async () => {
  const { messages } = await Conversation.of([
    says("go"),
    replies("m1", call("a")),
    says([result("a", "one")]),
    replies("m2", call("a")),
    says([result("a", "two")]),
  ]);
  expect(messages.slice(2).map(({ content }) => content)).toEqual([
    [result("a", "one")],
    [call("a")],
    [result("a", "two")],
  ]);
});

test("a reply keeps its model, and what the provider wants back with its calls", async () => {
  const first = { ...replies("m1", call("a")), callState: { a: { signature: "x" } } };
  const second = { ...replies("m1", call("b")), callState: { b: { signature: "y" } } };
  const { messages } = await Conversation.of([says("go"), first, says([result("a")]), second, says([result("b")])]);
  const { model } = first.message;
  expect(messages[1]!.reply).toEqual({ model, callState: { a: { signature: "x" }, b: { signature: "y" } } });
});
