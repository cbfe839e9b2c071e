// Language servers as programs: what they are told and asked.

import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { isAlive, until } from "../alive.test-support.ts";
import { languageWorld, never } from "./world.test-support.ts";

test("a server is started with the first question, told of the folder, asked, and ended in order", async () => {
  await using w = languageWorld();
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
  await using w = languageWorld();
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
  await using w = languageWorld({ mayRead: (path) => !path.endsWith(hidden || "secret.fake") });
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
  await using w = languageWorld({ fake: { encoding: "utf-8" } });
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
  await using w = languageWorld({
    fake: { asks },
    server: { settings: { a: { b: 1 } }, initializationOptions: { x: 1 } },
  });
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

test("a feature that a server does not have is an error at once", async () => {
  await using w = languageWorld({ fake: { capabilities: { implementationProvider: false } } });
  w.write("a.fake", "def one\n");
  expect(await w.fails("goToImplementation", "a.fake")).toBe("unsupported: It does not support goToImplementation");
});

test("each folder has its own server, and at most eight run", async () => {
  await using w = languageWorld();
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

test("at most 64 documents are open; the one used longest ago is closed", async () => {
  await using w = languageWorld();
  for (let n = 0; n < 65; n++) {
    w.write(`${n}.fake`, `def name${n}\n`);
    await w.ask("documentSymbol", `${n}.fake`);
  }
  await until(() => w.messages("textDocument/didClose").length === 1, "one was closed");
  expect(w.messages("textDocument/didClose")[0].params.textDocument.uri).toBe(`file://${w.path("0.fake")}`);
});

test.each([
  [null],
  [7],
  ["text"],
  [{}],
  [[null, 7, {}, []]],
  [{ contents: [[[]]] }],
  [[{ uri: 7, range: {} }]],
  [[{ name: "x", kind: "y" }]],
])("no answer is taken on trust: %j finds nothing and harms nothing", async (answer) => {
  const methods = ["definition", "references", "hover", "documentSymbol", "prepareCallHierarchy"];
  const answers = Object.fromEntries(methods.map((name) => [`textDocument/${name}`, answer]));
  await using w = languageWorld({ fake: { answers: { ...answers, "callHierarchy/incomingCalls": answer } } });
  w.write("a.fake", "def one\n");
  const found = await Promise.all([
    w.ask("goToDefinition", "a.fake"),
    w.ask("findReferences", "a.fake"),
    w.ask("hover", "a.fake"),
    w.ask("documentSymbol", "a.fake"),
    w.ask("prepareCallHierarchy", "a.fake"),
    w.ask("incomingCalls", "a.fake"),
  ]);
  expect(
    found.flatMap(({ places = [], symbols = [], calls = [], hover = "" }) => [
      ...places,
      ...symbols,
      ...calls,
      ...hover,
    ]),
  ).toEqual([]);
});
