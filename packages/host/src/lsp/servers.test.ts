// Language servers as programs: a session's questions, and everything that can go wrong with a server.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, type CodeOperation, type ConfiguredLanguageServer } from "@keelson/protocol";
import { isAlive, until } from "../alive.test-support.ts";
import type { FakeLanguageServer } from "./fake-server.test-support.ts";
import { createLanguageServers, type LanguageServersOptions } from "./servers.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-lsp-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const never = new AbortController().signal;
let count = 0;

interface WorldOptions extends Partial<Pick<LanguageServersOptions, "mayRead" | "machine">> {
  readonly fake?: Partial<FakeLanguageServer>;
  readonly server?: Partial<ConfiguredLanguageServer>;
}

function world({ fake = {}, server = {}, mayRead = () => true, machine }: WorldOptions = {}) {
  const root = join(place, `project-${++count}`);
  const log = join(place, `log-${count}`);
  mkdirSync(root);
  const script = JSON.stringify({ log, ...fake });
  const configured: ConfiguredLanguageServer = {
    name: "fake",
    scope: "user",
    command: process.execPath,
    args: [join(import.meta.dir, "fake-server.test-support.ts"), script],
    env: { FROM_ENTRY: "1" },
    languages: { ".fake": "fakelang" },
    startupTimeoutMs: 60_000,
    shutdownTimeoutMs: 5_000,
    requestTimeoutMs: 60_000,
    maxRestarts: 3,
    memoryLimitMb: 4_096,
    diagnostics: true,
    ...server,
  };
  const logged: string[] = [];
  const servers = createLanguageServers({
    servers: () => [configured],
    environment: () => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin" }),
    mayRead,
    log: (text) => void logged.push(text()),
    ...(machine ? { machine } : {}),
  });
  const path = (name: string) => join(root, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  const notes = (): any[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  const messages = (method: string) => notes().filter((each) => each.method === method);
  const pids = () =>
    notes().flatMap((each) => (isObject(each) && typeof each["pid"] === "number" ? [each["pid"]] : []));
  const ask = (operation: CodeOperation, name: string, line = 1, character = 1, signal: AbortSignal = never) =>
    servers.ask({ operation, path: path(name), position: { line: line - 1, character: character - 1 } }, root, signal);
  const fails = (...question: Parameters<typeof ask>) =>
    ask(...question).then(
      () => "answered",
      ({ kind, message }) => `${kind}: ${message}`,
    );
  const edit = (name: string, before: string | undefined, after: string) => {
    write(name, after);
    servers.edited({ path: path(name), before, after }, root);
  };
  const problems = () => servers.takeNewProblems(() => true);
  return {
    root,
    log,
    servers,
    path,
    write,
    notes,
    messages,
    pids,
    ask,
    fails,
    edit,
    problems,
    logged,
    [Symbol.asyncDispose]: () => servers.close(),
  };
}

test("a server is started with the first question, told of the folder, asked, and ended in order", async () => {
  await using w = world();
  w.write("a.fake", "def one\none two\n");
  expect(w.servers.status()).toEqual([]);
  expect(w.notes()).toEqual([]);
  expect(await w.ask("goToDefinition", "a.fake", 2, 1)).toEqual({
    encoding: "utf-16",
    word: "one",
    places: [{ path: w.path("a.fake"), line: 0, character: 4 }],
  });
  expect(w.servers.status()).toMatchObject([{ name: "fake", root: w.root, state: "running", restarts: 0 }]);
  expect(w.notes()[0]).toMatchObject({ cwd: w.root, env: { FROM_ENTRY: "1" } });
  const { params } = w.messages("initialize")[0];
  expect(params).toMatchObject({
    processId: process.pid,
    rootUri: `file://${w.root}`,
    workspaceFolders: [{ uri: `file://${w.root}` }],
    capabilities: { general: { positionEncodings: ["utf-16"] } },
  });
  const pid = w.pids()[0]!;
  await w.servers.close();
  expect(
    w
      .notes()
      .slice(-2)
      .map(({ method }) => method),
  ).toEqual(["shutdown", "exit"]);
  expect(isAlive(pid)).toBe(false);
});

test("documents follow the files on disk, and changes of other files are reported", async () => {
  await using w = world();
  w.write("a.fake", "def one\n");
  w.write("b.fake", "one\n");
  await w.ask("documentSymbol", "a.fake");
  w.write("a.fake", "def other\n");
  w.write("b.fake", "one two\n");
  w.write("deep/c.fake", "def three\n");
  w.write("node_modules/d.fake", "def four\n");
  expect(await w.ask("documentSymbol", "a.fake")).toMatchObject({ symbols: [{ name: "other" }] });
  expect(w.messages("textDocument/didChange").map(({ params }) => params)).toEqual([
    { textDocument: { uri: `file://${w.path("a.fake")}`, version: 2 }, contentChanges: [{ text: "def other\n" }] },
  ]);
  rmSync(w.path("a.fake"));
  rmSync(w.path("b.fake"));
  await w.ask("documentSymbol", "deep/c.fake");
  expect(w.messages("textDocument/didClose").map(({ params }) => params.textDocument.uri)).toEqual([
    `file://${w.path("a.fake")}`,
  ]);
  expect(
    w
      .messages("workspace/didChangeWatchedFiles")
      .map(({ params }) => params.changes.toSorted((a: any, b: any) => (a.uri < b.uri ? -1 : 1))),
  ).toEqual([
    [
      { uri: `file://${w.path("b.fake")}`, type: 2 },
      { uri: `file://${w.path("deep/c.fake")}`, type: 1 },
    ],
    [
      { uri: `file://${w.path("a.fake")}`, type: 3 },
      { uri: `file://${w.path("b.fake")}`, type: 3 },
    ],
  ]);
});

test("a file that rules hide is never sent, and one that they hide later is closed", async () => {
  let hidden = "";
  await using w = world({ mayRead: (path) => !path.endsWith(hidden || "secret.fake") });
  w.write("secret.fake", "def password\n");
  w.write("a.fake", "def one\n");
  expect(await w.fails("hover", "secret.fake")).toBe(
    `file: "${w.path("secret.fake")}" is not a file that can be opened`,
  );
  await w.ask("hover", "a.fake", 1, 5);
  w.write("secret.fake", "def password changed\n");
  await w.ask("hover", "a.fake", 1, 5);
  expect(JSON.stringify(w.notes())).not.toContain("secret.fake");
  hidden = "a.fake";
  await w.fails("hover", "a.fake");
  await until(() => w.messages("textDocument/didClose").length === 1, "it was closed");
});

test("positions are sent in the unit that the server chose, and a line past the end is an error", async () => {
  await using w = world({ fake: { encoding: "utf-8" } });
  w.write("a.fake", "def one\nä𝒳 one\n");
  await w.ask("hover", "a.fake", 2, 5);
  expect(w.messages("textDocument/hover")[0].params.position).toEqual({ line: 1, character: 7 });
  expect(await w.fails("hover", "a.fake", 9)).toBe("file: Line 9 is past the end of the file, which has 3 lines");
});

test("what a server asks is answered; it edits nothing and opens nothing", async () => {
  const asks = [
    { method: "workspace/configuration", params: { items: [{ section: "a.b" }, { section: "none" }, {}] } },
    { method: "workspace/applyEdit", params: { edit: { changes: {} } } },
    { method: "window/showMessageRequest", params: { type: 1, message: "Delete all?", actions: [{ title: "Yes" }] } },
    { method: "window/showDocument", params: { uri: "https://example.com" } },
    { method: "client/registerCapability", params: { registrations: [{ id: "1", method: "x" }] } },
    { method: "window/workDoneProgress/create", params: { token: 1 } },
    { method: "workspace/workspaceFolders", params: null },
    { method: "workspace/executeCommand", params: { command: "rm" } },
  ];
  await using w = world({ fake: { asks }, server: { settings: { a: { b: 1 } }, initializationOptions: { x: 1 } } });
  w.write("a.fake", "def one\n");
  await w.ask("hover", "a.fake", 1, 5);
  await until(
    () => w.notes().filter(({ id }) => String(id).startsWith("ask")).length === asks.length,
    "all answers came",
  );
  const answers = w.notes().filter(({ id }) => String(id).startsWith("ask"));
  expect(answers.map(({ result, error }) => (error === undefined ? result : error.message))).toEqual([
    [1, null, { a: { b: 1 } }],
    { applied: false, failureReason: "Files are edited only by the user's own tools" },
    null,
    { success: false },
    null,
    null,
    [{ uri: `file://${w.root}`, name: w.root.split("/").at(-1) }],
    '"workspace/executeCommand" is not supported',
  ]);
  expect(w.messages("initialize")[0].params.initializationOptions).toEqual({ x: 1 });
  expect(w.messages("workspace/didChangeConfiguration")[0].params).toEqual({ settings: { a: { b: 1 } } });
});

test("a server that ends while it works on an answer is started again and asked once more", async () => {
  const once = join(place, "died-once");
  await using w = world({ fake: { diesOn: { method: "textDocument/hover", once } } });
  w.write("a.fake", "def one\n");
  expect(await w.ask("hover", "a.fake", 1, 5)).toMatchObject({ hover: `**one** in ${w.path("a.fake")}` });
  expect(w.pids()).toHaveLength(2);
  expect(w.servers.status()).toMatchObject([
    { state: "running", restarts: 1, reason: "The program exited with code 9" },
  ]);
});

test("a server that is killed while it works is started again", async () => {
  await using w = world({ fake: { ignores: ["textDocument/hover"] } });
  w.write("a.fake", "def one\n");
  const stop = new AbortController();
  const asked = w.fails("hover", "a.fake", 1, 5, stop.signal);
  await until(() => w.messages("textDocument/hover").length === 1, "it was asked");
  process.kill(w.pids()[0]!, "SIGKILL");
  await until(() => w.messages("textDocument/hover").length === 2, "the next one was asked");
  expect(w.pids()).toHaveLength(2);
  stop.abort();
  expect(await asked).toBe("cancelled: The request was cancelled");
  await until(() => w.messages("$/cancelRequest").length === 1, "the server heard of it");
});

test("a server that always ends is started a limited number of times, with pauses between", async () => {
  const pauses: number[] = [];
  const wait = async (ms: number, signal?: AbortSignal) => void (signal && pauses.push(ms));
  await using w = world({
    fake: { diesOn: { method: "textDocument/hover" } },
    server: { maxRestarts: 2 },
    machine: { wait },
  });
  w.write("a.fake", "def one\n");
  const ended = "closed: The program exited with code 9";
  const givenUp = "start: It ended 3 times and is not started again: The program exited with code 9";
  expect([
    await w.fails("hover", "a.fake"),
    await w.fails("hover", "a.fake"),
    await w.fails("hover", "a.fake"),
  ]).toEqual([ended, givenUp, givenUp]);
  expect(pauses).toEqual([250, 500]);
  expect(w.pids()).toHaveLength(3);
  expect(w.servers.status()).toMatchObject([{ state: "failed", restarts: 3 }]);
});

test("a server that ends right after the handshake, or with an edit, is an error and no endless loop", async () => {
  const wait = async () => undefined;
  await using w = world({ fake: { diesOn: { method: "initialized" } }, server: { maxRestarts: 2 }, machine: { wait } });
  w.write("a.fake", "def one\n");
  const said = [await w.fails("hover", "a.fake"), await w.fails("hover", "a.fake")];
  expect(said[1]).toBe("start: It ended 3 times and is not started again: The program exited with code 9");
  await using v = world({
    fake: { pulls: true, diesOn: { method: "textDocument/didChange" } },
    server: { maxRestarts: 1 },
    machine: { wait },
  });
  for (const name of ["a.fake", "b.fake", "c.fake", "d.fake"]) v.edit(name, "", "BAD\n");
  await until(() => v.servers.status()[0]?.state === "failed", "it was given up");
  expect(v.pids()).toHaveLength(2);
});

test("a server that cannot start says why: not there, ended at once, no handshake, not a language server", async () => {
  await using missing = world({ server: { command: "no-such-language-server" } });
  missing.write("a.fake", "");
  expect(await missing.fails("hover", "a.fake")).toBe(
    `start: Program not found: "no-such-language-server". Install it, or correct the server's command`,
  );
  await using ended = world({ fake: { exitsAtOnce: true } });
  ended.write("a.fake", "");
  expect(await ended.fails("hover", "a.fake")).toBe("start: The program exited with code 3 (stderr: cannot go on)");
  await using silent = world({ fake: { ignores: ["initialize"] }, server: { startupTimeoutMs: 100 } });
  silent.write("a.fake", "");
  expect(await silent.fails("hover", "a.fake")).toBe("start: It did not answer initialize within 0.1 s");
  await until(() => silent.pids().every((pid) => !isAlive(pid)), "it was ended");
  await using garbage = world({ fake: { prints: "No such option\n" } });
  garbage.write("a.fake", "");
  expect(await garbage.fails("hover", "a.fake")).toBe(
    'start: It printed "No such option\\n", which is not a message of a language server; its command may need an option such as --stdio',
  );
  await until(() => garbage.pids().every((pid) => !isAlive(pid)), "it was ended, too");
});

test("a server that does not answer is given up on, and answers the next question", async () => {
  await using w = world({ fake: { ignores: ["textDocument/hover"] }, server: { requestTimeoutMs: 50 } });
  w.write("a.fake", "def one\n");
  expect(await w.fails("hover", "a.fake", 1, 5)).toBe("timeout: It did not answer textDocument/hover within 0.1 s");
  expect(w.messages("textDocument/hover")).toHaveLength(1);
  await until(() => w.messages("$/cancelRequest").length === 1, "it was told");
  expect(w.pids()).toHaveLength(1);
});

test("a server that never stops talking is heard out, and other work goes on", async () => {
  await using w = world({ fake: { floods: 50_000 } });
  w.write("a.fake", "def one\n");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await w.ask("hover", "a.fake", 1, 5);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

test("a feature that a server does not have is an error at once", async () => {
  await using w = world({ fake: { capabilities: { implementationProvider: false } } });
  w.write("a.fake", "def one\n");
  expect(await w.fails("goToImplementation", "a.fake")).toBe("unsupported: It does not support goToImplementation");
});

test("a server over its memory limit is started again, and the question is answered", async () => {
  const looks = new Set<() => void>();
  const every = (_: number, look: () => void) => {
    looks.add(look);
    return () => void looks.delete(look);
  };
  const once = join(place, "was-large");
  await using w = world({ fake: { memory: { mb: 300, once } }, server: { memoryLimitMb: 200 }, machine: { every } });
  w.write("a.fake", "def one\n");
  await w.ask("hover", "a.fake", 1, 5);
  await until(() => w.notes().some(({ ballast }) => ballast), "it is large");
  for (const look of looks) look();
  await until(() => w.servers.status()[0]!.state !== "running", "it was ended");
  expect(await w.ask("hover", "a.fake", 1, 5)).toMatchObject({ word: "one" });
  expect(w.pids()).toHaveLength(2);
  expect(w.servers.status()[0]!.reason).toMatch(/^It used [3-9]\d\d MB of memory, more than its limit of 200 MB$/);
  for (const look of looks) look();
  expect(w.servers.status()).toMatchObject([{ state: "running", restarts: 1 }]);
});

test("close() ends servers that ignore signals and the end of their input, and those that are starting", async () => {
  const deaf = world({
    fake: { ignoresSignals: true, ignores: ["shutdown", "exit"] },
    server: { shutdownTimeoutMs: 10 },
  });
  deaf.write("a.fake", "def one\n");
  await deaf.ask("hover", "a.fake", 1, 5);
  const starting = world({ fake: { ignores: ["initialize"], ignoresSignals: true } });
  starting.write("a.fake", "");
  const asked = starting.fails("hover", "a.fake");
  await until(() => starting.messages("initialize").length === 1, "it is starting");
  await Promise.all([deaf.servers.close(), starting.servers.close()]);
  expect([...deaf.pids(), ...starting.pids()].map(isAlive)).toEqual([false, false]);
  expect(await asked).toStartWith("start: ");
  expect(await starting.fails("hover", "a.fake")).toStartWith("start: The session is closing");
});

test("each folder has its own server, and at most eight run", async () => {
  await using w = world();
  for (let n = 0; n < 9; n++) {
    w.write(`${n}/a.fake`, "def one\n");
    await w.servers.ask(
      { operation: "hover", path: w.path(`${n}/a.fake`), position: { line: 0, character: 5 } },
      w.path(`${n}`),
      never,
    );
  }
  expect(w.pids()).toHaveLength(9);
  expect(w.servers.status().map(({ root }) => root)).toEqual(Array.from({ length: 8 }, (_, n) => w.path(`${n + 1}`)));
  await until(() => !isAlive(w.pids()[0]!), "the oldest was ended");
});

const KINDS = [
  ["publishes", {}],
  ["publishes twice", { publishesTwice: true }],
  ["is asked for problems", { pulls: true }],
] as const;

test.each(KINDS)(
  "what edits bring is new, once, and not what was fixed meanwhile: a server that %s",
  async (_, fake) => {
    await using w = world({ fake });
    const first = "BAD\nrest\n";
    w.write("a.fake", first);
    w.edit("a.fake", first, "x\nBAD\nBAD\nODD\n");
    let found: readonly any[] = [];
    const taken = () => (found = w.problems()).length > 0;
    await until(taken, "the problems came");
    const about = { source: "fake", code: "7" };
    expect(found).toEqual([
      {
        path: w.path("a.fake"),
        problems: [
          { line: 2, character: 0, severity: "error", message: "BAD is not allowed", ...about },
          { line: 3, character: 0, severity: "warning", message: "ODD is not allowed", ...about },
        ],
      },
    ]);
    expect(w.problems()).toEqual([]);

    w.edit("a.fake", "x\nBAD\nBAD\nODD\n", "fine\n");
    w.edit("a.fake", "fine\n", "fine\nODD\n");
    w.edit("new.fake", undefined, "BAD\n");
    await until(() => w.problems().some(({ path }) => path.endsWith("new.fake")), "a new file has only new problems");
    // Of two edits that wait, the server hears of the last.
    expect(w.messages("textDocument/didSave")).toHaveLength(3);
  },
);

test("problems are not looked for if the server's entry says so", async () => {
  await using w = world({ server: { diagnostics: false } });
  w.edit("a.fake", "", "BAD\n");
  await w.ask("hover", "a.fake");
  expect(w.messages("textDocument/didSave")).toEqual([]);
});
