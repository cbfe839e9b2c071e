// The shared task list from the outside: which tools are offered, what the files hold, what hooks can stop.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply, type TemporaryHome } from "@keelson/testkit";

const STREAM = ["-p", "go", "--output-format", "stream-json", "--verbose"];
const TASKS = { CLAUDE_CODE_ENABLE_TASKS: "1" };
const calls = (...made: readonly [string, object][]): ScriptedReply => ({
  calls: made.map(([name, input]) => ({ name, input: input as never })),
});

async function run(home: TemporaryHome, script: readonly ScriptedReply[], env: Record<string, string> = TASKS) {
  await using model = await startMockModel([...script, { text: "Done" }]);
  const { code, stderr, messages } = await runKeelson(STREAM, { home, url: model.url, env });
  const results = messages
    .filter(({ type }) => type === "user")
    .flatMap(({ message, tool_use_result }) =>
      message.content.map((block: any) => ({ text: block.content, failed: block.is_error, output: tool_use_result })),
    );
  const [init] = messages;
  const offered: string[] = model.requests[0]!.body.tools.map(({ name }: { name: string }) => name);
  return { code, stderr, messages, results, offered, session: init.session_id as string };
}

const folderOf = (home: TemporaryHome, name: string) => join(home.configDir, "tasks", name);
const hooked = (home: TemporaryHome, event: string, command: string) =>
  home.settings({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } });

test("the list of a session is in files, and its tools answer as documented", async () => {
  using home = temporaryHome();
  const { code, stderr, results, session } = await run(home, [
    calls(["TaskCreate", { subject: "First", description: "Do it", activeForm: "Doing it" }]),
    calls(["TaskCreate", { subject: "Second" }]),
    calls(["TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }]),
    calls(["TaskUpdate", { taskId: "1", status: "in_progress", owner: "me" }]),
    calls(["TaskList", {}], ["TaskGet", { taskId: "2" }], ["TaskGet", { taskId: "9" }]),
    calls(["TaskUpdate", { taskId: "1", addBlockedBy: ["2"] }]),
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results.map(({ text }) => text)).toEqual([
    "Task #1 created successfully: First",
    "Task #2 created successfully: Second",
    "Updated task #2 blockedBy",
    "Updated task #1 owner, status",
    "#1 [in_progress] First (me)\n#2 [pending] Second [blocked by #1]",
    "Task #2: Second\nStatus: pending\nDescription: \nBlocked by: #1",
    "Task not found",
    "Task #2 already waits for #1",
  ]);
  expect(results.map(({ output }) => output)).toEqual([
    { task: { id: "1", subject: "First" } },
    { task: { id: "2", subject: "Second" } },
    { success: true, taskId: "2", updatedFields: ["blockedBy"] },
    {
      success: true,
      taskId: "1",
      updatedFields: ["owner", "status"],
      statusChange: { from: "pending", to: "in_progress" },
    },
    {
      tasks: [
        { id: "1", subject: "First", status: "in_progress", owner: "me", blockedBy: [] },
        { id: "2", subject: "Second", status: "pending", blockedBy: ["1"] },
      ],
    },
    { task: { id: "2", subject: "Second", description: "", status: "pending", blocks: [], blockedBy: ["1"] } },
    { task: null },
    { success: false, taskId: "1", updatedFields: [], error: "Task #2 already waits for #1" },
  ]);
  const folder = folderOf(home, session);
  expect(readdirSync(folder).sort()).toEqual([".highwatermark", ".lock", "1.json", "2.json"]);
  expect(readFileSync(join(folder, "1.json"), "utf8")).toBe(`{
  "id": "1",
  "subject": "First",
  "description": "Do it",
  "activeForm": "Doing it",
  "status": "in_progress",
  "owner": "me",
  "blocks": [
    "2"
  ],
  "blockedBy": []
}
`);
});

test("the variable chooses what is offered, and calls to the other list run", async () => {
  using home = temporaryHome();
  const shared = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];
  const both = [...shared, "TodoWrite"];
  const todo = { todos: [{ content: "a", status: "pending", activeForm: "a" }] };
  const script = [calls(["TaskCreate", { subject: "a", description: "" }], ["TodoWrite", todo])];
  for (const [env, expected] of [
    [{}, ["TodoWrite"]],
    [{ CLAUDE_CODE_ENABLE_TASKS: "0" }, ["TodoWrite"]],
    [{ CLAUDE_CODE_ENABLE_TASKS: "1" }, shared],
    [{ CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" }, shared],
  ] as const) {
    const { offered, results } = await run(home, script, env);
    expect(offered.filter((name) => both.includes(name))).toEqual([...expected]);
    expect(results.map(({ text }) => text)).toEqual([
      "Task #1 created successfully: a",
      expect.stringContaining("The todo list is updated"),
    ]);
  }
});

test("a rule that denies a tool denies it when it is not offered, too", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { deny: ["TaskCreate"] } });
  const { results } = await run(home, [calls(["TaskCreate", { subject: "a", description: "" }])], {});
  expect(results[0]).toMatchObject({
    failed: true,
    text: expect.stringContaining("No such tool available: TaskCreate"),
  });
});

test("a TaskCreated hook refuses a task, and its number is not used again", async () => {
  using home = temporaryHome();
  hooked(home, "TaskCreated", `grep -q '"task_subject":"bad"' && { echo Too vague >&2; exit 2; } || exit 0`);
  const { results, session } = await run(home, [
    calls(["TaskCreate", { subject: "bad", description: "x" }]),
    calls(["TaskCreate", { subject: "good", description: "x" }]),
  ]);
  expect(results.map(({ text, failed }) => [text, failed])).toEqual([
    [expect.stringMatching(/^TaskCreated hook feedback:\n\[grep .*\]: Too vague$/), true],
    ["Task #2 created successfully: good", false],
  ]);
  expect(readdirSync(folderOf(home, session))).not.toContain("1.json");
});

test("a TaskCompleted hook keeps a task open", async () => {
  using home = temporaryHome();
  hooked(home, "TaskCompleted", "cat > hooked.json; echo Run the tests first >&2; exit 2");
  const { results, session } = await run(home, [
    calls(["TaskCreate", { subject: "a", description: "b" }]),
    calls(["TaskUpdate", { taskId: "1", status: "completed" }]),
  ]);
  expect(results[1]!.text).toMatch(/^TaskCompleted hook feedback:\n\[.*\]: Run the tests first$/);
  expect(results[1]!.output).toMatchObject({ success: false, taskId: "1", updatedFields: [] });
  expect(JSON.parse(readFileSync(join(folderOf(home, session), "1.json"), "utf8")).status).toBe("pending");
  expect(JSON.parse(readFileSync(join(home.project, "hooked.json"), "utf8"))).toMatchObject({
    hook_event_name: "TaskCompleted",
    task_id: "1",
    task_subject: "a",
    task_description: "b",
  });
});

test("CLAUDE_CODE_TASK_LIST_ID names the folder, and only a folder", async () => {
  using home = temporaryHome();
  const script = [calls(["TaskCreate", { subject: "a", description: "" }])];
  await run(home, script, { ...TASKS, CLAUDE_CODE_TASK_LIST_ID: "release" });
  expect(readdirSync(folderOf(home, "release"))).toContain("1.json");
  const { results } = await run(home, script, { ...TASKS, CLAUDE_CODE_TASK_LIST_ID: "../out" });
  expect(results[0]).toMatchObject({
    failed: true,
    text: expect.stringContaining('CLAUDE_CODE_TASK_LIST_ID is "../out"'),
  });
});

test("a list is not written through a link", async () => {
  using home = temporaryHome();
  const outside = join(home.root, "outside");
  mkdirSync(outside);
  mkdirSync(join(home.configDir, "tasks"), { recursive: true });
  symlinkSync(outside, folderOf(home, "list"));
  const env = { ...TASKS, CLAUDE_CODE_TASK_LIST_ID: "list" };
  const { results } = await run(home, [calls(["TaskCreate", { subject: "a", description: "" }])], env);
  expect(results[0]).toMatchObject({ failed: true, text: expect.stringContaining("is reached through a link") });
  expect(readdirSync(outside)).toEqual([]);
});

test("20,000 tasks give one bounded answer", async () => {
  using home = temporaryHome();
  const folder = folderOf(home, "big");
  mkdirSync(folder, { recursive: true });
  for (let id = 1; id <= 20_000; id++) {
    const task = {
      id: String(id),
      subject: "x".repeat(2_000),
      description: "",
      status: id <= 500 ? "completed" : "pending",
    };
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(task));
  }
  const env = { ...TASKS, CLAUDE_CODE_TASK_LIST_ID: "big" };
  const { code, results, messages } = await run(home, [calls(["TaskList", {}])], env);
  expect(code).toBe(0);
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success" });
  expect(results[0]!.output).toMatchObject({ totalTasks: 20_000 });
  expect(results[0]!.output.tasks[0].id).toBe("501");
  expect(JSON.stringify(results[0]).length).toBeLessThan(1_000_000);
});
