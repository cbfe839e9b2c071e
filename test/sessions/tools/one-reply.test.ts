// Calls of one reply that depend on each other: each is checked, shown, judged and run as the calls before it left things,
// although all of them arrive before the first has run.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, STREAM, toolUseResults, told } from "../front-door.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });
const write = (file_path: string, content: string): ScriptedCall => ({ name: "Write", input: { file_path, content } });
const edit = (file_path: string, old_string: string, new_string: string): ScriptedCall => ({
  name: "Edit",
  input: { file_path, old_string, new_string },
});
const skill = (name: string): ScriptedCall => ({ name: "Skill", input: { skill: name } });

/** What the model was told about the calls of one reply. */
async function play(home: TemporaryHome, calls: readonly ScriptedCall[], flags: readonly string[] = []) {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const run = await runKeelson(["-p", "Go", ...STREAM, "--permission-mode", "acceptEdits", ...flags], {
    home,
    url: model.url,
  });
  expect(run.code).toBe(0);
  return told(model.requests[1]!).filter(({ type }) => type === "tool_result");
}
const textsOf = (blocks: readonly any[]) =>
  blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) =>
      [content]
        .flat()
        .map((block) => block.text ?? block)
        .join("\n"),
    );
const errorsOf = (results: readonly any[]) => results.map(({ is_error: isError }) => isError === true);

test("a plan that is written and presented in one reply is the one that is approved", async () => {
  using home = temporaryHome();
  let plan = "";
  await using model = await startMockModel([
    (body: any) => {
      plan = /\S+\/plans\/\S+\.md/.exec(JSON.stringify(body.messages))![0];
      return {
        calls: [write(plan, "1. Look\n2. Leap\n"), { name: "ExitPlanMode", input: {} }, bash("touch too-early")],
      };
    },
    { text: "done" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio", "--permission-mode", "plan"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("Plan it"));
  const { json: asked } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  expect(asked.request).toMatchObject({
    tool_name: "ExitPlanMode",
    input: { plan: "1. Look\n2. Leap\n", planFilePath: plan },
  });
  program.send(answer(asked.request_id, { behavior: "allow", updatedInput: asked.request.input }));
  // After the approval, in the mode that follows it.
  const { json: next } = await program.waitForLine(
    ({ request }) => request?.subtype === "can_use_tool" && request.tool_name === "Bash",
  );
  program.send(answer(next.request_id, { behavior: "deny", message: "not yet" }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const run = await program.done;
  const [, approved] = textsOf(told(model.requests[1]!));
  expect(approved).toStartWith("User has approved your plan. You can now start coding. The plan is saved in ");
  expect(approved).not.toContain("edited");
  expect(toolUseResults(run)[1]).toEqual({ plan: "1. Look\n2. Leap\n", isAgent: false, filePath: plan });
  expect(existsSync(join(home.project, "too-early"))).toBe(false);
});

test("a plan that a hook, a person or the next call of the same reply changes is told as what it is", async () => {
  using home = temporaryHome();
  let plan = "";
  const exit: ScriptedCall = { name: "ExitPlanMode", input: {} };
  await using model = await startMockModel([
    (body: any) => {
      plan = /\S+\/plans\/\S+\.md/.exec(JSON.stringify(body.messages))![0];
      return { calls: [write(plan, "first"), exit, edit(plan, "first", "second"), exit] };
    },
    { text: "done" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio", "--permission-mode", "plan"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("Plan it"));
  const isPlan = ({ request }: any) => request?.subtype === "can_use_tool";
  const first = await program.waitForLine(isPlan);
  program.send(answer(first.json.request_id, { behavior: "deny", message: "Think again" }));
  const second = await program.waitForLine(isPlan, { after: first });
  program.send(answer(second.json.request_id, { behavior: "allow", updatedInput: { plan: "third" } }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  await program.done;
  expect([first, second].map(({ json }) => json.request.input.plan)).toEqual(["first", "second"]);
  expect(textsOf(told(model.requests[1]!)).at(-1)).toEndWith("This is the approved version:\n\nthird");
  expect(readFileSync(plan, "utf8")).toBe("third");
});

test("what one call writes, the next one reads, edits and is asked about", async () => {
  using home = temporaryHome();
  const notebook = JSON.stringify({
    cells: [{ cell_type: "code", id: "a", metadata: {}, source: ["1"], outputs: [], execution_count: null }],
    ...{ metadata: {}, nbformat: 4, nbformat_minor: 5 },
  });
  const results = await play(
    home,
    [
      write("new.txt", "one\n"),
      edit("new.txt", "one", "two"),
      read("new.txt"),
      edit("new.txt", "two", "three"),
      write("book.ipynb", notebook),
      { name: "NotebookEdit", input: { notebook_path: "book.ipynb", cell_id: "a", new_source: "2" } },
      bash("sed -i s/three/four/ new.txt"),
      edit("new.txt", "four", "five"),
      { name: "Grep", input: { pattern: "five", output_mode: "content" } },
    ],
    ["--allowedTools", "Bash(sed *)"],
  );
  expect(errorsOf(results)).toEqual(results.map(() => false));
  expect(textsOf(results)[2]).toContain("two");
  expect(textsOf(results).at(-1)).toContain("new.txt:1:five");
  expect(home.read("new.txt")).toBe("five\n");
  expect(home.read("book.ipynb")).toContain('"2"');
});

test("a hook and a person see a call as the calls before it left the file", async () => {
  using home = temporaryHome();
  home.write("log.sh", 'cat "$(dirname "$0")/a.txt" >> seen.log\n');
  home.settings({ hooks: { PreToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "sh log.sh" }] }] } });
  await using model = await startMockModel([
    { calls: [write("a.txt", "one\n"), edit("a.txt", "one", "two"), edit("a.txt", "two", "three")] },
    { text: "done" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(prompt("Go"));
  const found: unknown[] = [];
  for (let after; found.length < 3;) {
    const line: any = await program.waitForLine(
      ({ request }) => request?.subtype === "can_use_tool",
      after ? { after } : {},
    );
    after = line;
    const path = join(home.project, "a.txt");
    found.push([line.json.request.tool_name, existsSync(path) ? readFileSync(path, "utf8") : null]);
    program.send(answer(line.json.request_id, { behavior: "allow" }));
  }
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  await program.done;
  expect(found).toEqual([
    ["Write", null],
    ["Edit", "one\n"],
    ["Edit", "two\n"],
  ]);
  expect(home.read("seen.log")).toBe("one\ntwo\n");
});

test("after a cd, relative paths and commands are those of the new folder", async () => {
  using home = temporaryHome();
  mkdirSync(join(home.project, "sub"));
  home.write("a.txt", "above\n");
  home.write("top.txt", "above\n");
  home.write("sub/a.txt", "below\n");
  for (const enter of ["cd sub", "cd sub && ls", "ls; cd sub"]) {
    const results = await play(home, [
      read("a.txt"),
      bash(enter),
      read("a.txt"),
      bash("cat a.txt"),
      { name: "Grep", input: { pattern: "below|above", output_mode: "content", path: "a.txt" } },
      write("made.txt", enter),
      { name: "Glob", input: { pattern: "made*" } },
      bash("cd .. && pwd"),
      read("top.txt"),
    ]);
    expect([enter, ...errorsOf(results)]).toEqual([enter, ...results.map(() => false)]);
    const texts = textsOf(results);
    expect([0, 2, 3, 4, 8].map((at) => /above|below/.exec(texts[at]!)?.[0])).toEqual([
      ...["above", "below", "below", "below", "above"],
    ]);
    expect(home.read("sub/made.txt")).toBe(enter);
    expect(texts[6]).toContain("made.txt");
    expect(existsSync(join(home.project, "made.txt"))).toBe(false);
    rmSync(join(home.project, "sub", "made.txt"));
  }
});

test("after EnterWorktree, paths and commands are those of the worktree, and after ExitWorktree those of the project", async () => {
  using home = temporaryHome({ git: true });
  home.write("a.txt", "committed\n");
  for (const args of [
    ["add", "-A"],
    ["commit", "-qm", "all"],
  ])
    expect(Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env }).success).toBe(true);
  home.write("a.txt", "changed\n");
  const results = await play(
    home,
    [
      { name: "EnterWorktree", input: { name: "copy" } },
      read("a.txt"),
      bash("pwd"),
      write("made.txt", "x"),
      { name: "ExitWorktree", input: { action: "keep" } },
      read("a.txt"),
      bash("pwd"),
    ],
    ["--allowedTools", "EnterWorktree", "ExitWorktree"],
  );
  const copy = join(realpathSync(home.project), ".claude/worktrees/copy");
  const texts = textsOf(results);
  expect(errorsOf(results)).toEqual(results.map(() => false));
  expect([texts[1], texts[5]].map((text) => /committed|changed/.exec(text!)?.[0])).toEqual(["committed", "changed"]);
  expect([texts[2], texts[6]].map((text) => text!.trim())).toEqual([copy, realpathSync(home.project)]);
  expect(existsSync(join(copy, "made.txt"))).toBe(true);
});

test("plan mode that one call starts holds for the next, and a tool that a skill takes away is gone", async () => {
  using home = temporaryHome();
  home.write("~/.claude/skills/calm/SKILL.md", "---\ndescription: x\ndisallowed-tools: Bash\n---\nBe calm.\n");
  const results = await play(home, [
    write("before.txt", "x"),
    { name: "EnterPlanMode", input: {} },
    write("after.txt", "x"),
  ]);
  // Without anyone to ask, the tool is not offered.
  expect(errorsOf(results)[1]).toBe(true);
  const calm = await play(home, [bash("echo first"), skill("calm"), bash("echo second")]);
  expect(errorsOf(calm)).toEqual([false, false, true]);
});

test("what an answer allows or denies holds for the next call of the reply", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [bash("touch a1"), bash("touch a2"), bash("touch b")] },
    { text: "done" },
  ]);
  await using program = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  program.send(control("i", { subtype: "initialize" }));
  program.send(prompt("Go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  const rules = (behavior: string, ruleContent: string) => ({
    ...{ type: "addRules", behavior, destination: "session" },
    rules: [{ toolName: "Bash", ruleContent }],
  });
  const updatedPermissions = [rules("allow", "touch a*"), rules("deny", "touch b")];
  program.send(answer(json.request_id, { behavior: "allow", updatedPermissions }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const run = await program.done;
  expect(run.messages.filter(({ request }) => request?.subtype === "can_use_tool").length).toBe(1);
  expect(["a1", "a2", "b"].filter((name) => existsSync(join(home.project, name)))).toEqual(["a1", "a2"]);
  expect(messagesOf(run, "result").length).toBe(1);
});

test("a skill or an agent that the reply has just written can be used by the next call", async () => {
  using home = temporaryHome();
  const flags = ["--dangerously-skip-permissions"];
  const text = (name: string) => `---\nname: ${name}\ndescription: x\n---\nBe ${name}.\n`;
  await using model = await startMockModel([
    {
      calls: [
        write(".claude/skills/fresh/SKILL.md", text("fresh")),
        skill("fresh"),
        write(".claude/agents/young.md", text("young")),
        { name: "Agent", input: { description: "x", prompt: "Go", subagent_type: "young" } },
      ],
    },
    { text: "agent done" },
    { text: "done" },
  ]);
  await runKeelson(["-p", "Go", ...STREAM, ...flags], { home, url: model.url, env: { IS_SANDBOX: "1" } });
  const results = told(model.requests.at(-1)!).filter(({ type }) => type === "tool_result");
  expect(textsOf(results).map((each) => each.split("\n")[0])).toEqual([
    expect.stringMatching(/^Created /),
    "Launching skill: fresh",
    expect.stringMatching(/^Created /),
    "agent done",
  ]);
});
