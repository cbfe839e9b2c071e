// Everything before a prompt, or from it on, becomes a summary (`compact_conversation`); the rest stays.

import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
} from "@keelson/testkit";
import { CHAT, control, kindOf, messagesOf, prompt, spoken } from "../front-door.ts";

const [A, B, C, D] = ["a", "b", "c", "d"].map((digit) => `${digit.repeat(8)}-1111-4222-8333-444444444444`) as [
  string,
  string,
  string,
  string,
];
const SUMMARY = { text: "<analysis>hm</analysis><summary>They said hello</summary>" };
const replyTo =
  (id: string) =>
  ({ response }: any) =>
    response?.request_id === id;
const summarize = (user_message_id: string, more: object = {}) =>
  control("sum", { subtype: "compact_conversation", user_message_id, ...more });
/** So that prompts sent together are not one. */
const ONE_BY_ONE = control("init", { subtype: "initialize", joinQueuedPrompts: false });
const result = (text: string) => (line: any) => line.result === text;
/** The texts and kinds of blocks, with summaries and our own texts shortened. */
const blocksIn = (request: RecordedRequest): string[] =>
  spoken(request).flatMap(({ content }) =>
    content
      .map(({ type, text }: any) => text ?? type)
      .map((text: string) => (text.includes("They said hello") ? "SUMMARY" : text))
      .filter((text: string) => !text.startsWith("<system-reminder>")),
  );

test("the model gets the summary and the kept messages, also after a resume", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Be brief.");
  home.write("seen.txt", "old");
  const file_path = join(home.project, "seen.txt");
  const spans = join(home.root, "spans.jsonl");
  await using model = await startMockModel([
    { text: "one" },
    { text: "reading", calls: [{ name: "Read", input: { file_path } }] },
    { text: "two" },
    { text: "three" },
    SUMMARY,
    { calls: [{ name: "Edit", input: { file_path, old_string: "old", new_string: "new" } }] },
    { text: "four" },
  ]);
  const hooks = ["PreCompact", "PostCompact"].map((event) => [
    event,
    [
      {
        hooks: [
          {
            type: "command",
            command: `cat >> ${join(home.root, "hooks.txt")}; echo >> ${join(home.root, "hooks.txt")}`,
          },
        ],
      },
    ],
  ]);
  home.settings({ hooks: Object.fromEntries(hooks) });
  await using program = startKeelson([...CHAT, "--allowedTools", "Edit"], {
    ...{ home, url: model.url, stdin: "open" },
    env: { KEELSON_TRACE: spans },
  });
  program.send(ONE_BY_ONE);
  program.send(prompt("first", { uuid: A }));
  program.send(prompt("second", { uuid: B }));
  program.send(prompt("third", { uuid: C }));
  await program.waitForLine(result("three"));
  program.send(summarize(B, { instructions: "keep the names" }));
  const { json } = await program.waitForLine(replyTo("sum"));
  expect((json as any).response).toEqual({
    subtype: "success",
    request_id: "sum",
    response: {
      prompt: "second",
      preTokens: expect.any(Number),
      postTokens: expect.any(Number),
      sessionId: expect.any(String),
    },
  });
  program.send(prompt("fourth", { uuid: D }));
  await program.waitForLine(result("four"));
  program.closeStdin();
  const ended = await program.done;

  const [asked, next] = [model.requests[4]!, model.requests[5]!];
  expect(blocksIn(asked).slice(0, 2)).toEqual(["first", "one"]);
  expect(blocksIn(asked).at(-1)).toContain("keep the names");
  expect(JSON.stringify(asked.body.messages)).not.toContain("second");
  expect(asked.body.system).toEqual(model.requests[3]!.body.system);
  const kept = ["SUMMARY", "second", "reading", "tool_use", "tool_result", "two", "third", "three"];
  expect(blocksIn(next)).toEqual([...kept, "fourth"]);
  expect(messageProblems(next.body.messages)).toEqual([]);
  expect(JSON.stringify(next.body.messages).split("Be brief.")).toHaveLength(2);
  // The file is still known as read.
  expect(JSON.stringify(spoken(model.requests[6]!).at(-1))).toContain("Edited ");

  const kinds = ended.messages.map(kindOf);
  const at = kinds.indexOf("system/status");
  expect(kinds.slice(at, at + 5)).toEqual([
    ...["system/status", "system/status", "system/compact_boundary", "user", "control_response"],
  ]);
  expect(ended.messages[at + 2]).toMatchObject({ compact_metadata: { trigger: "manual" } });
  const events = home
    .read(join(home.root, "hooks.txt"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  expect(events).toMatchObject([
    { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "keep the names" },
    { hook_event_name: "PostCompact", trigger: "manual", compact_summary: SUMMARY.text },
  ]);
  expect(messagesOf(ended, "result").at(-1).total_cost_usd).toBeGreaterThan(0);
  expect(home.read(spans)).toContain('"kind":"compaction"');
  expect(chainProblems(readTranscript(home))).toEqual([]);

  await using again = await startMockModel([{ text: "yes" }]);
  await runKeelson(["-p", "and?", "-c"], { home, url: again.url });
  expect(blocksIn(again.requests[0]!)).toEqual([...kept, "fourth", "tool_use", "tool_result", "four", "and?"]);
  expect(messageProblems(again.requests[0]!.body.messages)).toEqual([]);
});

test("from a prompt on, the summary comes after what was said before it, also after a resume and a second time", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Be brief.");
  const call = { calls: [{ name: "Bash", input: { command: "echo a" } }] };
  await using model = await startMockModel([
    ...[call, { text: "one" }, { text: "two" }, { text: "three" }],
    SUMMARY,
    ...[{ text: "four" }, { text: "five" }],
    { text: "<summary>They said hello, then more</summary>" },
    { text: "six" },
  ]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  const [texts, ids] = [
    ["first", "second", "third"],
    [A, B, C],
  ];
  program.send(ONE_BY_ONE);
  texts.forEach((text, index) => program.send(prompt(text, { uuid: ids[index]! })));
  await program.waitForLine(result("three"));
  program.send(summarize(B, { direction: "from" }));
  const { json } = await program.waitForLine(replyTo("sum"));
  expect((json as any).response.response).toMatchObject({ prompt: "second" });
  program.send(prompt("fourth", { uuid: D }));
  await program.waitForLine(result("four"));
  program.send(prompt("fifth"));
  await program.waitForLine(result("five"));
  program.send(control("again", { subtype: "compact_conversation", user_message_id: D, direction: "from" }));
  await program.waitForLine(replyTo("again"));
  program.closeStdin();
  const ended = await program.done;

  const head = ["first", "tool_use", "tool_result", "one"];
  const asked = blocksIn(model.requests[4]!);
  expect(asked.slice(0, -1)).toEqual([...head, "second", "two", "third", "three"]);
  expect(asked.at(-1)).toContain("The prompt begins:\n\nsecond");
  expect(blocksIn(model.requests[5]!)).toEqual([...head, "SUMMARY", "fourth"]);
  expect(messageProblems(model.requests[5]!.body.messages)).toEqual([]);
  expect(JSON.stringify(model.requests[5]!.body.messages).split("Be brief.")).toHaveLength(2);
  expect(chainProblems(readTranscript(home))).toEqual([]);

  const [{ session_id: id }] = messagesOf(ended, "result");
  await runKeelson(["-p", "and?", "-r", id], { home, url: model.url });
  expect(blocksIn(model.requests[8]!)).toEqual([...head, "SUMMARY", "SUMMARY", "and?"]);
  expect(messageProblems(model.requests[8]!.body.messages)).toEqual([]);

  // Back to before a prompt that was kept.
  await using back = await startMockModel([{ text: "anew" }]);
  await using last = startKeelson([...CHAT, "-r", id], { home, url: back.url, stdin: "open" });
  last.send(control("bad", { subtype: "compact_conversation", user_message_id: A, direction: "down" }));
  const bad = await last.waitForLine(replyTo("bad"));
  expect((bad.json as any).response.error).toContain('"up_to" or "from"');
  last.send(control("back", { subtype: "rewind_conversation", user_message_id: A }));
  await last.waitForLine(replyTo("back"));
  last.send(prompt("hello"));
  await last.waitForLine(result("anew"));
  last.closeStdin();
  await last.done;
  expect(blocksIn(back.requests[0]!)).toEqual(["hello"]);
});

test("a program that ends right after it, and one that goes back to a kept prompt, are resumed as they were left", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }, SUMMARY]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(ONE_BY_ONE);
  for (const [text, uuid] of [
    ["first", A],
    ["second", B],
    ["third", C],
  ] as const)
    program.send(prompt(text, { uuid }));
  await program.waitForLine(result("three"));
  program.send(summarize(B));
  await program.waitForLine(replyTo("sum"));
  program.closeStdin();
  await program.done;

  await using again = await startMockModel([{ text: "yes" }]);
  await runKeelson(["-p", "and?", "-c", "--fork-session"], { home, url: again.url });
  expect(blocksIn(again.requests[0]!)).toEqual(["SUMMARY", "second", "two", "third", "three", "and?"]);

  const [{ session_id: id }] = messagesOf(await program.done, "result");
  await using back = await startMockModel([{ text: "other" }, { text: "more" }]);
  await using second = startKeelson([...CHAT, "-r", id], { home, url: back.url, stdin: "open" });
  second.send(control("back", { subtype: "rewind_conversation", user_message_id: C }));
  await second.waitForLine(replyTo("back"));
  second.closeStdin();
  await second.done;
  for (const [text, said] of [
    ["other third", ["SUMMARY", "second", "two", "other third"]],
    ["more", ["SUMMARY", "second", "two", "other third", "other", "more"]],
  ] as const) {
    await runKeelson(["-p", text, "-r", id], { home, url: back.url });
    expect(blocksIn(back.requests.at(-1)!)).toEqual([...said]);
  }
});

test("a conversation that was compacted before is summarized from there on", async () => {
  using home = temporaryHome();
  const later = { text: "<summary>They said hello, then more</summary>" };
  await using model = await startMockModel([
    ...[{ text: "one" }, { text: "two" }, { text: "three" }],
    SUMMARY,
    ...[{ text: "four" }, later, { text: "five" }],
  ]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(ONE_BY_ONE);
  for (const [text, uuid] of [
    ["first", A],
    ["second", B],
    ["third", C],
  ] as const)
    program.send(prompt(text, { uuid }));
  await program.waitForLine(result("three"));
  program.send(summarize(B));
  await program.waitForLine(replyTo("sum"));
  // What a summary replaced cannot be kept, and before the first kept prompt there is only the summary.
  for (const [gone, why] of [
    [A, "since its last summary"],
    [B, "nothing to summarize before this prompt"],
  ] as const) {
    program.send(control(gone, { subtype: "compact_conversation", user_message_id: gone }));
    const { json } = await program.waitForLine(replyTo(gone));
    expect((json as any).response).toMatchObject({ subtype: "error", error: expect.stringContaining(why) });
  }
  program.send(prompt("fourth", { uuid: D }));
  await program.waitForLine(result("four"));
  program.send(control("more", { subtype: "compact_conversation", user_message_id: D }));
  await program.waitForLine(replyTo("more"));
  program.send(prompt("fifth"));
  await program.waitForLine(result("five"));
  program.closeStdin();
  await program.done;
  expect(blocksIn(model.requests[5]!).slice(0, 5)).toEqual(["SUMMARY", "second", "two", "third", "three"]);
  expect(blocksIn(model.requests[6]!)).toEqual(["SUMMARY", "fourth", "four", "fifth"]);
  await using again = await startMockModel([{ text: "yes" }]);
  await runKeelson(["-p", "and?", "-c"], { home, url: again.url });
  expect(blocksIn(again.requests[0]!)).toEqual(["SUMMARY", "fourth", "four", "fifth", "five", "and?"]);
});

test("a failure, a refusal of a hook and an interrupt leave the conversation as it was", async () => {
  using home = temporaryHome();
  const failure = { status: 400, type: "invalid_request_error", message: "no summaries today" };
  await using model = await startMockModel([
    ...[{ text: "one" }, { text: "two" }],
    failure,
    { text: "" },
    { text: "never", hang: true, cutAfter: 1 },
    { text: "three" },
  ]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("first", { uuid: A }));
  program.send(prompt("second", { uuid: B }));
  await program.waitForLine(result("two"));
  const attempt = async (id: string) => {
    program.send(control(id, { subtype: "compact_conversation", user_message_id: B }));
    if (id === "stopped") {
      await model.waitForRequest(5);
      program.send(control("stop", { subtype: "interrupt" }));
    }
    return ((await program.waitForLine(replyTo(id))).json as any).response;
  };
  expect(await attempt("refused")).toMatchObject({
    error: expect.stringContaining("no summaries today"),
    error_code: "not_compacted",
  });
  expect(await attempt("empty")).toMatchObject({ error_code: "not_compacted" });
  expect(await attempt("stopped")).toMatchObject({ error: "Request was aborted", error_code: "not_compacted" });
  home.settings({ hooks: { PreCompact: [{ hooks: [{ type: "command", command: "echo not now >&2; exit 2" }] }] } });
  program.send(prompt("third"));
  await program.waitForLine(result("three"));
  expect(await attempt("hooked")).toMatchObject({
    error: expect.stringContaining("not now"),
    error_code: "not_compacted",
  });
  program.closeStdin();
  const ended = await program.done;
  expect(blocksIn(model.requests[5]!)).toEqual(["first", "one", "second", "two", "third"]);
  expect(messagesOf(ended, "system/compact_boundary")).toEqual([]);
});

test("a run that is active, a first prompt and an unsaved conversation are refused", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "never", hang: true, cutAfter: 1 }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("first", { uuid: A }));
  await program.waitForLine(result("one"));
  program.send(summarize(A));
  const first = await program.waitForLine(replyTo("sum"));
  expect((first.json as any).response.error).toBe("There is nothing to summarize before this prompt");
  program.send(prompt("second", { uuid: B }));
  await model.waitForRequest(2);
  program.send(control("busy", { subtype: "compact_conversation", user_message_id: B }));
  expect(((await program.waitForLine(replyTo("busy"))).json as any).response).toMatchObject({ error_code: "busy" });
  program.send(control("stop", { subtype: "interrupt" }));
  program.closeStdin();
  await program.done;

  await using other = await startMockModel([{ text: "one" }]);
  const args = [...CHAT, "--no-session-persistence"];
  await using unsaved = startKeelson(args, { home, url: other.url, stdin: "open" });
  unsaved.send(prompt("first", { uuid: A }));
  await unsaved.waitForLine(result("one"));
  unsaved.send(summarize(A));
  const { json } = await unsaved.waitForLine(replyTo("sum"));
  expect((json as any).response.error).toBe("This conversation is not saved");
  unsaved.closeStdin();
  await unsaved.done;
});
