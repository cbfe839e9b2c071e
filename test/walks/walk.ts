// Makes one of the walks in ARCHITECTURE.md happen. Run by walks.test.ts behind record-order.ts; $WALK names it.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { query } from "@keelson/sdk";
import { startMockModel, temporaryHome, type MockModel } from "@keelson/testkit";
import { runAtKeptTerminal, runInProcess, spawnInProcess } from "./in-process.ts";

const READ = { calls: [{ name: "Read", input: { file_path: "a.txt" } }] };
const MAKE_FOLDER = { calls: [{ name: "Bash", input: { command: "mkdir made" } }] };
const DONE = { text: "done" };
const STREAM = ["-p", "--output-format=stream-json", "--verbose"];

const SERVER = `
const answers: Record<string, object> = {
  initialize: { protocolVersion: "2025-11-25", serverInfo: { name: "calc", version: "1" }, capabilities: { tools: {} } },
  "tools/list": { tools: [{ name: "add", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "three" }] },
};
for await (const line of console) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} }));
}
`;

const WALKS: Readonly<Record<string, () => Promise<void>>> = {
  async "One prompt"() {
    using home = temporaryHome();
    home.write("a.txt", "text");
    await using model = await startMockModel([READ, DONE]);
    await runInProcess(home, {
      argv: [...STREAM, "--input-format=stream-json"],
      env: env(home, model),
      stdin: prompt(),
    });
    expect(model.requests).toHaveLength(2);
  },

  async "One prompt at the terminal"() {
    using home = temporaryHome();
    home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
    await using model = await startMockModel([MAKE_FOLDER, { text: "All **done**" }]);
    await runAtKeptTerminal(home, { ...env(home, model), TERM: "xterm-256color" }, async ({ type, shown }) => {
      await shown("for shortcuts");
      type("make a folder\r");
      await shown("Run this command?");
      type("\r");
      await shown("All done");
      type("/exit\r");
    });
    expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("make a folder");
    expect(existsSync(join(home.project, "made"))).toBe(true);
  },

  async "One permission question through the SDK"() {
    using home = temporaryHome();
    await using model = await startMockModel([MAKE_FOLDER, DONE]);
    const questions: string[] = [];
    const options = {
      cwd: home.project,
      env: env(home, model),
      spawnClaudeCodeProcess: spawnInProcess(home),
      canUseTool: async (tool: string) => (questions.push(tool), { behavior: "deny" as const, message: "not now" }),
    };
    for await (const message of query({ prompt: "go", options })) if (message.type === "result") break;
    expect(questions).toEqual(["Bash"]);
  },

  async "One hook"() {
    using home = temporaryHome();
    home.write("a.txt", "text");
    const hooks = [{ matcher: "Read", hooks: [{ type: "command", command: "exit 0" }] }];
    home.write("~/.claude/settings.json", { hooks: { PreToolUse: hooks } });
    await using model = await startMockModel([READ, DONE]);
    await runInProcess(home, { argv: [...STREAM, "go"], env: env(home, model) });
  },

  async "One call of an MCP tool"() {
    using home = temporaryHome();
    home.write("server.ts", SERVER);
    const server = { command: process.execPath, args: ["server.ts"] };
    home.write(".mcp.json", { mcpServers: { calc: server } });
    await using model = await startMockModel([{ calls: [{ name: "mcp__calc__add", input: {} }] }, DONE]);
    await runInProcess(home, { argv: [...STREAM, "go", "--allowedTools=mcp__calc"], env: env(home, model) });
    expect(JSON.stringify(model.requests[1]!.body)).toContain("three");
  },

  async "One typed skill"() {
    using home = temporaryHome();
    home.write("a.txt", "text");
    home.write(".claude/skills/deploy/SKILL.md", "---\ndescription: Ship it\n---\n!`echo $0` to $1, see @a.txt");
    await using model = await startMockModel([DONE]);
    await runInProcess(home, { argv: ["-p", "/deploy app eu"], env: env(home, model) });
    expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("app to eu");
  },

  async "One scheduled job"() {
    using home = temporaryHome();
    home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
    const job = { id: "0a1b2c3d", cron: "* * * * *", prompt: "go", createdAt: 0, recurring: false, createdByPid: -1 };
    home.write(".claude/scheduled_tasks.json", { tasks: [job] });
    await using model = await startMockModel([DONE]);
    const stdin = (async function* () {
      await model.waitForRequest(1);
    })() as AsyncGenerator<Uint8Array>;
    await runInProcess(home, { argv: [...STREAM, "--input-format=stream-json"], env: env(home, model), stdin });
    expect(JSON.parse(home.read(".claude/scheduled_tasks.json")).tasks).toEqual([]);
  },

  async "One subagent"() {
    using home = temporaryHome();
    const call = { name: "Agent", input: { description: "Look", prompt: "Look at a.txt", subagent_type: "Plan" } };
    home.write("a.txt", "text");
    await using model = await startMockModel([{ calls: [call] }, READ, DONE, DONE]);
    await runInProcess(home, { argv: [...STREAM, "go"], env: env(home, model) });
    expect(model.requests.map(({ headers }) => "x-claude-code-agent-id" in headers)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  },

  async "One compaction"() {
    using home = temporaryHome();
    home.write("a.txt", "text");
    const full = { ...READ, usage: { input_tokens: 999_000, output_tokens: 1 } };
    await using model = await startMockModel([READ, full, { text: "<summary>so far</summary>" }, DONE]);
    await runInProcess(home, { argv: [...STREAM, "go"], env: env(home, model) });
    expect(JSON.stringify(model.requests[3]!.body)).toContain("so far");
  },

  async "One resume"() {
    using home = temporaryHome();
    await using model = await startMockModel([DONE, DONE]);
    await runInProcess(home, { argv: ["-p", "first"], env: env(home, model) });
    await runInProcess(home, { argv: ["-p", "--continue", "second"], env: env(home, model) });
    expect(JSON.stringify(model.requests[1]!.body)).toContain("first");
  },
};

const name = process.env["WALK"] ?? "";
test(name, async () => {
  const walk = WALKS[name];
  if (!walk) throw new Error(`No walk is called "${name}"; add one to ${import.meta.path}`);
  await walk();
});

function env(home: { readonly env: Readonly<Record<string, string>> }, model: MockModel) {
  return { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" };
}

async function* prompt(): AsyncGenerator<Uint8Array> {
  const message = { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
  yield new TextEncoder().encode(`${JSON.stringify(message)}\n`);
}
