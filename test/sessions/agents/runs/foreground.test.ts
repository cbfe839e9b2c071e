// Agents that the model waits for: what they get, what comes back, and what clients and files show.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, resultOf, STREAM, told, toolUseResults } from "../../front-door.ts";
import { agent, cast, requestsOf } from "../cast.ts";
import { SONNET } from "../../../models.ts";

const TASK = "Look into the file";
const ROLES = ["main", TASK];

test.each([{}, { run_in_background: true }])(
  "what an agent is asked with %j is in its transcript before the model reads it",
  async (how) => {
    using home = temporaryHome();
    let stored = "";
    const look = () => {
      const [file] = [...new Bun.Glob("projects/**/subagents/*.jsonl").scanSync(home.configDir)];
      stored = file === undefined ? "" : readFileSync(join(home.configDir, file), "utf8");
      return { text: "done" };
    };
    const done = { text: "done" };
    await using model = await startMockModel(
      cast({ main: [{ calls: [agent(TASK, how)] }, done, done], [TASK]: [look] }),
    );
    await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
    expect(stored).toEndWith("\n");
    expect(stored).toContain(TASK);
  },
);

test("an agent works in its own conversation, and only its answer comes back", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Always be kind.");
  const file = home.write("a.txt", "alpha\n");
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { description: "Look around" })] }, { text: "All done" }],
      [TASK]: [{ calls: [{ name: "Read", input: { file_path: file } }] }, { text: "It says alpha" }],
    }),
  );
  const run = await runKeelson(["-p", "A secret question", ...STREAM], { home, url: model.url });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  expect(resultOf(run)).toMatchObject({ result: "All done", num_turns: 2, usage: { input_tokens: 200 } });
  expect(resultOf(run).modelUsage[SONNET].inputTokens).toBe(400);

  const [first] = requestsOf(model.requests, TASK, ROLES);
  expect(JSON.stringify(first.messages)).not.toContain("A secret question");
  expect(JSON.stringify(first.messages)).toContain("Always be kind.");
  expect(first.messages[0].content.at(-1).text).toBe(TASK);
  expect(first.system[1].text).toContain("which reads only your last message");
  const names = first.tools.map(({ name }: any) => name);
  expect(names).toContain("Edit");
  for (const absent of ["Agent", "AskUserQuestion", "TaskOutput"]) expect(names).not.toContain(absent);
  const header = (at: number) => model.requests[at]!.headers["x-claude-code-agent-id"];
  expect([header(0), header(3)]).toEqual([undefined, undefined]);

  const [output] = toolUseResults(run);
  const { agentId } = output;
  expect(agentId).toMatch(/^a[0-9a-f]{16}$/);
  expect([header(1), header(2)]).toEqual([agentId, agentId]);
  expect(output).toMatchObject({
    status: "completed",
    prompt: TASK,
    agentType: "general-purpose",
    content: [{ type: "text", text: "It says alpha" }],
    resolvedModel: SONNET,
    totalToolUseCount: 1,
    totalTokens: 120,
  });
  const [result] = told(model.requests[3]!);
  expect(result.content[0].text).toBe("It says alpha");
  expect(result.content[1].text).toMatch(
    new RegExp(
      `^agentId: ${agentId} \\(use SendMessage .*\\)\n<usage>subagent_tokens: 120\ntool_uses: 1\nduration_ms: \\d+</usage>$`,
    ),
  );

  const inside = run.messages.filter(({ parent_tool_use_id: parent }) => parent === "call_1_1");
  expect(inside.map(({ type, message }) => [type, message.content[0].type])).toEqual([
    ["user", "text"],
    ["assistant", "tool_use"],
    ["user", "tool_result"],
  ]);
  for (const message of inside) {
    expect(message).toMatchObject({
      agent_id: agentId,
      subagent_type: "general-purpose",
      task_description: "Look around",
    });
    expect("tool_use_result" in message).toBe(false);
  }
  const kinds = run.messages.flatMap(({ subtype }) => (/^task_|^background/.test(subtype ?? "") ? [subtype] : []));
  expect([kinds[0], ...kinds.slice(-2)]).toEqual(["task_started", "task_updated", "task_notification"]);
  expect(kinds).not.toContain("background_tasks_changed");

  const session = resultOf(run).session_id;
  const folder = join(home.configDir, "projects", home.project.replaceAll(/[^A-Za-z0-9]/g, "-"), session, "subagents");
  const lines = readFileSync(join(folder, `agent-${agentId}.jsonl`), "utf8")
    .trim()
    .split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  const chain = entries.filter(({ type }: any) => type === "user" || type === "assistant");
  expect(chain.map(({ type }: any) => type)).toEqual(["user", "assistant", "user", "assistant"]);
  for (const entry of entries) expect(entry).toMatchObject({ isSidechain: true, agentId, sessionId: session });
  expect(chain.some((entry: any) => "toolUseResult" in entry)).toBe(false);
  expect(JSON.parse(readFileSync(join(folder, `agent-${agentId}.meta.json`), "utf8"))).toMatchObject({
    agentType: "general-purpose",
    isBuiltIn: true,
    description: "Look around",
    toolUseId: "call_1_1",
    spawnDepth: 1,
    requestShape: "foreground",
    finished: true,
  });
});

test("the older name Task works, and an unknown type is answered with the names there are", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [{ ...agent(TASK), name: "Task" }, agent("x", { subagent_type: "nope" })] }, { text: "Done" }],
      [TASK]: [{ text: "Found" }],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(messagesOf(run, "system/init")[0].tools).toContain("Task");
  const results = told(model.requests.at(-1)!);
  expect(results[0].content[0].text).toBe("Found");
  expect(results[1].content).toMatch(
    /^<tool_use_error>Agent type 'nope' not found\. Available agents: .*Explore.*general-purpose/,
  );
});

test("fields of other versions have no effect: the agent starts, and clients see the call without them", async () => {
  using home = temporaryHome();
  const other = { mode: "bypassPermissions", team_name: "t", resume: "a0", max_turns: 3, tools: ["Read"] };
  const touch = { calls: [{ name: "Bash", input: { command: "touch made" } }] };
  await using model = await startMockModel(
    cast({ main: [{ calls: [agent(TASK, other)] }, { text: "Done" }], [TASK]: [touch, { text: "Found" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(told(model.requests.at(-1)!)[0].content[0].text).toBe("Found");
  expect(messagesOf(run, "assistant")[0].message.content[0].input).toEqual({ description: "A task", prompt: TASK });
  expect(existsSync(join(home.project, "made"))).toBe(false);
});

test("agents of one reply run side by side, and a limit makes the others wait", async () => {
  using home = temporaryHome();
  let now = 0;
  let most = 0;
  const two = Promise.withResolvers<void>();
  const slow = async () => {
    most = Math.max(most, ++now);
    if (now === 2) two.resolve();
    await two.promise;
    // A third that did not wait would arrive now.
    await Bun.sleep(30);
    now--;
    return { text: "ok" };
  };
  const tasks = ["first job", "second job", "third job", "fourth job"];
  const roles = { main: [{ calls: tasks.map((task) => agent(task)) }, { text: "Done" }] };
  const others = Object.fromEntries(tasks.map((task) => [task, [slow]]));
  await using model = await startMockModel(cast({ ...roles, ...others }));
  const env = { CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: "2" };
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url, env });
  expect(toolUseResults(run).map(({ status }) => status)).toEqual(tasks.map(() => "completed"));
  expect(most).toBe(2);
});

test("a question about an agent's call reaches the client with the agent's id; a rule of the answer counts for the session", async () => {
  using home = temporaryHome();
  const write = (name: string) => ({
    calls: [{ name: "Write", input: { file_path: join(home.project, name), content: "x" } }],
  });
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, write("b.txt"), { text: "Done" }],
      [TASK]: [write("a.txt"), { text: "Written" }],
    }),
  );
  await using running = startKeelson([...CHAT, "--permission-prompt-tool", "stdio"], {
    home,
    url: model.url,
    stdin: "open",
  });
  running.send(prompt("Go"));
  const { json: asked } = await running.waitForLine(({ type }) => type === "control_request");
  expect(asked.request).toMatchObject({ subtype: "can_use_tool", tool_name: "Write", agent_type: "general-purpose" });
  expect(asked.request.agent_id).toMatch(/^a[0-9a-f]{16}$/);
  const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
  running.send(answer(asked.request_id, { behavior: "allow", updatedInput: asked.request.input, updatedPermissions }));
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  const { messages } = await running.done;
  expect(messages.filter(({ type }) => type === "control_request")).toHaveLength(1);
  expect([home.read("a.txt"), home.read("b.txt")]).toEqual(["x", "x"]);
});

test("interrupting the session stops the agent it waits for", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Never" }], [TASK]: [{ text: "x", hang: true }] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  await model.waitForRequest(2);
  running.send(control("stop", { subtype: "interrupt" }));
  const { json: result } = await running.waitForLine(({ type }) => type === "result");
  expect(result).toMatchObject({ subtype: "error_during_execution" });
  running.closeStdin();
  const { messages } = await running.done;
  expect(messages.find(({ subtype }) => subtype === "task_notification")).toMatchObject({ status: "stopped" });
  const { patch } = messages.find(({ subtype }) => subtype === "task_updated");
  expect(patch).toEqual({ status: "killed", end_time: expect.any(Number) });
  expect(model.requests).toHaveLength(2);
});

test("an agent stops at its turn limit, and a failing one is an error that the model can act on", async () => {
  using home = temporaryHome();
  home.write("a.txt", "a");
  home.write(
    "~/.claude/agents/short.md",
    "---\nname: short\ndescription: Quick\ntools: Read\nmaxTurns: 2\n---\nBe quick.",
  );
  const read = { calls: [{ name: "Read", input: { file_path: join(home.project, "a.txt") } }] };
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { subagent_type: "short" })] }, { calls: [agent("Break down")] }, { text: "Done" }],
      [TASK]: [read, read, read],
      "Break down": [{ status: 400, message: "the model is out of order" } as never],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(requestsOf(model.requests, TASK, [...ROLES, "Break down"])).toHaveLength(2);
  const [limited] = toolUseResults(run);
  expect(limited.content).toEqual([{ type: "text", text: "(Subagent completed but returned no output.)" }]);
  const [failed] = told(model.requests.at(-1)!);
  expect(failed).toMatchObject({ is_error: true });
  expect(failed.content).toMatch(/^The agent failed \(agentId: a[0-9a-f]{16}\): .*out of order/);
});
