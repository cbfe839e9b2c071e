// `keelson mcp serve` as the official clients see it: the tools, and the gate in front of them.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@keelson/protocol";
import { startKeelson, temporaryHome } from "@keelson/testkit";
import { gone, pidIn } from "../processes.ts";
import { newPeer, oldPeer, type Connect } from "./serve-peer.ts";

const PEERS: readonly [string, Connect][] = [
  ["the first generation's client", oldPeer],
  ["the second generation's client", newPeer],
];

const YES = { action: "accept", content: { allow: true } };

test.each(PEERS)("%s lists the tools and works with files", async (_, connect) => {
  using home = temporaryHome();
  const file = home.write("a.txt", "one\ntwo\n");
  await using peer = await connect(home, { args: ["--permission-mode", "acceptEdits"] });

  const tools = await peer.tools();
  expect(peer.name).toBe("keelson");
  expect(tools.map(({ name }) => name)).toEqual([
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "TaskOutput",
    "TaskStop",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
  ]);
  expect(tools.find(({ name }) => name === "Read")).toMatchObject({
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object", required: ["file_path"] },
  });

  const unread = await peer.call("Edit", { file_path: file, old_string: "two", new_string: "2" });
  const read = await peer.call("Read", { file_path: "a.txt" });
  const again = await peer.call("Read", { file_path: "a.txt" });
  const edited = await peer.call("Edit", { file_path: file, old_string: "two", new_string: "2" });

  expect(unread).toMatchObject({ isError: true, text: expect.stringContaining("has not been read") });
  expect({ isError: read.isError, blocks: read.content.length, output: read.output }).toEqual({
    isError: false,
    blocks: 1,
    output: { type: "text", file: { filePath: file, content: "one\ntwo\n", numLines: 3, startLine: 1, totalLines: 3 } },
  });
  expect(again.output).toEqual(read.output);
  expect(edited.output).toMatchObject({ filePath: file, oldString: "two", newString: "2" });
  expect(home.read("a.txt")).toBe("one\n2\n");
});

test.each(PEERS)("%s that cannot ask: a call that requires approval is refused with the fix", async (_, connect) => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash(touch allowed)"], deny: ["Bash(touch denied)", "Write"] } });
  await using peer = await connect(home, { args: ["--allowedTools", "Bash(touch by-flag)"] });
  const touch = (name: string) => peer.call("Bash", { command: `touch ${name}` });

  expect(await touch("allowed")).toMatchObject({ isError: false, output: { stdout: "", interrupted: false } });
  expect(await touch("by-flag")).toMatchObject({ isError: false });
  expect(await touch("denied")).toMatchObject({ isError: true, text: expect.stringContaining("denied") });
  expect(await touch("open")).toMatchObject({
    isError: true,
    // It is for whoever set the server up, not for a model of ours.
    text: "This command requires approval. No one is available to approve it in this session. To allow it, use the rule Bash(touch open) (--allowedTools, or permissions.allow in the settings) or --permission-mode acceptEdits.",
  });
  expect((await peer.tools()).map(({ name }) => name)).not.toContain("Write");
  expect(await peer.call("Write", { file_path: "w", content: "x" })).toMatchObject({ isError: true });
  expect(await peer.call("Nope", {}).catch((error: { code: number }) => error.code)).toBe(-32602);
  expect(["allowed", "by-flag", "denied", "open", "w"].map((name) => existsSync(join(home.project, name)))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.each(PEERS)("%s that can ask: only an explicit yes lets the call run", async (_, connect) => {
  using home = temporaryHome();
  const questions: any[] = [];
  const answers = [YES, { action: "accept", content: { allow: false } }, { action: "decline" }, { action: "cancel" }];
  await using peer = await connect(home, {
    answer: (question) => (questions.push(question), answers[questions.length - 1]!),
  });
  const touch = (name: string) => peer.call("Bash", { command: `touch ${name}` });
  const told: string[] = [];

  const yes = await peer.call(
    "Bash",
    { command: "touch yes" },
    { onprogress: ({ message }) => told.push(String(message)) },
  );
  expect(yes.isError).toBe(false);
  // The newer client says it in its own words.
  expect(told.join("; ")).toMatch(/Waiting for approval of Bash|input required/);
  expect(questions[0]).toMatchObject({
    message: expect.stringContaining("Allow Bash: touch yes?"),
    requestedSchema: {
      type: "object",
      properties: { allow: { type: "boolean", title: "Allow Bash" } },
      required: ["allow"],
    },
  });
  expect([await touch("no"), await touch("declined"), await touch("closed")]).toMatchObject([
    { isError: true, text: "The user declined Bash" },
    { isError: true, text: "The user declined Bash" },
    { isError: true, text: expect.stringContaining("without an answer. To allow it, use --allowedTools") },
  ]);
  expect(["yes", "no", "declined", "closed"].map((name) => existsSync(join(home.project, name)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("a question the client fails to ask denies the call", async () => {
  using home = temporaryHome();
  await using peer = await oldPeer(home, { answer: () => Promise.reject(new Error("no dialog here")) });
  expect(await peer.call("Bash", { command: "touch x" })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/could not be asked about Bash: .*no dialog here/),
  });
});

test("what a command would hide from the one who approves it is made visible", async () => {
  using home = temporaryHome();
  const questions: any[] = [];
  await using peer = await oldPeer(home, {
    answer: (question) => (questions.push(question), { action: "decline" }),
  });
  await peer.call("Bash", { command: "echo \u202egnp.exe\u0007 > out" });
  const long = await peer.call("Bash", { command: `touch ${"x".repeat(12_000)}` });
  expect(questions).toHaveLength(1);
  expect(questions[0].message).toContain("Allow Bash: echo \\u{202e}gnp.exe\\u{7} > out?");
  expect(long).toMatchObject({ isError: true, text: expect.stringContaining("too long to show") });
});

test("a file that a deny rule hides stays hidden, whatever the client approves", async () => {
  using home = temporaryHome();
  home.write(".env", "SECRET=1\n");
  home.settings({ permissions: { deny: ["Read(.env)"] } });
  await using peer = await oldPeer(home, { answer: () => YES, args: ["--allowedTools", "Bash"] });
  const results = [
    await peer.call("Read", { file_path: ".env" }),
    await peer.call("Bash", { command: "cat .env" }),
    await peer.call("Bash", { command: "cat $(echo .e)nv" }),
  ];
  expect(results.slice(0, 2).map(({ isError }) => isError)).toEqual([true, true]);
  expect(JSON.stringify(results.map(({ content }) => content))).not.toContain("SECRET");
});

test("hooks see every call: they block it, add to its answer, and learn of start and end", async () => {
  using home = temporaryHome();
  const log = join(home.root, "events");
  const note = (text: string) => ({ hooks: [{ type: "command", command: text }] });
  home.settings({
    permissions: { allow: ["Bash(touch *)"] },
    hooks: {
      SessionStart: [note(`echo SessionStart >> ${log}`)],
      PreToolUse: [
        { matcher: "Bash", ...note(`grep -q blocked && { echo 'not this one' >&2; exit 2; }; echo Pre >> ${log}`) },
      ],
      PostToolUse: [
        {
          matcher: "Read",
          ...note(`echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind the style"}}'`),
        },
      ],
      SessionEnd: [note(`echo SessionEnd >> ${log}`)],
    },
  });
  home.write("a.txt", "x");
  const peer = await oldPeer(home);
  const blocked = await peer.call("Bash", { command: "touch blocked" });
  const run = await peer.call("Bash", { command: "touch fine" });
  const read = await peer.call("Read", { file_path: "a.txt" });
  await peer.close();
  await gone(peer.pid);

  expect(blocked).toMatchObject({ isError: true, text: expect.stringContaining("not this one") });
  expect(existsSync(join(home.project, "blocked"))).toBe(false);
  expect(run.isError).toBe(false);
  expect(read.output.file.content).toBe("x");
  expect(read.content[1].text).toContain("mind the style");
  expect(readFileSync(log, "utf8")).toBe("SessionStart\nPre\nSessionEnd\n");
});

/** A server with one tool, whose answer blocks what it is asked about. */
const GUARD = `
  for await (const line of console) {
    const { id, method } = JSON.parse(line);
    const result = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "g", version: "1" } },
      "tools/list": { tools: [{ name: "check", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: '{"decision":"block","reason":"the guard says no"}' }] },
    }[method];
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }));
  }`;

test("a hook that is a tool of an MCP server guards the first call too, and its server ends with us", async () => {
  using home = temporaryHome();
  const slow = 'echo $$ > pid; sleep 0.3; exec "$0" -e "$1"';
  home.write("~/.claude.json", {
    mcpServers: { guard: { command: "bash", args: ["-c", slow, process.execPath, GUARD] } },
  });
  home.settings({ hooks: { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "guard", tool: "check" }] }] } });
  home.write("a.txt", "x");
  const peer = await oldPeer(home);
  const read = await peer.call("Read", { file_path: "a.txt" });
  const tools = (await peer.tools()).map(({ name }) => name);
  const pid = await pidIn(home);
  await peer.close();
  expect(read).toMatchObject({ isError: true, text: expect.stringContaining("the guard says no") });
  expect(tools.filter((name) => name.startsWith("mcp__"))).toEqual([]);
  await Promise.all([gone(pid), gone(peer.pid)]);
});

test("a rule added to the settings applies to the next call", async () => {
  using home = temporaryHome();
  await using peer = await oldPeer(home);
  const before = await peer.call("Bash", { command: "touch x" });
  home.settings({ permissions: { allow: ["Bash(touch x)"] } });
  const after = await peer.call("Bash", { command: "touch x" });
  expect([before.isError, after.isError]).toEqual([true, false]);
});

test("a cancelled call ends its command, and the server continues", async () => {
  using home = temporaryHome();
  home.write("a.txt", "x");
  await using peer = await oldPeer(home, { args: ["--allowedTools", "Bash"] });
  const cancel = new AbortController();
  const call = peer
    .call("Bash", { command: "echo $$ > pid; exec sleep 1000" }, { signal: cancel.signal })
    .catch(() => "cancelled");
  const pid = await pidIn(home);
  cancel.abort();
  expect(await call).toBe("cancelled");
  await gone(pid);
  expect((await peer.call("Read", { file_path: "a.txt" })).isError).toBe(false);
});

test("a cancelled question is withdrawn, and the call does not run", async () => {
  using home = temporaryHome();
  const asked = Promise.withResolvers<void>();
  const never = Promise.withResolvers<object>();
  await using peer = await oldPeer(home, { answer: () => (asked.resolve(), never.promise) });
  const cancel = new AbortController();
  const call = peer.call("Bash", { command: "touch x" }, { signal: cancel.signal }).catch(() => "cancelled");
  await asked.promise;
  cancel.abort();
  expect(await call).toBe("cancelled");
  never.resolve(YES);
  expect((await peer.call("Glob", { pattern: "*" })).output.filenames).toEqual([]);
});

test("calls that are safe in parallel run side by side, others in their order", async () => {
  using home = temporaryHome();
  for (const name of ["a", "b", "c"]) home.write(name, name);
  // Each hook waits until all three calls are there.
  const here = join(home.root, "here");
  const meet = `mkdir -p ${here}; touch ${here}/$$; until [ $(ls ${here} | wc -l) -eq 3 ]; do sleep 0.01; done`;
  home.settings({ hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: meet }] }] } });
  await using peer = await oldPeer(home, { args: ["--allowedTools", "Bash"] });
  const reads = ["a", "b", "c"].map((name) => peer.call("Read", { file_path: name }));
  const writes = [3, 2, 1, 0].map((n) => peer.call("Bash", { command: `sleep 0.0${n}; echo ${n} >> order` }));
  expect((await Promise.all(reads)).map(({ output }) => output.file.content)).toEqual(["a", "b", "c"]);
  await Promise.all(writes);
  expect(home.read("order")).toBe("3\n2\n1\n0\n");
});

test("100 calls in flight are all answered", async () => {
  using home = temporaryHome();
  for (let n = 0; n < 100; n++) home.write(`f${n}.txt`, `${n}`);
  await using peer = await oldPeer(home, { args: ["--allowedTools", "Bash", "Write"] });
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      n % 10 === 9 ? peer.call("Bash", { command: `echo ${n}` }) : peer.call("Read", { file_path: `f${n}.txt` }),
    ),
  );
  expect(results.map(({ output }) => Number(output.stdout ?? output.file.content))).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test("output too long to show is saved, and an image is an image", async () => {
  using home = temporaryHome();
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  home.write("dot.png", Buffer.from(png, "base64"));
  await using peer = await oldPeer(home);
  const todo = { content: "x".repeat(150_000), status: "pending", activeForm: "Working" };
  const long = await peer.call("TodoWrite", { todos: [todo] });
  const [, path] = /saved to: (.*)/.exec(long.text)!;
  const image = await peer.call("Read", { file_path: "dot.png" });
  expect(long.isError).toBe(false);
  expect(long.text.length).toBeLessThan(4_000);
  expect(JSON.parse(readFileSync(path!, "utf8"))).toEqual({ oldTodos: [], newTodos: [todo] });
  expect(image.content).toMatchObject([{ type: "image", mimeType: "image/png" }]);
});

test("whatever arrives is answered, and standard output carries only the protocol", async () => {
  using home = temporaryHome();
  await using program = startKeelson(["mcp", "serve", "--verbose"], { home, stdin: "open" });
  const request = (id: unknown, method: unknown, params?: object) =>
    program.send({ jsonrpc: "2.0", id, method, params });
  const initialize = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo: { name: "raw", version: "0" } };
  request(1, "tools/call", { name: "Read", arguments: {} });
  request(2, "initialize", initialize);
  await program.waitForLine(({ id }) => id === 2);
  program.send("garbage\n\n[]\n7\n{\n\u0000\n");
  program.send({ jsonrpc: "2.0", result: {}, id: 99 });
  program.send({ jsonrpc: "2.0", method: "notifications/nothing" });
  program.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 12345 } });
  program.send([
    { jsonrpc: "2.0", id: "b1", method: "ping" },
    { jsonrpc: "2.0", id: "b2", method: "nope" },
  ]);
  request(3, "initialize", initialize);
  request(4, "resources/list");
  request(null, "ping");
  request(5, 5);
  request(6, "tools/call");
  request(7, "tools/call", { name: "Bash", arguments: [] });
  request(8, "tools/call", { name: "Bash", arguments: { command: 7 } });
  request(9, "tools/call", { name: "__proto__" });
  request("last", "ping");
  program.closeStdin();
  const { code, messages, lines, stderr } = await program.done;

  const replies = Map.groupBy(messages, ({ id }) => id);
  const short = ({ result, error }: any) => error?.code ?? (result.isError ? result.content[0].text : result);
  expect({ code, lines: lines.length, messages: messages.length }).toEqual({ code: 0, lines: 18, messages: 18 });
  expect(replies.get(null)!.map(short)).toEqual([-32700, -32600, -32600, -32700, -32700, -32600]);
  expect(
    Object.fromEntries([...replies].filter(([id]) => id !== null).map(([id, [only]]) => [id, short(only)])),
  ).toEqual({
    1: -32600,
    2: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "keelson", title: "Keelson", version: VERSION },
    },
    b1: {},
    b2: -32601,
    3: -32600,
    4: -32601,
    5: -32600,
    6: -32602,
    7: -32602,
    8: expect.stringContaining("InputValidationError"),
    9: -32602,
    last: {},
  });
  expect(stderr).toMatch(/^Bash: error, \d+ ms\n$/);
});

test("a message without end is refused before it fills the memory", async () => {
  using home = temporaryHome();
  await using program = startKeelson(["mcp", "serve"], { home, stdin: "open" });
  const chunk = "x".repeat(1024 * 1024);
  for (let n = 0; n < 40; n++) program.send(chunk);
  const { code, messages } = await program.done;
  expect({ code, messages }).toMatchObject({ code: 0, messages: [{ id: null, error: { code: -32700 } }] });
});

test("tools that cannot be opened are reported to the client and on standard error", async () => {
  using home = temporaryHome();
  const env = { CLAUDE_CODE_EXTRA_BODY: "7", ANTHROPIC_API_KEY: "test-key" };
  await using program = startKeelson(["mcp", "serve"], { home, env, stdin: "open" });
  program.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  const { code, messages, stderr } = await program.done;
  const message = "CLAUDE_CODE_EXTRA_BODY is not a JSON object; fix or unset it";
  expect({ code, messages, stderr }).toEqual({
    code: 1,
    messages: [{ jsonrpc: "2.0", id: 1, error: { code: -32603, message } }],
    stderr: `error: ${message}\n`,
  });
});

test.each(["SIGTERM", "SIGINT", "the end of its input"] as const)("%s ends it and its commands", async (how) => {
  using home = temporaryHome();
  const peer = await oldPeer(home, { args: ["--allowedTools", "Bash"] });
  const call = peer.call("Bash", { command: "echo $$ > pid; exec sleep 1000" }).catch(() => "closed");
  const pid = await pidIn(home);
  if (how === "the end of its input") await peer.close();
  else process.kill(peer.pid, how);
  expect(await call).toBe("closed");
  await Promise.all([gone(pid), gone(peer.pid)]);
  await peer.close();
});
