// A session that runs as an agent: what the model is sent, what may run, and what goes wrong.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, spoken, STREAM, told } from "../../front-door.ts";
import { fakeServer } from "../../servers/fake.ts";
import { addAgent, play, trust, type AgentRun } from "../agent-home.ts";
import { HAIKU, OPUS, SONNET } from "../../../models.ts";

const toolsIn = (request: { readonly body: any }) => request.body.tools.map(({ name }: any) => name);
const systemIn = (request: { readonly body: any }) => request.body.system.map(({ text }: any) => text);

test("its text takes the place of our own prompt; tools, model and effort are its own", async () => {
  using home = temporaryHome();
  trust(home);
  const head = "tools: Read, Bash(git:*), Task, NoSuchTool\ndisallowedTools: Task\nmodel: opus\neffort: low\n";
  addAgent(home, "reviewer", { head, body: "You review.\n\nBe strict." });
  const { requests, messages } = await play(home, "hi", ["--agent", "reviewer"]);
  const [request] = requests;
  const [identity, rest] = systemIn(request!);
  expect(identity).toBe("You are the Keelson agent. You work on a user's code through tools.");
  expect(rest).toStartWith("You review.\n\nBe strict.\n\n");
  expect(rest).toContain("# Environment\nWorking directory: ");
  expect(rest).not.toContain("# Tools");
  expect(toolsIn(request!)).toEqual(["Bash", "Read"]);
  expect(request!.body.model).toBe(OPUS);
  expect(request!.body.output_config).toMatchObject({ effort: "low" });
  const [init] = messagesOf({ messages }, "system/init");
  expect([init.tools, init.model]).toEqual([["Bash", "Read"], OPUS]);
});

test("an agent of a folder that is not trusted does not raise the effort, and may lower it", async () => {
  using home = temporaryHome();
  addAgent(home, "eager", { head: "effort: max\n" });
  addAgent(home, "calm", { head: "effort: low\n" });
  const start = (subagent_type: string) => ({
    calls: [{ name: "Agent", input: { description: "look", prompt: "look", subagent_type } }],
  });
  const efforts = async (name: string) => {
    const asChild = await play(home, "go", [], [start(name), { text: "seen" }, { text: "done" }]);
    const asSession = await play(home, "go", ["--agent", name]);
    return [asChild.requests[1], asSession.requests[0]].map((request) => request!.body.output_config.effort);
  };
  const { requests } = await play(home, "go");
  const { effort } = requests[0]!.body.output_config;
  expect(await efforts("eager")).toEqual([effort, effort]);
  expect(await efforts("calm")).toEqual(["low", "low"]);
  trust(home);
  expect(await efforts("eager")).toEqual(["max", "max"]);
});

test("flags take precedence over its model, effort and mode; the prompt of a client does not replace its text", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "reviewer", { head: "model: opus\neffort: low\npermissionMode: plan\n" });
  const flags = ["--model", "sonnet", "--effort", "max", "--permission-mode", "acceptEdits"];
  const more = ["--system-prompt", "Not this", "--append-system-prompt", "And this"];
  const { requests, messages } = await play(home, "hi", ["--agent", "reviewer", ...flags, ...more]);
  expect(requests[0]!.body.model).toBe(SONNET);
  expect(requests[0]!.body.output_config).toMatchObject({ effort: "max" });
  const [, rest] = systemIn(requests[0]!);
  expect(rest).toStartWith("You are reviewer.");
  expect(rest).toEndWith("And this");
  expect(rest).not.toContain("Not this");
  expect(messagesOf({ messages }, "system/init")[0].permissionMode).toBe("acceptEdits");
});

test.each<[string, string, readonly string[], string]>([
  ["acceptEdits", "default", [], "acceptEdits"],
  ["acceptEdits", "plan", [], "plan"],
  ["acceptEdits", "dontAsk", [], "dontAsk"],
  ["default", "acceptEdits", [], "default"],
  ["bypassPermissions", "default", [], "default"],
  ["auto", "acceptEdits", [], "acceptEdits"],
  ["bypassPermissions", "default", ["--allow-dangerously-skip-permissions"], "bypassPermissions"],
])("an agent that asks for %s, where the settings say %s and the flags are %p, works in %s", async (...row) => {
  const [wanted, defaultMode, flags, mode] = row;
  using home = temporaryHome();
  home.settings({ permissions: { defaultMode } });
  addAgent(home, "worker", { folder: "~/.claude/agents", head: `permissionMode: ${wanted}\n` });
  await using model = await startMockModel([{ text: "done" }]);
  const argv = ["-p", "hi", ...STREAM, "--agent", "worker", ...flags];
  const run = await runKeelson(argv, { home, url: model.url, env: { IS_SANDBOX: "1" } });
  expect(messagesOf(run, "system/init")[0].permissionMode).toBe(mode);
  const isRefused = (wanted === "auto" || wanted === "bypassPermissions") && mode !== wanted;
  const warning = `warning: the agent "worker" cannot choose ${wanted} mode; start with --permission-mode ${wanted}\n`;
  expect(run.stderr).toBe(isRefused ? warning : "");
});

test("a built-in agent and a retired model work; a session can be set to run as an agent", async () => {
  using home = temporaryHome();
  const explore = await play(home, "hi", ["--agent", "Explore"]);
  expect(explore.requests[0]!.body.model).toBe(HAIKU);
  expect(toolsIn(explore.requests[0]!)).not.toContain("Edit");
  addAgent(home, "old", { folder: "~/.claude/agents", head: "model: claude-opus-4-1\n" });
  home.write("~/.claude/settings.json", { agent: "old" });
  const { requests } = await play(home, "hi");
  expect(requests[0]!.body.model).toBe(OPUS);
  expect(systemIn(requests[0]!)[1]).toStartWith("You are old.");
});

test("a folder that is not trusted does not choose the agent, and its agent cannot widen the mode or run hooks", async () => {
  using home = temporaryHome();
  const ran = join(home.project, "ran");
  const head = `permissionMode: acceptEdits
mcpServers:
  - own:
      command: touch
      args: ["${ran}"]
hooks:
  SessionStart:
    - hooks:
        - type: command
          command: touch ${ran}
  PreToolUse:
    - hooks:
        - type: command
          command: touch ${ran}
`;
  addAgent(home, "wide", { head });
  home.write(".claude/settings.json", { agent: "wide" });
  const unasked = await play(home, "hi");
  expect(systemIn(unasked.requests[0]!)[1]).not.toContain("You are wide.");
  const write = { calls: [{ name: "Write", input: { file_path: join(home.project, "a.txt"), content: "x" } }] };
  const { requests, messages } = await play(home, "hi", ["--agent", "wide"], [write, { text: "done" }]);
  expect(systemIn(requests[0]!)[1]).toStartWith("You are wide.");
  expect(messagesOf({ messages }, "system/init")[0]).toMatchObject({ permissionMode: "default", mcp_servers: [] });
  expect(told(requests[1]!)[0]).toMatchObject({ is_error: true });
  expect([existsSync(ran), existsSync(join(home.project, "a.txt"))]).toEqual([false, false]);
  // A stricter mode is fine.
  addAgent(home, "careful", { head: "permissionMode: plan\n" });
  const careful = await play(home, "hi", ["--agent", "careful"]);
  expect(messagesOf(careful, "system/init")[0].permissionMode).toBe("plan");
});

test("a trusted agent's mode, hooks and deny rules apply; hooks are told its name, and Stop stays Stop", async () => {
  using home = temporaryHome();
  trust(home);
  const log = join(home.project, "hooks.log");
  const hook = (event: string) =>
    `  ${event}:\n    - hooks:\n        - type: command\n          command: cat >> ${log}\n`;
  const head = `permissionMode: acceptEdits\ndisallowedTools: Bash(git push *)\nhooks:\n${hook("PreToolUse")}${hook("Stop")}`;
  addAgent(home, "worker", { head });
  const write = { calls: [{ name: "Write", input: { file_path: join(home.project, "a.txt"), content: "x" } }] };
  const push = { calls: [{ name: "Bash", input: { command: "git push origin main" } }] };
  const { requests, messages } = await play(home, "hi", ["--agent", "worker"], [write, push, { text: "done" }]);
  expect(messagesOf({ messages }, "system/init")[0].permissionMode).toBe("acceptEdits");
  expect(readFileSync(join(home.project, "a.txt"), "utf8")).toBe("x");
  expect(told(requests[2]!)[0]).toMatchObject({ is_error: true, content: expect.stringContaining("git push") });
  const fired = readFileSync(log, "utf8")
    .replaceAll("}{", "}\n{")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(fired.map((input) => [input.hook_event_name, input.agent_type, "agent_id" in input])).toEqual([
    ["PreToolUse", "worker", false],
    ["PreToolUse", "worker", false],
    ["Stop", "worker", false],
  ]);
});

test("skills it names are in the first request, and so is its memory", async () => {
  using home = temporaryHome();
  trust(home);
  home.write(".claude/skills/style/SKILL.md", "---\ndescription: How we write\n---\nUse tabs\n");
  home.write(".claude/agent-memory/writer/MEMORY.md", "- [Tone](tone.md): dry\n");
  addAgent(home, "writer", { head: "skills: [style, nope]\nmemory: project\n" });
  const { requests, stderr } = await play(home, "hi", ["--agent", "writer"]);
  const folder = join(home.project, ".claude/agent-memory/writer");
  expect(systemIn(requests[0]!)[1]).toContain(`# Your memory\n${folder}/ is yours`);
  expect(systemIn(requests[0]!)[1]).toContain("MEMORY.md:\n\n- [Tone](tone.md): dry");
  const texts = spoken(requests[0]!)[0].content.map(({ text }: any) => text);
  const skill = texts.find((text: string) => text.includes("<skill-format>"));
  expect(skill).toStartWith(
    "<command-message>style</command-message>\n<command-name>style</command-name>\n<skill-format>true</skill-format>\n",
  );
  expect(skill).toContain("Use tabs");
  expect(stderr).toContain('warning: an agent starts without the skill "nope": there is no skill "nope"');
});

test("an agent of a plugin names the plugin's skills without its name, also those that commands hide", async () => {
  using home = temporaryHome();
  const root = join(home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" }), "../..");
  home.write("~/kit/agents/writer.md", "---\ndescription: Writes\nskills: [style, both, kit:style, far]\n---\nWrite.");
  home.write("~/kit/skills/style/SKILL.md", "---\ndescription: x\n---\nUse tabs\n");
  home.write("~/kit/skills/both/SKILL.md", "---\ndescription: x\n---\nThe skill\n");
  home.write("~/kit/commands/both.md", "---\ndescription: x\n---\nThe command\n");
  home.write("~/.claude/skills/style/SKILL.md", "---\ndescription: x\n---\nUse spaces\n");
  home.write("~/.claude/skills/far/SKILL.md", "---\ndescription: x\n---\nFar away\n");
  const { requests, stderr, messages } = await play(home, "hi", ["--agent", "kit:writer", "--plugin-dir", root]);
  const texts = spoken(requests[0]!)[0].content.filter(({ text }: any) => text.includes("<skill-format>"));
  expect(messagesOf({ messages }, "system/init")[0].skills).toEqual(expect.arrayContaining(["kit:both", "kit:style"]));
  expect(texts.map(({ text }: any) => text.trim().split("\n").at(-1))).toEqual([
    "Use tabs",
    "The skill",
    "Use tabs",
    "Far away",
  ]);
  expect(stderr).toBe("");
});

test("it may write notes to its own memory, unless the folder is not trusted", async () => {
  using home = temporaryHome();
  addAgent(home, "writer", { head: "memory: project\n" });
  const note = join(home.project, ".claude/agent-memory/writer/style.md");
  const write = { calls: [{ name: "Write", input: { file_path: note, content: "tabs" } }] };
  const refused = await play(home, "hi", ["--agent", "writer"], [write, { text: "done" }]);
  expect(told(refused.requests[1]!)[0]).toMatchObject({ is_error: true });
  trust(home);
  const { requests } = await play(home, "hi", ["--agent", "writer"], [write, { text: "done" }]);
  expect(readFileSync(note, "utf8")).toBe("tabs");
  expect(systemIn(requests[0]!)[1]).not.toContain("# Memory\n");
});

test("its first prompt stands before the user's, as one block, once; alone if there is none", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "starter", { head: "initialPrompt: Look around first.\n" });
  const lastText = (request: any) => spoken(request).at(-1).content.at(-1).text;
  const both = await play(home, "Then stop.", ["--agent", "starter"]);
  expect(lastText(both.requests[0])).toBe("Look around first.\n\nThen stop.");
  const alone = await play(home, undefined, ["--agent", "starter"]);
  expect([alone.code, lastText(alone.requests[0])]).toEqual([0, "Look around first."]);
  const { session_id: id } = resultOf(alone);
  const resumed = await play(home, "Go on", ["--agent", "starter", "--resume", id]);
  expect(lastText(resumed.requests[0])).toBe("Go on");
  addAgent(home, "silent");
  const nothing = await play(home, undefined, ["--agent", "silent"]);
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining("no prompt; input must be provided")]);
});

test("Agent(name) limits what it may start", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "lead", { head: "tools: Agent(worker, nobody), Read\n" });
  addAgent(home, "worker");
  const start = { calls: [{ name: "Agent", input: { description: "x", prompt: "y", subagent_type: "Explore" } }] };
  const { requests, messages } = await play(home, "hi", ["--agent", "lead"], [start, { text: "done" }]);
  expect(messagesOf({ messages }, "system/init")[0]).toMatchObject({ agents: ["worker"], tools: ["Task", "Read"] });
  expect(told(requests[1]!)[0]).toMatchObject({
    is_error: true,
    content: expect.stringContaining("Agent type 'Explore' not found. Available agents: worker"),
  });
});

test("its own server is started, and its tools are offered as far as it names them", async () => {
  using home = temporaryHome();
  trust(home);
  const server = fakeServer(home, "own", { tools: ["read", "write"] });
  const { command, args } = server.entry;
  const config = `mcpServers:\n  - own:\n      command: ${command}\n      args: ${JSON.stringify(args)}\n`;
  addAgent(home, "dba", { head: `tools: Read, mcp__own__read\n${config}` });
  const call = { calls: [{ name: "mcp__own__read", input: { text: "x" } }] };
  const flags = ["--agent", "dba", "--allowedTools", "mcp__own"];
  const { requests } = await play(home, "hi", flags, [call, { text: "done" }]);
  expect(toolsIn(requests[1]!)).toEqual(["Read", "mcp__own__read"]);
  expect(told(requests[1]!)[0].is_error).not.toBe(true);
});

test("an unknown name is an error with the nearest name and all others", async () => {
  using home = temporaryHome();
  addAgent(home, "reviewer");
  const { code, stderr, requests } = await play(home, "hi", ["--agent", "reviwer"]);
  expect([code, requests.length]).toEqual([1, 0]);
  expect(stderr).toBe(
    'error: no agent is called "reviwer"; did you mean "reviewer"? Available agents: reviewer, claude, Explore, general-purpose, Plan, statusline-setup, Bash\n',
  );
});

test("a client may describe the agent in initialize; otherwise each prompt ends with the error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const mine = { description: "Mine", prompt: "You are mine.", tools: ["Read"], initialPrompt: "Begin." };
  const initialize = control("i", { subtype: "initialize", systemPrompt: [""], agents: { mine } });
  await using program = startKeelson(["-p", ...CHAT, "--agent", "mine"], {
    home,
    url: model.url,
    stdin: [initialize, prompt("hello")],
  });
  const ended = await program.done;
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "one" });
  expect(systemIn(model.requests[0]!)[1]).toStartWith("You are mine.");
  expect(toolsIn(model.requests[0]!)).toEqual(["Read"]);
  expect(spoken(model.requests[0]!).at(-1).content.at(-1).text).toBe("Begin.\n\nhello");

  await using other = startKeelson(["-p", ...CHAT, "--agent", "mine"], { home, url: model.url, stdin: [prompt("hi")] });
  const failed = resultOf(await other.done);
  expect(failed).toMatchObject({ is_error: true, errors: [expect.stringMatching(/^No agent is called "mine"\./)] });
  expect(model.requests).toHaveLength(1);
});

test("it stays the agent when settings change and when the conversation is cleared", async () => {
  using home = temporaryHome();
  trust(home);
  const log = join(home.project, "stops.log");
  const hooks = `hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: echo stopped >> ${log}\n`;
  addAgent(home, "worker", { head: `tools: Read\n${hooks}`, description: "Works" });
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const options = { home, url: model.url, stdin: "open" } as const;
  await using program = startKeelson(["-p", ...CHAT, "--agent", "worker"], options);
  const say = async (text: string, result: string) => {
    program.send(prompt(text));
    await program.waitForLine((line) => line.type === "result" && line.result === result);
  };
  await say("a", "one");
  home.write("~/.claude/settings.json", { permissions: { deny: ["Bash(rm *)"] } });
  await say("b", "two");
  program.send(prompt("/clear"));
  await say("c", "three");
  program.closeStdin();
  await program.done;
  expect(model.requests.map((request) => [toolsIn(request), systemIn(request)[1].split("\n", 1)[0]])).toEqual(
    Array.from({ length: 3 }, () => [["Read"], "You are worker."]),
  );
  expect(readFileSync(log, "utf8")).toBe("stopped\n".repeat(3));
});

test("a resumed session runs as the same agent, as long as there is one", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "reviewer", { head: "tools: Read\n" });
  addAgent(home, "other");
  await play(home, "hi", ["--agent", "reviewer"]);
  const again = await play(home, "go on", ["--continue"]);
  expect(systemIn(again.requests[0]!)[1]).toStartWith("You are reviewer.");
  expect(toolsIn(again.requests[0]!)).toEqual(["Read"]);
  const switched = await play(home, "go on", ["--continue", "--agent", "other"]);
  expect(systemIn(switched.requests[0]!)[1]).toStartWith("You are other.");
  const kept = await play(home, "go on", ["--continue"]);
  expect(systemIn(kept.requests[0]!)[1]).toStartWith("You are other.");

  rmSync(join(home.project, ".claude", "agents", "other.md"));
  const gone = await play(home, "go on", ["--continue"]);
  expect(systemIn(gone.requests[0]!)[1]).not.toContain("You are other.");
  expect(gone.stderr).toContain('this session ran as the agent "other", which no longer exists');
});

test("a line in a transcript gives a session no wider mode", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "eager", { head: "permissionMode: acceptEdits\n" });
  const modeIn = ({ messages }: Pick<AgentRun, "messages">) =>
    messagesOf({ messages }, "system/init")[0].permissionMode;
  expect(modeIn(await play(home, "hi", ["--agent", "eager"]))).toBe("acceptEdits");
  const again = await play(home, "go on", ["--continue"]);
  expect(systemIn(again.requests[0]!)[1]).toStartWith("You are eager.");
  expect(modeIn(again)).toBe("default");
});
