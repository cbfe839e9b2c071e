// What happens when a skill or command is invoked, by the model or by name.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, toolUseResults } from "../front-door.ts";
import { addSkill, bash, invoke, lastOf, play, textsOf, trust } from "./skill-home.ts";

test("the text of a skill follows the result of the call", async () => {
  using home = temporaryHome();
  const folder = addSkill(home, "deploy", "description: Ship it", "Ship $0 to $1 from ${CLAUDE_SKILL_DIR}");
  const run = await play(home, "hi", [invoke("/deploy", '"the app" eu'), { text: "done" }]);

  const text = `Base directory for this skill: ${folder}\n\nShip the app to eu from ${folder}\n`;
  expect(lastOf(run.requests[1]!)).toEqual(["Launching skill: deploy", text]);
  const users = messagesOf(run, "user");
  expect(users[0].tool_use_result).toEqual({ success: true, commandName: "deploy" });
  expect(users[1]).toMatchObject({ isSynthetic: true, message: { content: [{ type: "text", text }] } });
  expect(resultOf(run)).toMatchObject({ result: "done", is_error: false });
});

test("a typed skill is one message: how it was typed, then its text", async () => {
  using home = temporaryHome();
  const folder = addSkill(home, "deploy", "description: Ship it", "Ship it");
  home.write(".claude/commands/ns/fix.md", "---\ndescription: x\n---\nFix $ARGUMENTS now\n");
  const skill = await play(home, "/deploy to eu");
  expect(textsOf(skill.requests[0]!.body.messages[0]).slice(-2)).toEqual([
    "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>to eu</command-args>",
    `Base directory for this skill: ${folder}\n\nShip it\n\n\nARGUMENTS: to eu`,
  ]);
  const command = await play(home, "/ns:fix");
  expect(textsOf(command.requests[0]!.body.messages[0]).slice(-2)).toEqual([
    "<command-message>ns:fix</command-message>\n<command-name>/ns:fix</command-name>",
    "Fix  now\n",
  ]);
});

test.each([
  ["empty lines", "\n\n\n", "# Title\n\nDo it\n\n"],
  ["lines of spaces, tabs and carriage returns", " \t\r\n\r\n  \n", "  # Title\nDo it\n"],
  ["an indented first line", "\n", "    # Title\n\n    code\n"],
])("the text of a skill begins at its first line: %s", async (_name, before, text) => {
  using home = temporaryHome();
  const source = `---\ndescription: x\n---\n${before}${text}`;
  home.write(".claude/skills/deploy/SKILL.md", source);
  home.write(".claude/commands/fix.md", source);
  home.write(".claude/agents/helper.md", source.replace("---\n", "---\nname: helper\n"));
  const expected = text.trimStart();
  const heading = `Base directory for this skill: ${join(home.project, ".claude/skills/deploy")}\n\n`;
  const called = await play(home, "hi", [invoke("deploy"), { text: "done" }]);
  expect(lastOf(called.requests[1]!)).toEqual(["Launching skill: deploy", heading + expected]);
  const typed = await play(home, "/deploy");
  expect(textsOf(typed.requests[0]!.body.messages[0]).at(-1)).toBe(heading + expected);
  const command = await play(home, "/fix");
  expect(textsOf(command.requests[0]!.body.messages[0]).at(-1)).toBe(expected);
  const agent = await play(home, "hi", [{ text: "done" }], ["--agent", "helper"]);
  expect(JSON.stringify(agent.requests[0]!.body.system)).not.toContain(JSON.stringify(before + text).slice(1, -1));
});

test("without frontmatter, the text of a skill is the file as it is", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/fix.md", "\n\n  Fix it\n");
  const command = await play(home, "/fix");
  expect(textsOf(command.requests[0]!.body.messages[0]).at(-1)).toBe("\n\n  Fix it\n");
});

test("files that the text mentions follow it, if they are inside and may be read", async () => {
  using home = temporaryHome();
  home.write("notes.md", "remember");
  home.write(".env", "SECRET=1");
  const outside = join(home.root, "outside.txt");
  home.write("../outside.txt", "OUTSIDE");
  home.settings({ permissions: { deny: ["Read(.env)"], allow: [`Read(/${outside})`] } });
  addSkill(home, "look", "description: x", `See @notes.md, @.env and @${outside}`);
  const { requests } = await play(home, "hi", [invoke("look"), { text: "done" }]);
  const texts = lastOf(requests[1]!);
  expect(texts[1]).toContain("See @notes.md");
  expect(texts.slice(2)).toEqual([
    expect.stringContaining("Called the Read tool"),
    expect.stringContaining("1\tremember"),
  ]);
  expect(JSON.stringify(requests)).not.toMatch(/SECRET|OUTSIDE/);
});

test("a name that is unknown, or not for the model, is refused with a reason", async () => {
  using home = temporaryHome();
  addSkill(home, "deploy", "description: x");
  addSkill(home, "hid", "description: x\ndisable-model-invocation: true");
  const { requests } = await play(home, "hi", [invoke("deplyo"), invoke("hid"), { text: "done" }]);
  expect(lastOf(requests[1]!)).toEqual([
    "<tool_use_error>Unknown skill: deplyo. Did you mean deploy?</tool_use_error>",
  ]);
  expect(lastOf(requests[2]!)).toEqual([
    "<tool_use_error>Skill hid cannot be used with Skill tool due to disable-model-invocation. Only the user can invoke it, by typing /hid</tool_use_error>",
  ]);
});

test("a skill that brings tools or hooks needs a permission, others do not; rules can allow and deny", async () => {
  using home = temporaryHome();
  trust(home);
  addSkill(home, "tools", "description: x\nallowed-tools: Bash(touch:*)");
  addSkill(home, "plain", "description: x\nmodel: inherit");
  const replies = [invoke("tools"), invoke("plain"), { text: "done" }];
  const asked = await play(home, "hi", replies);
  expect(lastOf(asked.requests[1]!)[0]).toBe(
    `The skill tools needs approval. No one is available to approve it in this session. Do not retry it: go on without it, and say at the end what was left undone and that the rule Skill(tools) would allow it. You can still read ${join(home.project, ".claude/skills/tools/SKILL.md")}.`,
  );
  expect(lastOf(asked.requests[2]!)[0]).toBe("Launching skill: plain");

  const allowed = await play(home, "hi", replies, ["--allowedTools", "Skill(tools)"]);
  expect(lastOf(allowed.requests[1]!)[0]).toBe("Launching skill: tools");
  expect(messagesOf(allowed, "user")[0].tool_use_result).toEqual({
    success: true,
    commandName: "tools",
    allowedTools: ["Bash(touch:*)"],
  });
  const denied = await play(home, "hi", replies, ["--disallowedTools", "Skill(plain)"]);
  expect(lastOf(denied.requests[2]!)[0]).toBe(
    "Skill execution blocked by permission rules. The deny rule is Skill(plain), from cliArg. Do not reach the same end in another way: go on without it, and say at the end what was left undone.",
  );
});

test("allowed-tools are granted for the turn, in a trusted folder only", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/make.md", "---\nallowed-tools: Bash(touch:*)\n---\nMake it");
  const replies = [bash("touch made"), { text: "done" }];
  await play(home, "/make", replies);
  expect(existsSync(join(home.project, "made"))).toBe(false);
  trust(home);
  await play(home, "/make", replies);
  expect(existsSync(join(home.project, "made"))).toBe(true);
});

test("disallowed-tools are refused for the turn", async () => {
  using home = temporaryHome();
  trust(home);
  home.write(".claude/commands/look.md", "---\ndisallowed-tools: Bash\n---\nLook");
  const { requests } = await play(home, "/look", [bash("echo x"), { text: "done" }]);
  expect(lastOf(requests[1]!)[0]).toContain("Permission to use Bash");
});

test("model and effort of a skill hold for the turn", async () => {
  using home = temporaryHome();
  trust(home);
  addSkill(home, "small", "description: x\nmodel: haiku\neffort: low");
  const typed = await play(home, "/small");
  expect(typed.requests[0]!.body.model).toContain("haiku");
  home.write("~/.claude/skills/hard/SKILL.md", "---\ndescription: x\neffort: max\n---\nDo it");
  const invoked = await play(home, "hi", [invoke("hard"), { text: "done" }], ["--model", "claude-opus-4-6"]);
  expect(invoked.requests.map(({ body }) => body.output_config?.effort)).toEqual(["high", "max"]);

  const fixed = ["--model", "claude-opus-4-6", "--effort", "medium"];
  const { body } = (await play(home, "/small", [{ text: "done" }], fixed)).requests[0]!;
  expect(body.model).toContain("haiku");
});

test.each([
  ["max", [], "high"],
  ["xhigh", [], "high"],
  ["low", [], "low"],
  ["low", ["--effort", "medium"], "medium"],
  ["max", ["--effort", "medium"], "medium"],
])("a skill of an untrusted folder with effort %s, given %j, has effort %s and the user's model", async (...row) => {
  const [effort, flags, expected] = row;
  using home = temporaryHome();
  const head = `description: x\nmodel: claude-opus-4-8\neffort: ${effort}`;
  addSkill(home, "grow", head);
  addSkill(home, "forked", `${head}\ncontext: fork\nagent: large`);
  home.write(".claude/commands/old.md", `---\n${head}\n---\nDo it`);
  home.write(
    ".claude/agents/large.md",
    "---\nname: large\ndescription: x\nmodel: claude-opus-4-8\neffort: max\n---\nDo",
  );
  const own = ["--model", "claude-opus-4-6", ...flags];
  const last = async (...given: Parameters<typeof play> extends [any, ...infer Rest] ? Rest : never) => {
    const { body } = (await play(home, ...given)).requests.at(-1)!;
    return [body.model, body.output_config?.effort];
  };
  const kept = ["claude-opus-4-6", expected];
  for (const typed of ["/grow", "/old", "/forked"])
    expect([typed, ...(await last(typed, undefined, own))]).toEqual([typed, ...kept]);
  expect(await last("hi", [invoke("grow"), { text: "done" }], own)).toEqual(kept);
});

test("hooks of a skill run during its turn, in a trusted folder only", async () => {
  using home = temporaryHome();
  const head = [
    "description: x",
    "hooks:",
    "  PreToolUse:",
    "    - matcher: Bash",
    "      hooks:",
    "        - type: command",
    "          command: echo blocked by the skill >&2; exit 2",
  ].join("\n");
  addSkill(home, "guarded", head);
  const replies = [bash("echo x"), { text: "done" }];
  const untrusted = await play(home, "/guarded", replies);
  expect(lastOf(untrusted.requests[1]!)[0]).toBe("x");
  trust(home);
  const trusted = await play(home, "/guarded", replies);
  expect(lastOf(trusted.requests[1]!)[0]).toContain("blocked by the skill");
});

test("UserPromptExpansion hooks see a typed command and can block it", async () => {
  using home = temporaryHome();
  addSkill(home, "deploy", "description: x", "Ship it");
  const command = 'cat > seen.json; echo \'{"decision":"block","reason":"not today"}\'';
  home.settings({ hooks: { UserPromptExpansion: [{ matcher: "deploy", hooks: [{ type: "command", command }] }] } });
  const run = await play(home, "/deploy to eu");
  expect(run.requests).toHaveLength(0);
  expect(resultOf(run).result).toContain("not today");
  expect(JSON.parse(home.read("seen.json"))).toMatchObject({
    hook_event_name: "UserPromptExpansion",
    expansion_type: "slash_command",
    command_name: "deploy",
    command_args: "to eu",
    command_source: "projectSettings",
    prompt: "/deploy to eu",
  });
});

test("a skill with context: fork runs in a subagent, and only its answer comes back", async () => {
  using home = temporaryHome();
  home.write("a.txt", "inside");
  addSkill(home, "research", "description: x\ncontext: fork", "Look into $ARGUMENTS");
  const read = { calls: [{ name: "Read", input: { file_path: join(home.project, "a.txt") } }] };
  const replies = [invoke("research", "this"), read, { text: "found it" }, { text: "done" }];
  const run = await play(home, "a secret prompt", replies);

  const [, child, , parent] = run.requests;
  expect(textsOf(child!.body.messages[0]).at(-1)).toContain("Look into this");
  expect(JSON.stringify(child!.body.messages)).not.toContain("a secret prompt");
  expect(child!.body.tools.map(({ name }: any) => name)).not.toContain("Skill");
  expect(lastOf(parent!)).toEqual(['Skill "research" completed (forked execution).\n\nResult:\nfound it']);
  expect(toolUseResults(run)).toHaveLength(1);
  expect(toolUseResults(run)[0]).toMatchObject({
    success: true,
    commandName: "research",
    status: "forked",
    result: "found it",
    agentId: expect.stringMatching(/^a[0-9a-f]{16}$/),
  });

  const typed = await play(home, "/research this", [{ text: "found it" }]);
  expect(typed.requests).toHaveLength(1);
  expect(resultOf(typed)).toMatchObject({ result: "found it", num_turns: 0, is_error: false });
});

test("a skill runs in the agent of its plugin that it names, and without that agent in the usual one", async () => {
  using home = temporaryHome();
  const root = join(home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" }), "../..");
  home.write("~/kit/agents/scout.md", "---\ndescription: Scouts\ntools: Read\n---\nYou are the scout.");
  home.write("~/kit/skills/look/SKILL.md", "---\ndescription: x\ncontext: fork\nagent: scout\n---\nLook around\n");
  home.write("~/kit/skills/lost/SKILL.md", "---\ndescription: x\ncontext: fork\nagent: nobody\n---\nLook around\n");
  const run = async (skill: string) => {
    const replies = [invoke(skill), { text: "found it" }, { text: "done" }];
    const { requests, stderr } = await play(home, "hi", replies, ["--plugin-dir", root]);
    const { system, tools } = requests[1]!.body;
    return { stderr, isScout: JSON.stringify(system).includes("You are the scout."), tools: tools.length };
  };
  expect(await run("kit:look")).toEqual({ stderr: "", isScout: true, tools: 1 });
  const lost = await run("kit:lost");
  expect(lost.stderr).toBe(
    "warning: skill kit:lost names the agent 'nobody', which does not exist; it runs in general-purpose\n",
  );
  expect(lost.isScout).toBe(false);
  expect(lost.tools).toBeGreaterThan(5);
});

test("a subagent of a skill is under the session's rules and hooks", async () => {
  using home = temporaryHome();
  addSkill(home, "research", "description: x\ncontext: fork\nagent: Explore", "Look");
  const log = join(home.home, "log");
  const command = `cat >> ${log}; echo >> ${log}`;
  const events = ["SubagentStart", "PreToolUse", "SubagentStop", "Stop", "UserPromptSubmit"];
  home.settings({
    hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command }] }]])),
  });
  const run = await play(home, "hi", [invoke("research"), bash("touch made"), { text: "no" }, { text: "done" }]);
  expect(lastOf(run.requests[2]!)[0]).toContain("requires approval");
  expect(existsSync(join(home.project, "made"))).toBe(false);
  const seen = home
    .read("~/log")
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(seen.map(({ hook_event_name, agent_type }) => [hook_event_name, agent_type])).toEqual([
    ["UserPromptSubmit", undefined],
    ["PreToolUse", undefined],
    ["SubagentStart", "Explore"],
    ["PreToolUse", "Explore"],
    ["SubagentStop", "Explore"],
    ["Stop", undefined],
  ]);
});

test("skills typed one after the other are all invoked, each with the rest as its arguments", async () => {
  using home = temporaryHome();
  trust(home);
  const log = join(home.root, "log");
  const record = `cat >> ${log}`;
  home.settings({ hooks: { UserPromptExpansion: [{ hooks: [{ type: "command", command: record }] }] } });
  for (const name of ["a", "b", "c"]) home.write(`.claude/commands/${name}.md`, `${name.toUpperCase()} $ARGUMENTS`);
  const { requests } = await play(home, "/a /b /a the app /c");
  const texts = textsOf(requests[0]!.body.messages[0]);
  expect(texts.slice(-4)).toEqual([
    "<command-message>a</command-message>\n<command-name>/a</command-name>\n<command-args>the app /c</command-args>",
    "A the app /c",
    "<command-message>b</command-message>\n<command-name>/b</command-name>\n<command-args>the app /c</command-args>",
    "B the app /c",
  ]);
  const asked = readFileSync(log, "utf8").trim().split("\n");
  expect(asked.map((line) => JSON.parse(line).command_name)).toEqual(["a", "b"]);

  const unknown = await play(home, "/a /tmp/x");
  expect(textsOf(unknown.requests[0]!.body.messages[0]).at(-1)).toBe("A /tmp/x");
  home.write(".claude/commands/broken.md", "!`touch made`");
  const { stdout } = await play(home, "/a /broken x");
  expect(stdout).toContain('"/broken failed: The inline command \\"touch made\\" did not succeed');
  const loop = await play(home, "/loop /a");
  expect(textsOf(loop.requests[0]!.body.messages[0]).at(-1)).toContain("Task, interval and condition: /a\n");
});
