// A session that is open in one process and opened in another: the second one is told who has it, or becomes its client.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { thisMachine } from "@keelson/disk/lease";
import { until } from "../processes.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];
const LIVE = [...STREAM, "--input-format", "stream-json"];

const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });
const isResult = (json: { type?: string }) => json.type === "result";
const leaseOf = (home: TemporaryHome) => transcriptFiles(home)[0]!.replace(/\.jsonl$/, ".owner");
const folderOf = (home: TemporaryHome) => dirname(transcriptFiles(home)[0]!);

/** Lines that an owner has said about itself. */
const said = (path: string): Record<string, unknown> =>
  Object.assign(
    {},
    ...readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );

/** A reply that is held until the test lets it go. */
function held(text: string) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const step = async (): Promise<ScriptedReply> => {
    reached.resolve();
    await gate.promise;
    return { text };
  };
  return { step, reached: reached.promise, release: () => gate.resolve() };
}

/** A session with one turn, open in a program that reads prompts from its input. */
async function openSession(home: TemporaryHome, url: string) {
  const owner = startKeelson([...LIVE, "--session-id", ID], { home, url, stdin: "open" });
  owner.send(prompt("First"));
  await owner.waitForLine(isResult);
  return owner;
}

test("a second opener of a one-shot run is told who has the session, and --fork-session copies it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }]);
  await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
  const running = held("Two");
  await using slow = await startMockModel([running.step]);
  await using owner = startKeelson(["-p", "--resume", ID, "Second"], { home, url: slow.url });
  await running.reached;
  expect(said(leaseOf(home))).toMatchObject({ pid: owner.pid, name: "keelson -p", listens: false });
  expect(statSync(leaseOf(home)).mode & 0o777).toBe(0o600);
  const prompts = () => readTranscript(home).filter(({ type }) => type === "user" || type === "queue-operation");
  const before = prompts();

  const where = `Session ${ID} is open in keelson -p (process ${owner.pid}, since `;
  for (const args of [["--resume", ID], ["--continue"], ["--resume", ID, "--model", "opus"]]) {
    const second = await runKeelson(["-p", ...args, "Third"], { home, url: slow.url });
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toStartWith(where);
    expect(second.stderr).toEndWith("). End it there, or add --fork-session to continue a copy\n");
  }
  const streamed = await runKeelson([...STREAM, "--resume", ID, "Third"], { home, url: slow.url });
  expect(streamed.messages).toMatchObject([
    { type: "result", is_error: true, errors: [expect.stringContaining(where)] },
  ]);
  const same = await runKeelson(["-p", "--session-id", ID, "Third"], { home, url: slow.url });
  expect(same).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Session ID .* is already in use\./) });
  expect(prompts()).toEqual(before);

  await using other = await startMockModel([{ text: "Copied" }]);
  const fork = await runKeelson(["-p", "--resume", ID, "--fork-session", "Third"], { home, url: other.url });
  expect(fork).toMatchObject({ code: 0, stdout: "Copied\n", stderr: "" });

  running.release();
  expect(await owner.done).toMatchObject({ code: 0, stdout: "Two\n" });
  expect(readdirSync(folderOf(home)).filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
  expect(transcriptFiles(home)).toHaveLength(2);
});

test("a second opener of a session that takes prompts becomes its client, and gets what belongs to its prompt", async () => {
  using home = temporaryHome();
  const busy = held("Busy");
  await using model = await startMockModel([
    { text: "One" },
    busy.step,
    { text: "Two" },
    { text: "Three" },
    { text: "Four" },
  ]);
  await using owner = await openSession(home, model.url);
  owner.send(prompt("Keeps it busy"));
  await busy.reached;
  await using second = startKeelson(["-p", "--continue", "From elsewhere"], { home, url: "http://127.0.0.1:1" });
  const told = await owner.waitForLine((json) => json.type === "command_lifecycle" && json.state === "queued");
  expect(told.json).toBeDefined();
  busy.release();
  expect(await second.done).toMatchObject({
    code: 0,
    stdout: "Two\n",
    stderr: expect.stringMatching(/is open in keelson -p with input \(process \d+, since .*\); attached to it\n$/),
  });

  const json = await runKeelson(["-p", "--resume", ID, "--output-format", "json", "Once more"], { home });
  expect(JSON.parse(json.stdout)).toMatchObject({ type: "result", result: "Three", session_id: ID });
  const streamed = await runKeelson([...STREAM, "--resume", ID, "Again"], { home });
  expect(streamed.messages.filter(isResult)).toMatchObject([{ result: "Four" }]);
  expect(streamed.messages.some(({ type }) => type === "assistant")).toBe(true);

  const refused = await runKeelson(["-p", "--resume", ID, "--model", "opus", "--max-turns", "3", "No"], { home });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("only without --model, --max-turns; leave that out, or add --fork-session");

  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
  const [path] = transcriptFiles(home);
  expect(transcriptFiles(home)).toHaveLength(1);
  expect(chainProblems(readTranscript(home))).toEqual([]);
  expect(readdirSync(folderOf(home))).toEqual([basename(path!)]);
  expect(
    readdirSync(join(home.root, "tmp"), { recursive: true }).filter((name) => String(name).endsWith(".sock")),
  ).toEqual([]);
});

test("two programs with stream input drive one session, and the end of the second is not the session's", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
  await using owner = await openSession(home, model.url);
  await using second = startKeelson([...LIVE, "--resume", ID], { home, stdin: "open" });
  second.send({ type: "control_request", request_id: "req_1", request: { subtype: "initialize" } });
  await second.waitForLine((json) => json.type === "control_response" && json.response.request_id === "req_1");
  second.send(prompt("Second"));
  const last = await second.waitForLine(isResult);
  expect(last.json).toMatchObject({ result: "Two" });
  await owner.waitForLine((json) => isResult(json) && json.result === "Two");
  second.closeStdin();
  expect((await second.done).code).toBe(0);
  owner.send(prompt("Third"));
  await owner.waitForLine((json) => isResult(json) && json.result === "Three");
});

test("an owner that is killed blocks no one, and its socket goes away", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  const owner = await openSession(home, model.url);
  await until(() => said(leaseOf(home))["socket"] !== undefined);
  const { socket } = said(leaseOf(home));
  expect(statSync(String(socket)).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(String(socket))).mode & 0o777).toBe(0o700);
  owner.kill("SIGKILL");
  await owner.done;
  expect([existsSync(leaseOf(home)), existsSync(String(socket))]).toEqual([true, true]);
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(String(socket), aMinuteAgo, aMinuteAgo);
  const next = startKeelson([...LIVE, "--resume", ID], { home, url: model.url, stdin: "open" });
  await using _next = next;
  next.send(prompt("Second"));
  expect((await next.waitForLine(isResult)).json).toMatchObject({ result: "Two" });
  expect(said(leaseOf(home))).toMatchObject({ pid: next.pid });
  await until(() => !existsSync(String(socket)));
});

test("the owner is killed while a client waits: the client says so", async () => {
  using home = temporaryHome();
  const busy = held("Never");
  await using model = await startMockModel([{ text: "One" }, busy.step]);
  await using owner = await openSession(home, model.url);
  await using second = startKeelson(["-p", "--resume", ID, "Second"], { home });
  await busy.reached;
  owner.kill("SIGKILL");
  expect(await second.done).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(
      "error: the session was ended by the program that had it open; to continue it, run: keelson",
    ),
  });
});

test("an owner that is killed before it names itself blocks no one either", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await runKeelson([...STREAM, "--session-id", ID, "First"], { home, url: model.url });
  writeFileSync(leaseOf(home), "");
  const { code, stderr } = await runKeelson([...STREAM, "--resume", ID, "Second"], { home, url: model.url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(existsSync(leaseOf(home))).toBe(false);
});

test("a lease that names another process with the same id does not count", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
  const machine = thisMachine();
  const stale = {
    pid: process.pid,
    procStart: "1",
    machine,
    since: 0,
    name: "a terminal",
    listens: true,
    socket: "/s",
  };
  writeFileSync(leaseOf(home), `${JSON.stringify(stale)}\n`);
  const ended = await runKeelson(["-p", "--resume", ID, "Second"], { home, url: model.url });
  expect(ended).toMatchObject({ code: 0, stdout: "Two\n", stderr: "" });
  expect(existsSync(leaseOf(home))).toBe(false);
});

test("a cleared session is free, and the new one is the owner's", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
  await using owner = await openSession(home, model.url);
  const [first] = transcriptFiles(home);
  owner.send(prompt("/clear"));
  await owner.waitForLine((json) => json.type === "conversation_reset");
  owner.send(prompt("Second"));
  await owner.waitForLine((json) => isResult(json) && json.result === "Two");
  const second = transcriptFiles(home).find((path) => path !== first)!;
  const leaseBeside = (path: string) => path.replace(/\.jsonl$/, ".owner");
  expect([existsSync(leaseBeside(first!)), said(leaseBeside(second))["pid"]]).toEqual([false, owner.pid]);
  const other = await runKeelson(["-p", "--resume", ID, "Third"], { home, url: model.url });
  expect(other).toMatchObject({ code: 0, stdout: "Three\n", stderr: "" });
});

test("a session that cannot be locked goes on, with one warning", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await runKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url });
  mkdirSync(leaseOf(home));
  const ended = await runKeelson(["-p", "--resume", ID, "Second"], { home, url: model.url });
  expect([ended.code, ended.stdout]).toEqual([0, "Two\n"]);
  expect(ended.stderr).toMatch(
    /^warning: another program can open this session at the same time, because it cannot be locked \(.+\)\n$/,
  );
  expect(readTranscript(home).filter(({ type }) => type === "assistant")).toHaveLength(2);
});

test("of many programs that want the same new session ID at once, one gets it", async () => {
  using home = temporaryHome();
  const first = held("One");
  await using model = await startMockModel([first.step]);
  const all = Array.from({ length: 4 }, () =>
    startKeelson(["-p", "--session-id", ID, "First"], { home, url: model.url }),
  );
  await first.reached;
  let left = all.length;
  for (const { done } of all) void done.then(() => (--left === 1 ? first.release() : undefined));
  const ended = await Promise.all(all.map(({ done }) => done));
  expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1]);
  for (const { code, stderr } of ended) if (code === 1) expect(stderr).toContain(`Session ID ${ID} is already in use.`);
  expect(model.requests).toHaveLength(1);
});
