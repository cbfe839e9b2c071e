// Which agents a session says it has: in its first message, to clients and when /agents is typed.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf } from "../../front-door.ts";
import { addAgent, play, trust } from "../agent-home.ts";

const BUILT_IN = ["claude", "Explore", "general-purpose", "Plan", "statusline-setup", "Bash"];

const agentsOf = (run: Awaited<ReturnType<typeof play>>) => messagesOf(run, "system/init")[0].agents;

test("init lists agents of flags and files, then built-in ones; a file replaces a built-in one", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "reviewer");
  addAgent(home, "deep", { folder: ".claude/agents/team/deep" });
  addAgent(home, "mine", { folder: "~/.claude/agents" });
  addAgent(home, "Explore", { folder: "~/.claude/agents" });
  home.write("agents.json", { filed: { description: "From a file", prompt: "Be short" } });
  const inline = JSON.stringify({ flagged: { description: "From the command line", prompt: "Be quick" } });

  expect(agentsOf(await play(home, "hi", ["--agents", inline]))).toEqual([
    ...["flagged", "reviewer", "deep", "Explore", "mine"],
    ...["claude", "general-purpose", "Plan", "statusline-setup", "Bash"],
  ]);
  expect(agentsOf(await play(home, "hi", ["--agents", "agents.json"]))).toContain("filed");
  const denied = await play(home, "hi", ["--disallowedTools", "Agent(reviewer),Task(plan)"]);
  expect(agentsOf(denied)).toEqual([
    "deep",
    "Explore",
    "mine",
    "claude",
    "general-purpose",
    "statusline-setup",
    "Bash",
  ]);
  expect(agentsOf(await play(home, "hi", ["--bare"]))).toEqual(BUILT_IN);
});

test("Explore and Plan can be turned off by a variable", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hi" }]);
  const env = { CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS: "1" };
  const ended = await runKeelson(["-p", "hi", ...CHAT.slice(0, 3)], { home, url: model.url, env });
  expect(messagesOf(ended, "system/init")[0].agents).toEqual(["claude", "general-purpose", "statusline-setup", "Bash"]);
});

test.each([
  [
    '{"x": {"description": "d"}}',
    'error: --agents: "x" must be { "description": "…", "prompt": "…" }, with a name before it\n',
  ],
  ["{x}", /^error: --agents is not valid JSON: /],
  ["nowhere.json", /^error: --agents: file not found: .*nowhere\.json\n$/],
  ["[]", /^error: --agents: file not found: /],
])("--agents %s is refused", async (agents, error) => {
  using home = temporaryHome();
  const { code, stdout, stderr } = await play(home, "hi", ["--agents", agents]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(error);
});

test("an administrator can refuse agents on the command line", async () => {
  using home = temporaryHome();
  const policy = JSON.stringify({ disableSideloadFlags: true });
  const agents = JSON.stringify({ x: { description: "d", prompt: "p" } });
  const { code, stderr } = await play(home, "hi", ["--managed-settings", policy, "--agents", agents]);
  expect(code).toBe(1);
  expect(stderr).toContain("managed settings do not allow agents on the command line (disableSideloadFlags)");
});

test("a client sees agents in initialize, adds its own, and sees changed files with the next prompt", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "reviewer", { head: "model: haiku\n" });
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await using program = startKeelson(["-p", ...CHAT], { home, url: model.url, stdin: "open" });
  const ask = async (id: string, request: object) => {
    program.send(control(id, request));
    const isReply = ({ type, response }: any) => type === "control_response" && response.request_id === id;
    return ((await program.waitForLine(isReply)).json as any).response.response;
  };
  const say = async (text: string) => {
    program.send(prompt(text));
    await program.waitForLine(({ type, result }) => type === "result" && result === text);
  };
  const mine = { description: "Client", prompt: "p", tools: ["Read"] };
  const given = { mine, reviewer: { ...mine, model: "opus" }, bad: {} };
  const { agents } = await ask("i", { subtype: "initialize", agents: given });
  expect(agents.map(({ name }: any) => name)).toEqual(["mine", "reviewer", ...BUILT_IN]);
  expect(agents.slice(0, 2)).toEqual([
    { name: "mine", description: "Client" },
    { name: "reviewer", description: "Client", model: "opus" },
  ]);

  await say("one");
  addAgent(home, "later");
  await say("two");
  expect((await ask("u", { subtype: "get_context_usage", detail: "summary" })).agents).toEqual([
    { agentType: "mine", source: "flagSettings", tokens: expect.any(Number) },
    { agentType: "reviewer", source: "flagSettings", tokens: expect.any(Number) },
    {
      agentType: "later",
      source: "projectSettings",
      path: expect.stringMatching(/later\.md$/),
      tokens: expect.any(Number),
    },
  ]);
  const reloaded = await ask("r", { subtype: "reload_plugins" });
  expect(reloaded.agents.map(({ name }: any) => name)).toEqual(["mine", "reviewer", "later", ...BUILT_IN]);
  program.closeStdin();
  const ended = await program.done;
  expect(messagesOf(ended, "system/init").map((init) => init.agents.includes("later"))).toEqual([false, true]);
  expect(ended.stderr).toBe("");
});

test("/agents lists them with where they come from", async () => {
  using home = temporaryHome();
  addAgent(home, "reviewer", { description: "Reads diffs\u202e" });
  addAgent(home, "mine", { folder: "~/.claude/agents", head: "model: opus\n" });
  const { result } = resultOf(await play(home, "/agents"));
  expect(result).toStartWith(
    "Agents:\n\n- mine (user, opus): Does mine\n- reviewer (project, not trusted): Reads diffs\n- claude (built-in): ",
  );
});

test("an agent behind a link that leads out of the folder is neither read nor listed", async () => {
  using home = temporaryHome();
  const secret = home.write("~/secret.md", "---\nname: secret\ndescription: the secret\n---\n");
  mkdirSync(join(home.project, ".claude/agents"), { recursive: true });
  symlinkSync(secret, join(home.project, ".claude/agents/a.md"));
  symlinkSync("/dev/zero", join(home.project, ".claude/agents/b.md"));
  const run = await play(home, "hi");
  expect(agentsOf(run)).toEqual(BUILT_IN);
  expect(run.stdout).not.toContain("the secret");
});
