// What a hostile or broken editor may send: every request gets its reply, the connection lives, and memory stays bounded.

import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { saidIn, startEditor, type Editor } from "./editor.ts";

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const MEGABYTE = "x".repeat(1024 * 1024);

/** The most memory that the program has had, in MB. */
const peakOf = ({ program }: Editor) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, "utf8"))![1]) / 1024;

test("folders that are relative, missing, no folders, or of another system are wrong parameters; links are folders", async () => {
  using home = temporaryHome();
  const file = home.write("file", "x");
  const link = join(home.root, "link");
  symlinkSync(home.project, link);
  await using editor = await startEditor({ home });
  const open = (params: object) =>
    editor.request("session/new", { cwd: home.project, mcpServers: [], ...params }).then(({ error, result }) => ({
      code: error?.code,
      message: error?.message,
      sessionId: result?.sessionId,
    }));
  const wrong: [object, string][] = [
    [{ cwd: "." }, "absolute"],
    [{ cwd: "~" }, "absolute"],
    [{ cwd: "file:///tmp" }, "absolute"],
    [{ cwd: "C:\\x" }, "absolute"],
    [{ cwd: "\\\\server\\x" }, "absolute"],
    [{ cwd: `${home.project}\0` }, "absolute"],
    [{ cwd: 5 }, "string"],
    [{ cwd: join(home.project, "none") }, "no folder"],
    [{ cwd: file }, "not a folder"],
    [{ cwd: "/dev/null" }, "not a folder"],
    [{ cwd: `/${"a/".repeat(5_000)}` }, "cannot be opened"],
    [{ additionalDirectories: [file] }, "not a folder"],
    [{ additionalDirectories: ["/none/at/all"] }, "no folder"],
    [{ additionalDirectories: [5] }, "list of strings"],
    [{ additionalDirectories: Array.from({ length: 5_000 }, () => "/") }, "at most 200"],
  ];
  for (const [params, said] of wrong) {
    const { code, message } = await open(params);
    expect([params, code, message]).toEqual([params, -32602, expect.stringContaining(said)]);
    expect(message.length).toBeLessThan(400);
  }
  for (const cwd of [link, `${home.project}/../project/`]) expect((await open({ cwd })).sessionId).toBeString();
});

test("servers that cannot be, and more than there can be, are wrong parameters", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const server = { name: "s", command: "true", args: [], env: [] };
  const wrong: [unknown, string][] = [
    ["x", "must be a list"],
    [[5], "must be an object"],
    [[{ ...server, name: " " }], 'needs a "name"'],
    [[{ ...server, command: "" }], 'needs a "command"'],
    [[{ ...server, args: [1] }], "list of strings"],
    [[{ ...server, env: { A: "b" } }], "lists of"],
    [[{ name: "h", type: "http", url: "file:///etc/passwd", headers: [] }], "http://"],
    [[{ name: "h", type: "sse", url: "nowhere", headers: [] }], "http://"],
    [[{ ...server, type: MEGABYTE }], "has the type"],
    [Array.from({ length: 3_000 }, (_, index) => ({ ...server, name: `s${index}` })), "at most 200"],
  ];
  for (const [mcpServers, said] of wrong) {
    const { error } = await editor.request("session/new", { cwd: home.project, mcpServers });
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining(said)]);
    expect(error.message.length).toBeLessThan(2_100);
  }
});

test("a server against the policy is not started, and the session works", async () => {
  using home = temporaryHome();
  home.settings({ deniedMcpServers: [{ serverName: "bad" }] });
  await using model = await startMockModel([{ text: "Hello." }]);
  await using editor = await startEditor({ home, url: model.url });
  const started = join(home.root, "started");
  const { sessionId } = await editor.open({
    mcpServers: [{ name: "bad", command: "/bin/sh", args: ["-c", `echo x > ${started}`], env: [] }],
  });
  expect((await editor.prompt(sessionId, "Hello")).result).toEqual({ stopReason: "end_turn" });
  expect(await Bun.file(started).exists()).toBe(false);
});

test("lines that are too long, broken or deep are refused, and bounded in memory", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const { program } = editor;
  for (let lines = 0; lines < 3; lines++) {
    program.send('{"jsonrpc":"2.0","id":"long","method":"');
    for (let sent = 0; sent < 100; sent++) program.send(MEGABYTE);
    program.send('"}\n');
  }
  program.send(Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 10));
  program.send(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"bytes","method":"'), Uint8Array.of(0xc3, 0x28)]));
  program.send('"}\n');
  editor.raw(`${"[".repeat(1_000_000)}\n`);
  editor.raw(`{"a":`.repeat(100_000) + "\n");
  editor.raw(
    `{"jsonrpc":"2.0","id":"deep","method":"session/list","params":{"_meta":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}}\n`,
  );
  expect((await editor.until(({ id }) => id === "bytes")).error.code).toBe(-32601);
  expect((await editor.until(({ id }) => id === "deep")).result).toEqual({ sessions: [] });
  const refused = editor.messages.filter(({ id }) => id === null).map(({ error }) => error.code);
  expect(refused).toEqual([-32600, -32600, -32600, -32700, -32700, -32700]);
  expect(peakOf(editor)).toBeLessThan(600);
});

test("ids may be odd or the same, and what was never asked is not answered", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const before = editor.messages.length;
  const ids = ["", "a", "a", -1, 1.5, 0, 1e300, "__proto__", null];
  editor.raw(ids.map((id) => line({ id, method: "session/list", params: { cwd: home.project } })).join(""));
  for (const id of [1, 99, "1", null, {}, [], true]) {
    editor.raw(line({ id, result: { outcome: { outcome: "selected", optionId: "allow" } } }));
    editor.raw(line({ id, error: { code: "x", message: {} } }));
    editor.raw(line({ id, error: null, result: null }));
  }
  expect((await editor.prompt(sessionId, "Hello")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(editor.updates(sessionId))).toBe("Hello.");
  const replies = editor.messages.slice(before).filter(({ result }) => Array.isArray(result?.sessions));
  expect(replies.map(({ id }) => String(id)).toSorted()).toEqual(ids.map(String).toSorted());
});

test("floods of requests and notifications are answered or refused, and others are served", async () => {
  using home = temporaryHome();
  // Some prompts may have run before the cancel behind them is read.
  await using model = await startMockModel(() => ({ text: "Hello." }));
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const before = editor.messages.length;
  const prompt = [{ type: "text", text: "x".repeat(1_000) }];
  const floods = [
    (index: number) => line({ id: `n${index}`, method: "no/such" }),
    () => line({ method: "session/cancel", params: { sessionId: "none" } }),
    () => line({ method: "$/cancel_request", params: { requestId: "none" } }),
    (index: number) => line({ id: `c${index}`, method: "session/close", params: { sessionId: "none" } }),
  ];
  for (const flood of floods) editor.raw(Array.from({ length: 20_000 }, (_, index) => flood(index)).join(""));
  editor.raw(
    Array.from({ length: 3_000 }, (_, index) =>
      line({ id: `p${index}`, method: "session/prompt", params: { sessionId, prompt } }),
    ).join(""),
  );
  editor.notify("session/cancel", { sessionId });
  const isReply = ({ id, method }: any) => method === undefined && String(id).startsWith("p");
  let replies = 0;
  await editor.until((message) => isReply(message) && ++replies === 3_000);
  expect((await editor.prompt(sessionId, "Still there?")).result).toEqual({ stopReason: "end_turn" });
  const got = editor.messages.slice(before);
  const codes = (prefix: string) =>
    new Set(
      got
        .filter(({ id, method }) => method === undefined && String(id).startsWith(prefix))
        .map(({ error, result }) => error?.code ?? result.stopReason),
    );
  expect(codes("n")).toContain(-32601);
  expect(codes("c")).toContain(-32002);
  expect(got.filter(isReply)).toHaveLength(3_000);
  expect(codes("p")).toContain("cancelled");
  expect(codes("p")).toContain(-32603);
  expect(peakOf(editor)).toBeLessThan(600);
});
