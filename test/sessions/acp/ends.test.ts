// However the connection of an editor ends, nothing is left of it.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTranscript, chainProblems, startMockModel, temporaryHome } from "@keelson/testkit";
import { gone, pidIn } from "../processes.ts";
import { startEditor } from "./editor.ts";

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

test("a server of the editor runs with the session, and ends with it", async () => {
  using home = temporaryHome();
  const server = home.write(
    "server.ts",
    `import { appendFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(join(home.project, "pid"))}, process.pid + "\\n");
     for await (const line of console) {
       const { id, method } = JSON.parse(line);
       if (id === undefined) continue;
       const result = method === "initialize"
         ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: process.env.NAME, version: "1" } }
         : method === "tools/list" ? { tools: [{ name: "look", inputSchema: { type: "object" } }] } : {};
       console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
     }`,
  );
  await using model = await startMockModel([{ text: "Seen." }]);
  await using editor = await startEditor({ home, url: model.url });
  const env = [{ name: "NAME", value: "mine" }];
  const mcpServers = [{ name: "mine", command: process.execPath, args: [server], env }];
  const { sessionId } = await editor.open({ mcpServers });
  await editor.prompt(sessionId, "Look");
  const pid = await pidIn(home);
  expect(model.requests[0]!.body.tools.map(({ name }: any) => name)).toContain("mcp__mine__look");
  await editor.request("session/close", { sessionId });
  await gone(pid);
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
