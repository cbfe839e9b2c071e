// Several sessions and front ends in one process.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load, type Flags } from "@keelson/config";
import {
  isResult,
  type ControlRequest,
  type ListedSession,
  type Outbound,
  type SessionClient,
} from "@keelson/protocol";
import { StoredSessions } from "@keelson/store/stored-sessions";
import { startMockModel, temporaryHome, transcriptFiles, type TemporaryHome } from "@keelson/testkit";
import { SessionDirectory } from "./directory.ts";
import type { WantedSession } from "./wanted-session.ts";

let home: TemporaryHome;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

const warnings: string[] = [];
const PERSISTED = { kind: "new", persist: true } as const;

/** A front end like `keelson -p` in a folder of the project. */
function wanted(
  url: string,
  { folder = "", flags = {}, ...more }: Partial<WantedSession> & { folder?: string; flags?: Flags } = {},
): WantedSession {
  const cwd = join(home.project, folder);
  mkdirSync(cwd, { recursive: true });
  const env = { ...home.env, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", CLAUDE_CODE_TMPDIR: home.root };
  return {
    front: "prompt",
    snapshot: load({
      cwd,
      home: home.home,
      env,
      flags,
      platform: process.platform,
      managedDir: join(home.root, "none"),
    }),
    entrypoint: "sdk-cli",
    session: PERSISTED,
    warn: (text) => void warnings.push(text),
    ...more,
  };
}

const ask = (client: SessionClient, content: string) =>
  client.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });

async function untilResult(client: SessionClient): Promise<readonly Outbound[]> {
  const seen: Outbound[] = [];
  for (;;) {
    const { value, done } = await client.messages[Symbol.asyncIterator]().next();
    if (done) throw new Error("The session ended without a result");
    seen.push(value);
    if (isResult(value)) return seen;
  }
}

const ALL = { permissions: true, requests: true };

async function nextQuestion(client: SessionClient): Promise<ControlRequest> {
  for (;;) {
    const { value, done } = await client.messages[Symbol.asyncIterator]().next();
    if (done) throw new Error("The session ended without a question");
    if (value.type === "control_request" && value.request.subtype === "can_use_tool") return value;
  }
}

const allow = (client: SessionClient, request_id: string) =>
  client.send({
    type: "control_response",
    response: { subtype: "success", request_id, response: { behavior: "allow" } },
  });

/** A resume that may be joined. */
const resuming = (target: string, refused: readonly string[] = []): Partial<WantedSession> => ({
  session: { kind: "resume", target, persist: true },
  join: { refused: () => refused, ownAnswers: false },
});

test("two sessions of different folders run at the same time, each with its own mode, rules, folder and transcript", async () => {
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const write = (file_path: string) => [{ calls: [{ name: "Write", input: { file_path, content: file_path } }] }];
  // Each answers once the other has been asked.
  await using one = await startMockModel([
    { ...write(join(home.project, "one/made.txt"))[0]!, hold: both[1].promise },
    { calls: [{ name: "Read", input: { file_path: join(home.project, "one/secret.txt") } }] },
    { text: "One is done." },
  ]);
  await using two = await startMockModel([
    { ...write(join(home.project, "two/made.txt"))[0]!, hold: both[0].promise },
    { calls: [{ name: "Read", input: { file_path: join(home.project, "two/secret.txt") } }] },
    { text: "Two is done." },
  ]);
  home.write("one/secret.txt", "first secret");
  home.write("two/secret.txt", "second secret");
  const directory = new SessionDirectory();
  const first = await directory.open(
    wanted(one.url, { folder: "one", flags: { permissionMode: "acceptEdits", disallowedTools: ["Read(secret.txt)"] } }),
  );
  const second = await directory.open(wanted(two.url, { folder: "two" }));
  expect(first.id).not.toBe(second.id);
  const answers = { permissions: false, requests: false };
  const clients = [first.attach({ answers }), second.attach({ answers })] as const;
  ask(clients[0], "begin one");
  ask(clients[1], "begin two");
  void one.waitForRequest(1).then(() => both[0].resolve());
  void two.waitForRequest(1).then(() => both[1].resolve());
  const [saidByOne, saidByTwo] = await Promise.all(clients.map(untilResult));

  expect([existsSync(join(home.project, "one/made.txt")), existsSync(join(home.project, "two/made.txt"))]).toEqual([
    true,
    false,
  ]);
  expect([...saidByOne!, ...saidByTwo!].filter(isResult)).toMatchObject([
    { result: "One is done.", session_id: first.id, permission_denials: [{ tool_name: "Read" }] },
    { result: "Two is done.", session_id: second.id, permission_denials: [{ tool_name: "Write" }] },
  ]);
  const requests = (model: typeof one) => JSON.stringify(model.requests.map(({ body }) => body));
  expect([requests(one).includes("first secret"), requests(two).includes("second secret")]).toEqual([false, true]);
  expect([requests(one).includes("begin two"), requests(two).includes("begin one")]).toEqual([false, false]);
  await directory.close("end_of_input");

  const texts = transcriptFiles(home).map((path) => readFileSync(path, "utf8"));
  expect(texts).toHaveLength(2);
  for (const [mine, other] of [
    ["begin one", "begin two"],
    ["begin two", "begin one"],
  ]) {
    expect(texts.find((each) => each.includes(mine!))).not.toContain(other!);
  }
  expect([directory.find(first.id), directory.find(second.id), warnings]).toEqual([undefined, undefined, []]);
});

test("a second front end shares a session that is open, and the last one that opened it ends it", async () => {
  await using model = await startMockModel([{ text: "First." }, { text: "Second." }]);
  const directory = new SessionDirectory();
  const terminal = await directory.open(wanted(model.url));
  const { id } = terminal;
  const atTerminal = terminal.attach();
  ask(atTerminal, "begin");
  await untilResult(atTerminal);

  const [page, again] = await Promise.all([
    directory.open(wanted(model.url, resuming(id))),
    directory.open(wanted(model.url, resuming(id))),
  ]);
  expect([page.id, again.id]).toEqual([id, id]);
  await again.close("terminate");
  const onPage = page.attach();
  ask(onPage, "more");
  for (const client of [onPage, atTerminal]) {
    expect((await untilResult(client)).at(-1)).toMatchObject({ result: "Second.", session_id: id });
  }
  await page.close("terminate");
  expect(await onPage.messages[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  expect(directory.find(id)?.id).toBe(id);
  await terminal.close("end_of_input");
  expect(directory.find(id)).toBeUndefined();
  expect(transcriptFiles(home)).toHaveLength(1);
});

test("a front end whose input ends reads the end of its prompts, and another one's session goes on", async () => {
  const held = Promise.withResolvers<void>();
  await using model = await startMockModel([
    { text: "First." },
    { text: "Second.", hold: held.promise },
    { text: "Third." },
    { text: "Fourth." },
  ]);
  const directory = new SessionDirectory();
  const terminal = await directory.open(wanted(model.url));
  const atTerminal = terminal.attach();
  ask(atTerminal, "begin");
  await untilResult(atTerminal);
  const routine = await directory.open(wanted(model.url, resuming(terminal.id)));
  const inRoutine = routine.attach();
  ask(inRoutine, "more");
  ask(inRoutine, "and more");
  const closing = routine.close("end_of_input");
  await model.waitForRequest(2);
  held.resolve();
  const seen = await Array.fromAsync(inRoutine.messages);
  expect(seen.filter(isResult).map(({ result }) => result)).toEqual(["Second.", "Third."]);
  await closing;
  ask(inRoutine, "too late");
  ask(atTerminal, "go on");
  for (const result of ["Second.", "Third.", "Fourth."])
    expect((await untilResult(atTerminal)).at(-1)).toMatchObject({ result });
  expect(model.requests).toHaveLength(4);
  await terminal.close("end_of_input");
  expect(directory.find(terminal.id)).toBeUndefined();
});

test("a front end whose input has ended is not waited for by a question", async () => {
  const write = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
  await using model = await startMockModel([{ text: "First." }, write, { text: "Second." }]);
  const directory = new SessionDirectory();
  const watching = await directory.open(wanted(model.url, { front: "stream", answers: ALL }));
  const starter = watching.attach();
  ask(starter, "begin");
  await untilResult(starter);
  starter.detach();
  const watcher = watching.attach({ role: "watcher" });
  const answering = await directory.open(wanted(model.url, resuming(watching.id)));
  const client = answering.attach();
  ask(client, "write");
  const question = await nextQuestion(client);
  await answering.close("end_of_input");
  expect((await untilResult(watcher)).at(-1)).toMatchObject({
    result: "Second.",
    permission_denials: [{ tool_name: "Write" }],
  });
  const left = await Array.fromAsync(client.messages);
  expect(left).toContainEqual({ type: "control_cancel_request", request_id: question.request_id });
  await watching.close("end_of_input");
});

test("a question waits for whoever attaches later and may answer, if the front end wants that", async () => {
  const write = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
  await using model = await startMockModel([write, { text: "Done." }, write, { text: "Again." }]);
  const directory = new SessionDirectory();
  const session = await directory.open(wanted(model.url, { front: "prompt", onNoAnswerer: "wait" }));
  const watcher = session.attach({ role: "watcher", view: { streamEvents: true } });
  const first = session.attach();
  ask(first, "write");
  const { request_id } = await nextQuestion(first);
  first.detach();
  expect(await directory.find(session.id)!.request("get_session_info")).toBeObject();
  const second = session.attach({ name: "phone" });
  expect((await nextQuestion(second)).request_id).toBe(request_id);
  allow(second, request_id);
  expect((await untilResult(second)).at(-1)).toMatchObject({ result: "Done.", permission_denials: [] });
  expect(readFileSync(join(home.project, "a.txt"), "utf8")).toBe("x");

  // No one who may answer is there when it asks.
  ask(second, "again");
  second.detach();
  for await (const message of watcher.messages)
    if ("state" in message && message.state === "requires_action" && model.requests.length === 3) break;
  const third = session.attach({ view: { streamEvents: true } });
  const asked = await nextQuestion(third);
  expect(asked.request_id).not.toBe(request_id);
  allow(third, asked.request_id);
  expect((await untilResult(third)).at(-1)).toMatchObject({ result: "Again.", permission_denials: [] });
  await session.close("end_of_input");
});

test("a session that ends no longer waits for an answer", async () => {
  const write = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
  await using model = await startMockModel([write, { text: "Denied." }]);
  const directory = new SessionDirectory();
  const session = await directory.open(wanted(model.url, { onNoAnswerer: "wait" }));
  const client = session.attach();
  ask(client, "write");
  await nextQuestion(client);
  client.detach();
  await session.close("end_of_input");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("stream closed before response received");
});

test("a session that is open is not opened twice by who cannot join it", async () => {
  await using model = await startMockModel([{ text: "First." }]);
  const directory = new SessionDirectory();
  const own = await directory.open(wanted(model.url));
  const client = own.attach();
  ask(client, "begin");
  await untilResult(client);
  const { join: _, ...unjoined } = resuming(own.id);
  expect(directory.open(wanted(model.url, unjoined))).rejects.toThrow(`Session ${own.id} is open in keelson -p`);
  expect(directory.open(wanted(model.url, resuming(own.id, ["--model"])))).rejects.toThrow("only without --model");
  // A session that is ending is opened once it has ended.
  const ending = own.close("end_of_input");
  const next = await directory.open(wanted(model.url, resuming(own.id)));
  await ending;
  expect([next.id, directory.find(own.id)?.id]).toEqual([own.id, own.id]);
  await directory.close("terminate");
});

test("close() also ends a session that is being opened", async () => {
  await using model = await startMockModel([]);
  const directory = new SessionDirectory();
  const opening = directory.open(wanted(model.url));
  await directory.close("terminate");
  const { id, attach } = await opening;
  expect(directory.find(id)).toBeUndefined();
  expect(await attach().messages[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
});

test("a session ends when it has had no client and no work for a while, not before", async () => {
  const held = Promise.withResolvers<void>();
  await using model = await startMockModel([{ text: "Late.", hold: held.promise }]);
  const directory = new SessionDirectory();
  const closeIdleAfterMs = 30;
  const session = await directory.open({ ...wanted(model.url), closeIdleAfterMs });
  const watching = await directory.open({ ...wanted(model.url, { folder: "other" }), closeIdleAfterMs });
  const watcher = watching.attach();
  const client = session.attach();
  ask(client, "begin");
  await model.waitForRequest(1);
  client.detach();
  // Nobody listens, but it works.
  await Bun.sleep(100);
  expect(directory.find(session.id)?.id).toBe(session.id);
  held.resolve();
  while (directory.find(session.id)) await new Promise(setImmediate);
  // Somebody listens.
  expect(directory.find(watching.id)?.id).toBe(watching.id);
  watcher.detach();
  while (directory.find(watching.id)) await new Promise(setImmediate);
  expect(readFileSync(transcriptFiles(home)[0]!, "utf8")).toContain("Late.");
});

test("list() has open sessions before they have a transcript; a client sees and names those of its process", async () => {
  await using model = await startMockModel([{ text: "First." }]);
  const directory = new SessionDirectory();
  const first = await directory.open(wanted(model.url));
  const client = first.attach();
  ask(client, "begin");
  await untilResult(client);
  const second = await directory.open(wanted(model.url));
  const away = await directory.open(wanted(model.url, { folder: "away" }));
  const stored = new StoredSessions({ configDir: home.configDir, cwd: home.project });
  /** Sorted by id, because the clock of files is coarser than ours. */
  const shown = (sessions: readonly ListedSession[]) =>
    sessions
      .map(({ sessionId, summary, live }) => ({ sessionId, summary, live }))
      .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const listed = async (allProjects: boolean) =>
    shown(await directory.list(stored, { cwd: home.project, allProjects }));
  const here = { live: true, summary: "", fileSize: 0, lastModified: 0 };
  const ours = [
    { ...here, sessionId: second.id },
    { ...here, sessionId: first.id, summary: "begin" },
  ];
  expect(await listed(false)).toEqual(shown(ours));
  expect(await listed(true)).toEqual(shown([{ ...here, sessionId: away.id }, ...ours]));

  const found = directory.find(away.id)!;
  await found.request("rename_session", { session_id: first.id, title: "The first" });
  const { sessions, total } = await found.request("list_sessions", { all_projects: true, limit: 5 });
  expect([sessions.find(({ sessionId }) => sessionId === first.id)?.summary, total]).toEqual(["The first", 2]);
  expect(await directory.find(first.id)!.request("get_session_info")).toMatchObject({ title: "The first" });
  await directory.close("terminate");
});
