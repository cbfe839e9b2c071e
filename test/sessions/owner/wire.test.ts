// The socket of an open session: who may use it, and what it says.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSeal } from "@keelson/disk/seal";
import { LineSplitter } from "@keelson/protocol";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  transcriptFiles,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { until } from "../processes.ts";

const LIVE = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });
const isResult = (json: { type?: string }) => json.type === "result";
const shielded = testUnless(confinementMissing(), test);

/** Starts a session with one turn; where it listens. */
async function listening(home: TemporaryHome, owner: Running): Promise<string> {
  owner.send(prompt("First"));
  await owner.waitForLine(isResult);
  const lease = () => transcriptFiles(home)[0]!.replace(/\.jsonl$/, ".owner");
  await until(() => readFileSync(lease(), "utf8").includes('"socket"'));
  const lines = readFileSync(lease(), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line)).find(({ socket }) => socket !== undefined).socket;
}

/** A client that writes what it likes. */
async function connect(path: string) {
  const splitter = new LineSplitter();
  const lines: any[] = [];
  const closed = Promise.withResolvers<void>();
  let changed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data(_socket, bytes) {
        for (const line of splitter.push(bytes)) lines.push(JSON.parse(line));
        changed.resolve();
        changed = Promise.withResolvers<void>();
      },
      close: () => closed.resolve(),
    },
  });
  return {
    lines,
    closed: closed.promise,
    send: (line: string | object) => socket.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`),
    end: () => socket.end(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    async until(accept: (line: any) => boolean): Promise<any> {
      for (;;) {
        const found = lines.find(accept);
        if (found !== undefined) return found;
        await changed.promise;
      }
    },
  };
}

const codeFor = (home: TemporaryHome, socket: string) => openSeal(home.configDir).sealText("session-socket", socket);

test("a client attaches with the code of the configuration folder, and gets messages with cursors", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await using owner = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  const client = await connect(path);
  const greeting = await client.until(() => true);
  expect(greeting).toEqual({ session: expect.stringMatching(/^[0-9a-f-]{36}$/), limits: [] });
  client.send({ type: "attach", name: "a test", code: codeFor(home, path) });
  client.send(prompt("Second"));
  const result = await client.until(({ m }) => m?.type === "result");
  expect(result).toMatchObject({ c: expect.stringMatching(/^\w+\.\d+$/), m: { result: "Two" } });
  client.end();
  await client.closed;
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
  expect(existsSync(path)).toBe(false);
});

test("a client on the socket sees what its view asks for, like any other", async () => {
  using home = temporaryHome();
  const call = { name: "Read", input: { file_path: join(home.project, "a.txt") } };
  await using model = await startMockModel([{ text: "One" }, { calls: [call] }, { text: "Two" }]);
  await using owner = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  const client = await connect(path);
  client.send({ type: "attach", code: codeFor(home, path), view: { toolMeta: true } });
  client.send(prompt("Second"));
  const called = await client.until(({ m }) => m?.type === "assistant");
  expect(called.m.tool_use_meta).toEqual([
    {
      id: expect.any(String),
      display_name: "Read",
      tool_name: "Read",
      kind: "read",
      title: "a.txt",
      locations: [{ path: call.input.file_path, line: 1 }],
    },
  ]);
  await client.until(({ m }) => m?.type === "result");
  expect(client.lines.some(({ m }) => m?.type === "stream_event" || m?.type === "stream")).toBe(false);
  client.end();
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
});

const strangers: Record<string, (client: Awaited<ReturnType<typeof connect>>, code: string | undefined) => void> = {
  "no code": (client) => client.send({ type: "attach", name: "a test" }),
  "a wrong code": (client) => client.send({ type: "attach", code: "0".repeat(64) }),
  "a code of the wrong type": (client) => client.send({ type: "attach", code: { toString: "x" } }),
  "a prompt first": (client) => client.send(prompt("Do it")),
  "no JSON": (client) => client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
  "something else after it attached": (client, code) => {
    client.send({ type: "attach", code });
    client.send("{ no JSON\n");
  },
};

test("whoever says anything else is cut off, and the session goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await using owner = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  for (const say of Object.values(strangers)) {
    const client = await connect(path);
    say(client, codeFor(home, path));
    await client.closed;
    expect(client.lines.filter(({ m }) => isResult(m ?? {}))).toEqual([]);
  }
  owner.send(prompt("Second"));
  expect((await owner.waitForLine((json) => isResult(json) && json.result === "Two")).json).toBeDefined();
  expect(model.requests).toHaveLength(2);
});

test("a client that stops reading holds nothing up, and learns what it missed when it reads again", async () => {
  using home = temporaryHome();
  const long = Array.from({ length: 400 }, (_, at) => `${at} ${"x".repeat(20_000)}\n`);
  await using model = await startMockModel([{ text: "One" }, { text: long }, { text: "Three" }]);
  await using owner = startKeelson([...LIVE, "--include-partial-messages"], { home, url: model.url, stdin: "open" });
  const path = await listening(home, owner);
  const client = await connect(path);
  client.send({
    type: "attach",
    name: "a test",
    code: codeFor(home, path),
    view: { partial: true, streamEvents: true },
  });
  owner.send(prompt("Asked before"));
  await client.until(({ m }) => m?.type === "stream_event");
  client.pause();
  await owner.waitForLine((json) => isResult(json) && String(json.result).startsWith("0 xx"));
  owner.send(prompt("Third"));
  await owner.waitForLine((json) => isResult(json) && json.result === "Three");
  client.resume();
  await client.until(({ m }) => m?.type === "assistant" && m.message.content[0].text === "Three");
  const reset = client.lines.findIndex(({ m }) => m?.type === "stream" && m.subtype === "reset");
  expect(client.lines.slice(reset).some(({ m }) => m?.message?.content === "Asked before")).toBe(true);
});

test("an owner that does not answer is named, within a second", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }]);
  await using owner = startKeelson(LIVE, { home, url: model.url, stdin: "open" });
  await listening(home, owner);
  owner.kill("SIGSTOP");
  await using second = startKeelson(["-p", "--continue", "Second"], { home, url: model.url });
  const ended = await second.done;
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr).toContain(`(process ${owner.pid}, since `);
  expect(ended.stderr).toContain("It does not answer; end it there, or add --fork-session");
  owner.kill("SIGCONT");
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
});

const commands = {
  // The shield hides it.
  shielded: { args: [], env: {}, says: "No such file or directory" },
  // It is cut off, as the child of the session that it is.
  "run without the shield": { args: ["--permission-mode", "bypassPermissions"], env: { IS_SANDBOX: "1" }, says: "end" },
};

for (const [how, { args, env, says }] of Object.entries(commands)) {
  shielded(`a command of the session that is ${how} cannot use its socket, wherever that is`, async () => {
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Bash"] } });
    // Commands may connect to what listens in the project.
    const temporary = join(home.project, "t");
    const command = `for s in t/claude-*/open/*.sock; do echo hello | timeout 5 socat -t 2 UNIX-CONNECT:$s - ; done; echo "end"`;
    await using model = await startMockModel([
      { text: "One" },
      { calls: [{ name: "Bash", input: { command } }] },
      { text: "Two" },
    ]);
    await using owner = startKeelson([...LIVE, ...args], {
      home,
      url: model.url,
      stdin: "open",
      env: { ...env, CLAUDE_CODE_TMPDIR: temporary },
    });
    expect(await listening(home, owner)).toStartWith(temporary);
    owner.send(prompt("Second"));
    await owner.waitForLine((json) => isResult(json) && json.result === "Two");
    const outputs = owner.lines.flatMap(({ json }) =>
      json.type === "user" && Array.isArray(json.message.content) ? [String(json.message.content[0].content)] : [],
    );
    expect(outputs).toEqual([expect.stringContaining(says)]);
    expect(outputs[0]).not.toContain('"session"');
  });
}
