// `keelson agents runs`: what a session's agents did, from their files, while the session lives and after it died.

import { expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";
import { HAIKU } from "../../../models.ts";

const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: `Task ${prompt}`, prompt, ...more },
});

async function runs(home: TemporaryHome, ...more: string[]) {
  const { code, stdout, stderr } = await runKeelson(["agents", "runs", ...more], { home });
  expect(code).toBe(0);
  return { stdout, stderr };
}

async function listed(home: TemporaryHome): Promise<{ session: string; agents: any[]; problems: string[] }> {
  return JSON.parse((await runs(home, "--json")).stdout);
}

const said = (body: any) => JSON.stringify(body.messages);

test("the agents of a session are shown as a tree with what each of them used", async () => {
  using home = temporaryHome();
  home.write("a.txt", "alpha\n");
  await using model = await startMockModel((body: any) => {
    const first = JSON.stringify(body.messages[0]);
    const turn = body.messages.length === 1 ? 0 : 1;
    if (first.includes("inner work")) return { text: "Inner done", usage: { input_tokens: 30, output_tokens: 7 } };
    if (first.includes("outer work")) {
      return turn === 0
        ? { calls: [agent("inner work", { subagent_type: "Explore", name: "scout" })] }
        : { text: "Outer done" };
    }
    return turn === 0
      ? { calls: [agent("outer work"), { name: "Read", input: { file_path: join(home.project, "a.txt") } }] }
      : { text: "All done" };
  });
  const env = { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "2" };
  const { code } = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url, env });
  expect(code).toBe(0);

  const { session, agents, problems } = await listed(home);
  const [outer, inner] = agents;
  const folder = join(home.configDir, "projects", home.project.replaceAll(/[^a-zA-Z0-9]/g, "-"), session, "subagents");
  expect({ problems, count: agents.length }).toEqual({ problems: [], count: 2 });
  expect(outer).toMatchObject({
    state: "completed",
    agentType: "general-purpose",
    description: "Task outer work",
    spawnDepth: 1,
    requestShape: "foreground",
    turns: 2,
    toolUses: 1,
    lastTool: "Agent",
    transcript: join(folder, `agent-${outer.id}.jsonl`),
  });
  expect(inner).toMatchObject({
    state: "completed",
    agentType: "Explore",
    name: "scout",
    parentAgentId: outer.id,
    spawnDepth: 2,
    turns: 1,
    totalTokens: 37,
    toolUses: 0,
  });
  expect(Object.keys(inner.modelUsage)).toHaveLength(1);
  expect(inner.costUSD).toBeGreaterThan(0);
  expect(existsSync(inner.transcript)).toBe(true);

  const { stdout } = await runs(home, session.slice(0, 8));
  const lines = stdout.split("\n");
  expect(lines[0]).toBe(`Session ${session}`);
  const row = (line: string | undefined) => line?.split(/ {2,}/) ?? [];
  expect([...row(lines[3]).slice(0, 4), row(lines[3]).at(-2)]).toEqual([
    "general-purpose",
    "Task outer work",
    "completed",
    "2",
    "Agent",
  ]);
  expect(row(lines[4]).slice(0, 5)).toEqual(["", "scout (Explore)", "Task inner work", "completed", "1"]);
  expect(stdout).toMatch(/\n2 agents, \$\d\.\d{4}\n/);

  const usage = await runKeelson(["-p", "--continue", "/usage"], { home, url: model.url });
  expect(usage.stdout).toMatch(
    new RegExp(`\\nOf this, subagents:\\n(  .+\\n)?  Explore, ${HAIKU}.*: 30 input, 7 output, `),
  );
});

test("an agent whose process was killed is not shown as running", async () => {
  using home = temporaryHome();
  await using model = await startMockModel((body: any) => {
    if (said(body).includes("wait for it") && !said(body).includes("Async agent")) return { hang: true, cutAfter: 0 };
    return body.messages.length === 1
      ? { calls: [agent("wait for it", { run_in_background: true })] }
      : { text: "Started" };
  });
  await using running = startKeelson(["-p", ...STREAM, "--input-format", "stream-json"], {
    home,
    url: model.url,
    stdin: "open",
  });
  running.send({ type: "user", message: { role: "user", content: "Go" } });
  await running.waitForLine(({ type }) => type === "result");
  expect((await listed(home)).agents).toMatchObject([{ state: "running", requestShape: "background" }]);
  running.kill("SIGKILL");
  await running.done;
  expect((await listed(home)).agents).toMatchObject([{ state: "died" }]);
  const shown = (await runs(home)).stdout;
  expect(shown).toContain("  process died  ");
  expect(shown).toContain("1 agent, cost unknown\n");
});

test("an agent that fails and one that is stopped are shown so", async () => {
  using home = temporaryHome();
  await using model = await startMockModel((body: any) => {
    const first = JSON.stringify(body.messages[0]);
    if (first.includes("broken work")) return { status: 400, message: "No" };
    if (first.includes("long work")) return { hang: true, cutAfter: 0 };
    if (body.messages.length > 3) return { text: "All done" };
    const [, id] = /agentId: (\w+)/.exec(said(body).slice(said(body).indexOf("Async agent"))) ?? [];
    return id === undefined
      ? { calls: [agent("broken work"), agent("long work", { run_in_background: true })] }
      : { calls: [{ name: "TaskStop", input: { task_id: id } }] };
  });
  const { code } = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(code).toBe(0);
  const { agents } = await listed(home);
  expect(agents.toSorted((a, b) => a.description.localeCompare(b.description))).toMatchObject([
    { description: "Task broken work", state: "failed", turns: 0, costUSD: 0 },
    { description: "Task long work", state: "stopped", requestShape: "background" },
  ]);
});

test("an agent that is continued is one agent, with all that it used", async () => {
  using home = temporaryHome();
  const step = { text: "Step done", usage: { input_tokens: 100, output_tokens: 10 } };
  await using model = await startMockModel((body: any) => {
    if (JSON.stringify(body.messages[0]).includes("two steps")) return step;
    const more = { name: "SendMessage", input: { to: "walker", message: "Another step", summary: "More" } };
    const calls = { 1: agent("two steps", { name: "walker" }), 3: more }[body.messages.length as number];
    return calls ? { calls: [calls] } : { text: "All done" };
  });
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const { agents } = await listed(home);
  expect(agents).toMatchObject([{ state: "completed", name: "walker", turns: 2, totalTokens: 110 }]);
  const usage: any = Object.values(agents[0].modelUsage)[0];
  expect({ input: usage.inputTokens, output: usage.outputTokens }).toEqual({ input: 200, output: 20 });
});

test("files of another program are read, damaged ones are left out with a warning, links are not followed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "Hello" }));
  await runKeelson(["-p", "Go"], { home, url: model.url });
  const { session, agents } = await listed(home);
  expect({ agents, text: (await runs(home)).stdout }).toEqual({
    agents: [],
    text: `No agents ran in session ${session}\n`,
  });
  const folder = `~/.claude/projects/${home.project.replaceAll(/[^a-zA-Z0-9]/g, "-")}/${session}/subagents`;
  const reply = (id: string, name: string) => ({
    type: "assistant",
    message: {
      id,
      model: "claude-opus-4-5",
      content: [{ type: "tool_use", id: "t", name, input: {} }],
      usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 100 },
    },
  });
  const lines = [reply("m1", "Read"), reply("m1", "Glob"), reply("m2", "Grep")].map((line) => JSON.stringify(line));
  const theirs = {
    agentType: "Explore\u001b[31m",
    description: "Theirs",
    toolUseId: "t",
    spawnDepth: 1,
    turns: "many",
  };
  home.write(`${folder}/agent-a0000000000000001.meta.json`, JSON.stringify(theirs));
  home.write(`${folder}/agent-a0000000000000001.jsonl`, `${lines.join("\n")}\n{"type":"assist`);
  home.write(`${folder}/agent-a0000000000000002.meta.json`, '{"agentType":');
  const loop = { agentType: "Plan", description: "Loop", parentAgentId: "a0000000000000003", finished: true };
  home.write(`${folder}/agent-a0000000000000003.meta.json`, JSON.stringify(loop));
  const outside = home.write("outside.json", JSON.stringify({ agentType: "Plan", description: "Outside" }));
  symlinkSync(outside, join(home.home, folder.slice(2), "agent-a0000000000000004.meta.json"));

  const found = await listed(home);
  expect(found.agents).toMatchObject([
    { agentType: theirs.agentType, state: "unknown", turns: 2, toolUses: 3, totalTokens: 107, lastTool: "Grep" },
    { agentType: "Plan", state: "unknown", turns: 0 },
  ]);
  const { stdout, stderr } = await runs(home);
  expect(stdout).toContain("Explore\\u{1b}[31m");
  expect(stderr.match(/agent-a000000000000000\d\.meta\.json is missing or damaged/g)).toHaveLength(2);
});

test("an unknown session is an error", async () => {
  using home = temporaryHome();
  const { code, stderr } = await runKeelson(["agents", "runs", "nowhere"], { home });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: no session in this folder has the ID or title "nowhere"\n',
  });
});
