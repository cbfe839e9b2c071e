// Background commands from start to end: what clients are told, what the model hears and when, and what is left.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  messageProblems,
  chainProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { spoken } from "../front-door.ts";
import { isRunning, until } from "../processes.ts";

const STREAM = ["--output-format", "stream-json", "--verbose", "--allowedTools", "Bash"];
const OPEN = ["--input-format", "stream-json", ...STREAM];
const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });

/** Runs until the test says go. */
const untilGo = (name: string, exit = 0) => `until [ -e ${name} ]; do sleep 0.01; done; echo ${name} ran; exit ${exit}`;
const go = (home: TemporaryHome, name: string) => writeFileSync(join(home.project, name), "");
const inBackground = (command: string, description?: string): ScriptedReply => ({
  calls: [{ name: "Bash", input: { command, run_in_background: true, ...(description ? { description } : {}) } }],
});

const tasks = (messages: readonly any[]) =>
  messages.filter(({ subtype }) => /^(task_|background_tasks)/.test(subtype ?? ""));
const results = (running: Running) => running.lines.filter(({ json }) => json?.type === "result");
const said = ({ body }: { body: any }) => body.messages.at(-1).content;

test("a background command's life is told in order, and its end starts a run of its own", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("first"), "The first"),
    { text: "Started" },
    { text: "It is done" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start it"));
  const first = await running.waitForLine(({ type }) => type === "result");
  go(home, "first");
  const second = await running.waitForLine(({ type }) => type === "result", { after: first });
  running.closeStdin();
  const { code, stderr, messages } = await running.done;

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const started = messages.find(({ subtype }) => subtype === "task_started");
  const id = started.task_id;
  expect(id).toMatch(/^b[0-9a-z]{8}$/);
  const told = messages.find(({ type }) => type === "user");
  const path = told.tool_use_result.backgroundOutputPath;
  expect(told.message.content[0].content).toBe(
    `Command running in background with ID: ${id}. Output is being written to: ${path}. You will be notified when it completes. To check interim output, use Read on that file path.`,
  );
  const stamp = { type: "system", uuid: expect.any(String), session_id: expect.any(String) };
  const summary = 'Background command "The first" completed (exit code 0)';
  expect(tasks(messages)).toEqual([
    {
      ...stamp,
      subtype: "background_tasks_changed",
      tasks: [{ task_id: id, task_type: "local_bash", description: "The first" }],
    },
    {
      ...stamp,
      subtype: "task_started",
      task_id: id,
      tool_use_id: "call_1_1",
      description: "The first",
      is_backgrounded: true,
      task_type: "local_bash",
    },
    { ...stamp, subtype: "task_updated", task_id: id, patch: { status: "completed", end_time: expect.any(Number) } },
    {
      ...stamp,
      subtype: "task_notification",
      task_id: id,
      tool_use_id: "call_1_1",
      status: "completed",
      output_file: path,
      summary,
    },
    { ...stamp, subtype: "background_tasks_changed", tasks: [] },
  ]);

  // The second run was no one's prompt: it has its own init, and a result that says where it came from.
  expect(first.json).toMatchObject({ result: "Started", num_turns: 2 });
  expect(first.json.origin).toBeUndefined();
  expect(second.json).toMatchObject({ result: "It is done", num_turns: 1, origin: { kind: "task-notification" } });
  expect(messages.filter(({ subtype }) => subtype === "init")).toHaveLength(2);
  const notice = [
    "<system-reminder>",
    "A background task has ended. This notice is automatic; the user did not write it.",
    "<task-notification>",
    `<task-id>${id}</task-id>`,
    "<tool-use-id>call_1_1</tool-use-id>",
    `<output-file>${path}</output-file>`,
    "<status>completed</status>",
    `<summary>${summary}</summary>`,
    "</task-notification>",
    "</system-reminder>",
  ].join("\n");
  expect(said(model.requests[2]!)).toMatchObject([{ type: "text", text: notice }]);
  expect(messages.filter(({ type, isSynthetic }) => type === "user" && isSynthetic)).toMatchObject([
    { message: { content: [{ type: "text", text: notice }] } },
  ]);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("the model reads the output where it was told to", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("first")),
    { text: "Started" },
    ({ messages }) => {
      const path = /<output-file>(.*)<\/output-file>/.exec(JSON.stringify(messages))![1]!;
      return { calls: [{ name: "Read", input: { file_path: path } }] };
    },
    { text: "Read it" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start it"));
  await running.waitForLine(({ type }) => type === "result");
  go(home, "first");
  await running.waitForLine(({ result }) => result === "Read it");
  expect(said(model.requests[3]!)).toMatchObject([
    { type: "tool_result", is_error: false, content: "1\tfirst ran\n2\t" },
  ]);
  running.closeStdin();
  expect((await running.done).code).toBe(0);
});

const ENDED_MEANWHILE: readonly { name: string; reply: object; results: readonly object[] }[] = [
  {
    name: "calls a tool is told with the result of the call",
    reply: { calls: [{ name: "Bash", input: { command: "echo more" } }] },
    results: [{ result: "It failed", num_turns: 4 }],
  },
  {
    name: "answers is told in a run of its own, behind the result",
    reply: { text: "My answer" },
    results: [
      { result: "My answer", num_turns: 2 },
      { result: "It failed", num_turns: 1, origin: { kind: "task-notification" } },
    ],
  },
];

test.each([...ENDED_MEANWHILE])("a command that ends while the model $name", async ({ reply, results: expected }) => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("first", 3)),
    async () => {
      go(home, "first");
      await running.waitForLine(({ subtype }) => subtype === "task_notification");
      return reply;
    },
    { text: "It failed" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start it"));
  await running.waitForLine(({ result }) => result === "It failed");
  running.closeStdin();
  expect((await running.done).code).toBe(0);

  const shown = results(running).map(({ json }) => json);
  expect(shown).toMatchObject([...expected]);
  expect(shown.map(({ origin }) => origin?.kind)).toEqual(expected.map(({ origin }: any) => origin?.kind));
  const { text } = said(model.requests[2]!).find(({ type }: any) => type === "text")!;
  expect(text).toContain("<status>failed</status>");
  expect(text).toContain("failed (exit code 3)");
  expect(messageProblems(spoken(model.requests[2]!))).toEqual([]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a session, also if a command has ended that the model has not heard of",
  async (signal) => {
    using home = temporaryHome();
    await using model = await startMockModel([
      inBackground(untilGo("first")),
      async () => {
        go(home, "first");
        await running.waitForLine(({ subtype }) => subtype === "task_notification");
        running.kill(signal);
        return { text: "Too late", hold: new Promise(() => {}) };
      },
      { text: "Never asked for" },
    ]);
    await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
    running.send(prompt("Start it"));
    const { stderr } = await running.done;
    expect({ stderr, requests: model.requests.length }).toEqual({ stderr: "", requests: 2 });
  },
);

test("with the input closed nothing new starts, and what still runs is stopped", async () => {
  using home = temporaryHome();
  const stays = "echo $$ > pid; until [ -e never ]; do sleep 0.05; done";
  await using model = await startMockModel([
    inBackground(stays, "The long one"),
    async () => {
      await until(() => existsSync(join(home.project, "pid")));
      return { text: "Started" };
    },
  ]);

  const { code, stderr, messages } = await runKeelson(["-p", ...STREAM, "--", "Start it"], { home, url: model.url });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(messages.filter(({ type }) => type === "result")).toMatchObject([{ result: "Started" }]);
  const after = messages.slice(messages.findIndex(({ type }) => type === "result") + 1);
  expect(after).toMatchObject([
    { subtype: "task_updated", patch: { status: "killed" } },
    {
      subtype: "task_notification",
      status: "stopped",
      summary: 'Background command "The long one" was stopped',
    },
    { subtype: "background_tasks_changed", tasks: [] },
  ]);
  expect(isRunning(Number(readFileSync(join(home.project, "pid"), "utf8")))).toBe(false);
});

test("several ends make one run, in the order in which they came", async () => {
  using home = temporaryHome();
  const { promise: read, resolve: mayAnswer } = Promise.withResolvers<void>();
  await using model = await startMockModel([
    { calls: ["one", "two"].map((name) => inBackground(untilGo(name), name).calls![0]!) },
    { text: "Started", hold: read, holdAfter: "first_block" },
    { text: "Both are done" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start both"));
  await model.waitForRequest(2);
  go(home, "two");
  const first = await running.waitForLine(({ subtype }) => subtype === "task_notification");
  go(home, "one");
  await running.waitForLine(({ subtype }) => subtype === "task_notification", { after: first });
  mayAnswer();
  await running.waitForLine(({ result }) => result === "Both are done");
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  expect(results(running).map(({ json }) => json.result)).toEqual(["Started", "Both are done"]);
  expect(said(model.requests[2]!).map(({ text }: any) => /command "(\w+)"/.exec(text)![1])).toEqual(["two", "one"]);
});

test("a prompt that waits is answered first, and a command that ends later still starts a run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("first"), "The first"),
    async () => {
      running.send(prompt("And another thing"));
      return { text: "Started" };
    },
    { text: "Another thing" },
    { text: "Done" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start it"));
  await running.waitForLine(({ result }) => result === "Another thing");
  go(home, "first");
  await running.waitForLine(({ result }) => result === "Done");
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  expect(results(running).map(({ json }) => json.origin?.kind)).toEqual([undefined, undefined, "task-notification"]);
});

test("the model can stop what it started, which starts no run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("never"), "The first"),
    ({ messages }) => {
      const id = /in background with ID: (\w+)/.exec(JSON.stringify(messages))![1]!;
      return { calls: [{ name: "TaskStop", input: { task_id: id } }] };
    },
    { text: "Stopped it" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start and stop"));
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  expect(results(running)).toHaveLength(1);
  expect(
    tasks(running.lines.map(({ json }) => json)).map(
      ({ subtype, status, patch }) => status ?? patch?.status ?? subtype,
    ),
  ).toEqual(["background_tasks_changed", "task_started", "killed", "stopped", "background_tasks_changed"]);
});

test("an interrupt stops a run that a notice started, and the session stays open", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    inBackground(untilGo("first")),
    { text: "Started" },
    { hang: true },
    { text: "Here" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Start it"));
  await running.waitForLine(({ type }) => type === "result");
  go(home, "first");
  await model.waitForRequest(3);
  running.send({ type: "control_request", request_id: "1", request: { subtype: "interrupt" } });
  const stopped = await running.waitForLine(({ subtype }) => subtype === "error_during_execution");
  expect(stopped.json).toMatchObject({ is_error: true, origin: { kind: "task-notification" } });
  running.send(prompt("Are you there?"));
  await running.waitForLine(({ result }) => result === "Here");
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  expect(messageProblems(spoken(model.requests[3]!))).toEqual([]);
});
