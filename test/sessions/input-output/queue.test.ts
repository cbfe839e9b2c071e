// Prompts that come while a run continues: they join it, or wait and are one prompt when it ends. A client may ask for a run
// for each.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  readTranscript,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
  type Running,
} from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, spoken, told } from "../front-door.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => `${digit.repeat(8)}-1111-4222-8333-444444444444`) as [
  string,
  string,
  string,
];
const ASKING = [...CHAT, "--permission-prompt-tool=stdio"] as const;
const CALL = { calls: [{ name: "Bash", input: { command: "touch made" } }] };
const MEANWHILE = (text: string) =>
  `The user sent this message while you were working:\n\n${text}\n\nTake it into account, and continue with what is left to do.`;
/** The last message of a request: its texts, and the kinds of its other blocks. */
const lastOf = (request: RecordedRequest) => told(request).map(({ type, text }) => text ?? type);

const textsOf = (request: RecordedRequest) =>
  spoken(request).flatMap(({ content }) => content.map(({ type, text }: any) => text ?? type));

const isQuestion = ({ request }: any) => request?.subtype === "can_use_tool";
const isResult = ({ type }: any) => type === "result";
const lifecycle = (ended: any) =>
  messagesOf(ended, "command_lifecycle").map(({ command_uuid: id, state }) => `${id[0]} ${state}`);

/** Sends a prompt and waits until a call of it asks for permission; returns how to allow it. */
async function busy(program: Running, init: object = {}) {
  program.send(control("init", { subtype: "initialize", ...init }));
  program.send(prompt("go", { uuid: A }));
  const { json } = await program.waitForLine(isQuestion);
  return () => program.send(answer((json as any).request_id, { behavior: "allow" }));
}

async function queued(program: Running, ...ids: string[]) {
  for (const id of ids)
    await program.waitForLine(({ command_uuid, state }: any) => command_uuid === id && state === "queued");
}

test("prompts sent during a run are read in it, behind the next tool result and in order", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([CALL, { text: "both done" }, { text: "and more" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  const allow = await busy(program);
  program.send(prompt("be quick", { uuid: B }));
  program.send(prompt([{ type: "text", text: "and careful" }], { uuid: C, priority: "next" }));
  await queued(program, B, C);
  allow();
  await program.waitForLine(isResult);
  program.send(prompt("what now?"));
  await program.waitForLine(({ result }: any) => result === "and more");
  program.closeStdin();
  const ended = await program.done;
  expect(lastOf(model.requests[1]!)).toEqual(["tool_result", MEANWHILE("be quick"), MEANWHILE("and careful")]);
  expect(lifecycle(ended)).toEqual([
    ...["a queued", "a started", "b queued", "c queued", "b started", "c started"],
    ...["a completed", "b completed", "c completed"],
  ]);
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["both done", "and more"]);

  // They are in the transcript: who resumes has them in the conversation, and sees them.
  await using again = await startMockModel([{ text: "yes" }]);
  const id = messagesOf(ended, "result")[0].session_id;
  await using resumed = startKeelson([...CHAT, "-r", id], { home, url: again.url, stdin: "open" });
  resumed.send(prompt("still there?"));
  await resumed.waitForLine(isResult);
  expect(textsOf(again.requests[0]!).slice(0, 6)).toEqual(textsOf(model.requests[2]!).slice(0, 6));
  resumed.closeStdin();
  await resumed.done;
});

test("a result names the prompts that joined its run, also if the one that began it has no id", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([CALL, { text: "done" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(isQuestion);
  program.send(prompt("be quick", { uuid: B }));
  await queued(program, B);
  program.send(answer((json as any).request_id, { behavior: "allow" }));
  await program.waitForLine(isResult);
  program.closeStdin();
  expect(messagesOf(await program.done, "result")).toMatchObject([
    { result: "done", user_message_uuid: B, user_message_uuids: [B] },
  ]);
});

test("a prompt that was sent before, also in a resumed session, is repeated to the client and not run again", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const again = async (next: string, ...more: readonly string[]) => {
    const flags = [...CHAT, "--replay-user-messages", ...more];
    await using program = startKeelson(flags, { home, url: model.url, stdin: "open" });
    program.send(prompt("first", { uuid: A }));
    program.send(prompt("first", { uuid: A }));
    program.send(prompt("next", { uuid: next }));
    program.closeStdin();
    return await program.done;
  };
  const ended = await again(B);
  const resumed = await again(C, "-r", messagesOf(ended, "result")[0].session_id);
  const told = spoken(model.requests.at(-1)!).flatMap(({ content }) => content.map(({ text }: any) => text ?? ""));
  expect(told.filter((text) => text === "first")).toHaveLength(1);
  const firsts = (of: any) => messagesOf(of, "user").filter(({ uuid, isReplay }) => uuid === A && isReplay);
  expect([firsts(ended).length, firsts(resumed).length]).toEqual([2, 2]);
  expect(lifecycle(ended).filter((line) => line.startsWith("a"))).toEqual(["a queued", "a started", "a completed"]);
  expect(lifecycle(resumed).filter((line) => line.startsWith("a"))).toEqual(["a completed", "a completed"]);
  const ids = (readTranscript(home) as readonly any[]).flatMap(({ uuid }) => uuid ?? []);
  expect(ids).toHaveLength(new Set(ids).size);
});

test("a client that asks for it gets a run for each prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([CALL, { text: "one" }, { text: "two" }, { text: "three" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  const allow = await busy(program, { joinQueuedPrompts: false });
  program.send(prompt("next one", { uuid: B }));
  program.send(prompt("another", { uuid: C }));
  await queued(program, B, C);
  allow();
  await program.waitForLine(({ result }: any) => result === "three");
  program.closeStdin();
  await program.done;
  expect(lastOf(model.requests[1]!)).toEqual(["tool_result"]);
  expect(lastOf(model.requests[2]!)).toEqual(["next one"]);
  expect(lastOf(model.requests[3]!)).toEqual(["another"]);
});

test("prompts that waited are one prompt when the run ends: in the transcript, to hooks and to the model", async () => {
  using home = temporaryHome();
  const log = `${home.root}/prompts`;
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: `cat >>${log}` }] }] };
  const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
  await using model = await startMockModel([{ text: "one", hold }, { text: "two" }]);
  await using program = startKeelson([...CHAT, "--replay-user-messages", "--settings", JSON.stringify({ hooks })], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("go", { uuid: A }));
  await model.waitForRequest(1);
  program.send(prompt("be quick", { uuid: B }));
  program.send(prompt([{ type: "text", text: "and careful" }], { uuid: C }));
  await queued(program, B, C);
  goOn();
  await program.waitForLine(({ result }: any) => result === "two");
  program.closeStdin();
  const ended = await program.done;

  expect(lastOf(model.requests[1]!)).toEqual(["be quick\n", "and careful"]);
  const merged = [
    { type: "text", text: "be quick\n" },
    { type: "text", text: "and careful" },
  ];
  const prompts = (readTranscript(home) as readonly any[]).filter(({ type }) => type === "user");
  expect(prompts.map(({ uuid, message }) => [uuid, message.content])).toEqual([
    [A, "go"],
    [C, merged],
  ]);
  const fired = readFileSync(log, "utf8").trim().split("\n");
  expect(fired.map((line) => JSON.parse(line).prompt)).toEqual(["go", "be quick\nand careful"]);
  // Each is repeated; the last as the message it became.
  expect(messagesOf(ended, "user").map(({ uuid, message, isReplay }) => [uuid, message.content, isReplay])).toEqual([
    [A, "go", true],
    [B, "be quick", true],
    [C, merged, true],
  ]);
  expect(lifecycle(ended).slice(-4)).toEqual(["b started", "c started", "b completed", "c completed"]);
  expect(messagesOf(ended, "result").map(({ user_message_uuids: ids }) => ids)).toEqual([[A], [B, C]]);
});

test("a queued prompt runs by itself if no tool call follows; what is for later waits behind it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([CALL, { text: "one" }, { text: "two" }, { text: "three" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  const allow = await busy(program);
  program.send(prompt("at the end", { uuid: B, priority: "later" }));
  program.send(prompt("/nothing-of-this-name here", { uuid: C }));
  await queued(program, B, C);
  allow();
  await program.waitForLine(({ result }: any) => result === "three");
  program.closeStdin();
  await program.done;
  expect(lastOf(model.requests[1]!)).toEqual(["tool_result"]);
  expect(lastOf(model.requests[2]!)).toEqual(["/nothing-of-this-name here"]);
  expect(lastOf(model.requests[3]!)).toEqual(["at the end"]);
});

test("a prompt for now ends the run and goes first; an interrupt leaves the queue", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([CALL, { text: "now done" }, { text: "then" }]);
  await using program = startKeelson(ASKING, { home, url: model.url, stdin: "open" });
  await busy(program);
  program.send(prompt("afterwards", { uuid: B }));
  program.send(prompt("stop, do this", { uuid: C, priority: "now" }));
  await program.waitForLine(({ result }: any) => result === "then");
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "result").map(({ terminal_reason }) => terminal_reason)).toEqual([
    "aborted_tools",
    "completed",
    "completed",
  ]);
  expect(lastOf(model.requests[1]!).at(-1)).toBe("stop, do this");
  expect(lastOf(model.requests[2]!)).toEqual(["afterwards"]);
});

test("hooks read a joining prompt and may block it; one that was taken back is not given", async () => {
  using home = temporaryHome();
  const hook = `input=$(cat); case "$input" in *secret*) echo "not that" >&2; exit 2;; *careful*) echo "a hint";; esac`;
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: hook }] }] };
  await using model = await startMockModel([CALL, { text: "done" }]);
  await using program = startKeelson([...ASKING, "--settings", JSON.stringify({ hooks })], {
    home,
    url: model.url,
    stdin: "open",
  });
  const allow = await busy(program);
  program.send(prompt("the secret", { uuid: B }));
  program.send(prompt("be careful", { uuid: C }));
  const back = "dddddddd-1111-4222-8333-444444444444";
  program.send(prompt("never mind", { uuid: back }));
  await queued(program, B, C, back);
  program.send(control("back", { subtype: "cancel_async_message", message_uuid: back }));
  await program.waitForLine(({ response }: any) => response?.request_id === "back");
  allow();
  await program.waitForLine(isResult);
  program.closeStdin();
  const ended = await program.done;
  expect(lastOf(model.requests[1]!)).toEqual([
    "tool_result",
    expect.stringContaining("a hint"),
    MEANWHILE("be careful"),
  ]);
  expect(messagesOf(ended, "system/informational")).toMatchObject([
    {
      level: "warning",
      prompt_submit_outcome: { kind: "blocked_by_hook" },
      content: expect.stringContaining("not that"),
    },
  ]);
  expect(lifecycle(ended).filter((line) => line.startsWith("d"))).toEqual(["d queued", "d cancelled"]);
});
