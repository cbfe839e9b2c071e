// However the connection of an editor ends, nothing is left of it.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTranscript, chainProblems, startMockModel, temporaryHome } from "@keelson/testkit";
import { gone, pidIn } from "../processes.ts";
import { saidIn, startEditor } from "./editor.ts";

const ENDS = {
  "closed input": { end: (editor) => editor.program.closeStdin(), code: 0, signal: null },
  SIGTERM: { end: (editor) => editor.program.kill("SIGTERM"), code: 143, signal: null },
  SIGINT: { end: (editor) => editor.program.kill("SIGINT"), code: 130, signal: null },
} satisfies Record<
  string,
  { end: (editor: Awaited<ReturnType<typeof startEditor>>) => void; code: number; signal: null }
>;

test.each(Object.keys(ENDS) as (keyof typeof ENDS)[])("%s in the middle of a command ends everything", async (kind) => {
  using home = temporaryHome();
  const { end, code, signal } = ENDS[kind];
  const command = "echo $$ > pid.new && mv pid.new pid && sleep 300";
  await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "After." }]);
  await using editor = await startEditor({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  const { sessionId } = await editor.open();
  await editor.open();
  void editor.prompt(sessionId, "Sleep").catch(() => undefined);
  const pid = await pidIn(home);
  end(editor);
  const ended = await editor.program.done;
  expect([ended.code, ended.signal]).toEqual([code, signal]);
  await gone(pid);
  expect(chainProblems(readTranscript(home))).toEqual([]);

  await using again = await startEditor({ home, url: model.url });
  const loaded = await again.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(loaded.error).toBeUndefined();
  expect((await again.prompt(sessionId, "And now?")).result).toEqual({ stopReason: "end_turn" });
});

test("a session closed in the middle of a turn answers its prompt first", async () => {
  using home = temporaryHome();
  const reached = Promise.withResolvers<void>();
  await using model = await startMockModel([
    async () => {
      reached.resolve();
      await new Promise(() => undefined);
      return { text: "Never." };
    },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const prompt = editor.prompt(sessionId, "Begin");
  await reached.promise;
  const closed = editor.request("session/close", { sessionId });
  expect((await prompt).result).toEqual({ stopReason: "cancelled" });
  expect((await closed).result).toEqual({});
});

/** A server that writes down its process, and names itself. */
const SERVER = `
  import { appendFileSync } from "node:fs";
  appendFileSync("pid-" + process.env.NAME, process.pid + "\\n");
  for await (const line of console) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const result = method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: process.env.NAME, version: "1" } }
      : method === "tools/list" ? { tools: [{ name: "look", inputSchema: { type: "object" } }] } : {};
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }`;

test("servers of the editor run with the session; one that a later load does not name ends", async () => {
  using home = temporaryHome();
  const path = home.write("~/server.ts", SERVER);
  const server = (name: string, more: readonly string[] = []) => ({
    name,
    command: process.execPath,
    args: [path, ...more],
    env: [{ name: "NAME", value: name }],
  });
  const pids = (name: string) => home.read(`pid-${name}`).trim().split("\n").map(Number);
  await using model = await startMockModel(() => ({ text: "Seen." }));
  await using editor = await startEditor({ home, url: model.url });
  const offered = async () => {
    await editor.prompt(sessionId, "Look");
    const names = model.requests.at(-1)!.body.tools.map(({ name }: any) => name);
    return names.filter((name: string) => name.startsWith("mcp__"));
  };
  const load = (...mcpServers: readonly object[]) =>
    editor.request("session/load", { sessionId, cwd: home.project, mcpServers });
  const { sessionId } = await editor.open({ mcpServers: [server("one"), server("two")] });
  expect(await offered()).toEqual(["mcp__one__look", "mcp__two__look"]);
  await load(server("two"), server("three"));
  await gone(pids("one")[0]!);
  expect(await offered()).toEqual(["mcp__three__look", "mcp__two__look"]);
  await load(server("one"), server("two", ["other"]));
  expect(saidIn(editor.updates(sessionId))).toContain("close the session and load it again: two");
  expect(await offered()).toEqual(["mcp__one__look", "mcp__two__look"]);
  expect(["one", "two", "three"].map((name) => pids(name).length)).toEqual([2, 1, 1]);
  await editor.request("session/close", { sessionId });
  for (const name of ["one", "two", "three"]) await gone(pids(name).at(-1)!);
});

test("a session that is still being opened when the input ends is closed, too", async () => {
  using home = temporaryHome();
  const pidFile = join(home.project, "pid");
  const server = home.write("server.sh", `echo $$ > ${pidFile}.new && mv ${pidFile}.new ${pidFile}\nexec sleep 300\n`);
  await using model = await startMockModel([]);
  await using editor = await startEditor({ home, url: model.url });
  const mcpServers = [{ name: "silent", command: "/bin/sh", args: [server], env: [] }];
  void editor.open({ mcpServers }).catch(() => undefined);
  const { code } = await editor.end();
  expect(code).toBe(0);
  if (existsSync(pidFile)) await gone(await pidIn(home));
});
