// A command that the model waits for, as clients see it, and its move to the background.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { until } from "../processes.ts";
import { ask, bash, go, OPEN, prompt, said, taskMessages, untilGo } from "./tasks.ts";

const result = ({ type }: any) => type === "result";

test("a command moves to the background while it runs: the call is answered at once, and its end is a notice", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    bash(untilGo("first", 3), { description: "Build", timeout: 600_000 }),
    { text: "It runs by itself" },
    { text: "It failed" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Build it"));
  await until(() => existsSync(join(home.project, "first.began")));
  expect(await ask(running, "1", { subtype: "background_tasks", tool_use_id: "nope" })).toEqual({
    backgrounded: false,
  });
  expect(await ask(running, "2", { subtype: "background_tasks", tool_use_id: "call_1_1" })).toEqual({
    backgrounded: true,
  });
  const first = await running.waitForLine(result);
  go(home, "first");
  const second = await running.waitForLine(result, { after: first });
  running.closeStdin();
  const { code, stderr, messages } = await running.done;

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect([first.json.result, second.json.result, second.json.origin]).toEqual([
    "It runs by itself",
    "It failed",
    { kind: "task-notification" },
  ]);
  const told = messages.find(({ type }) => type === "user");
  const { backgroundTaskId: id, backgroundOutputPath: path, backgroundedByUser } = told.tool_use_result;
  expect([backgroundedByUser, path.endsWith(`/tasks/${id}.output`)]).toEqual([true, true]);
  expect(told.message.content[0].content).toStartWith(
    `Command running in background with ID: ${id}. Output is being written to: ${path}. `,
  );
  expect(readFileSync(path, "utf8")).toBe("first began\nfirst ran\n");
  const summary = 'Background command "Build" failed (exit code 3)';
  const about = { task_id: id, tool_use_id: "call_1_1" };
  expect(taskMessages(messages)).toEqual([
    {
      subtype: "background_tasks_changed",
      tasks: [{ task_id: id, task_type: "local_bash", description: "Build" }],
    },
    { subtype: "task_started", ...about, description: "Build", is_backgrounded: true, task_type: "local_bash" },
    { subtype: "task_updated", task_id: id, patch: { status: "failed", end_time: expect.any(Number) } },
    { subtype: "task_notification", ...about, status: "failed", output_file: path, summary },
    { subtype: "background_tasks_changed", tasks: [] },
  ]);
  expect(said(model.requests[2]!)[0].text).toContain(`<summary>${summary}</summary>`);
});

test("a command that takes a while is announced, and without an id everything moves", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    bash(untilGo("first"), { description: "Build" }),
    { text: "It runs by itself" },
    { text: "Done" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Build it"));
  const started = await running.waitForLine(({ subtype }) => subtype === "task_started");
  expect(started.json).toMatchObject({ is_backgrounded: false, tool_use_id: "call_1_1", task_type: "local_bash" });
  expect(await ask(running, "1", { subtype: "background_tasks" })).toEqual({});
  await running.waitForLine(result);
  go(home, "first");
  await running.waitForLine(({ result: text }) => text === "Done");
  running.closeStdin();
  const { code, messages } = await running.done;
  expect(code).toBe(0);
  const id = started.json.task_id;
  expect(taskMessages(messages).slice(0, 3)).toMatchObject([
    { subtype: "task_started", task_id: id },
    { subtype: "background_tasks_changed", tasks: [{ task_id: id }] },
    { subtype: "task_updated", task_id: id, patch: { is_backgrounded: true } },
  ]);
  const replied = messages.findIndex(({ type }) => type === "control_response");
  const moved = messages.findIndex(({ patch }) => patch?.is_backgrounded === true);
  expect(moved).toBeLessThan(replied);
});

test("an announced command that ends, or is interrupted, in the foreground says nothing to the model", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    bash(untilGo("first"), { description: "Build" }),
    bash(untilGo("never"), { description: "Wait" }),
    { text: "Here" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Build it"));
  const first = await running.waitForLine(({ subtype }) => subtype === "task_started");
  expect(await ask(running, "1", { subtype: "get_task_output", task_id: first.json.task_id })).toMatchObject({
    output: "",
  });
  go(home, "first");
  await running.waitForLine(({ subtype }) => subtype === "task_started", { after: first });
  running.send({ type: "control_request", request_id: "2", request: { subtype: "interrupt" } });
  await running.waitForLine(result);
  running.send(prompt("Are you there?"));
  await running.waitForLine(({ result: text }) => text === "Here");
  running.closeStdin();
  const { code, messages } = await running.done;
  expect(code).toBe(0);
  expect(taskMessages(messages)).toMatchObject([
    { subtype: "task_started", description: "Build", is_backgrounded: false },
    { subtype: "task_updated", patch: { status: "completed" } },
    { subtype: "task_notification", status: "completed", output_file: "", summary: "Build" },
    { subtype: "task_started", description: "Wait" },
    { subtype: "task_updated", patch: { status: "killed" } },
    { subtype: "task_notification", status: "stopped", output_file: "", summary: "Wait" },
  ]);
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("task-notification");
});

test("with background tasks disabled, the model cannot ask for them and the user cannot move anything", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash(untilGo("first"), { run_in_background: true }), { text: "Done" }]);
  const env = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open", env });
  running.send(prompt("Build it"));
  await until(() => existsSync(join(home.project, "first.began")));
  expect(await ask(running, "1", { subtype: "background_tasks", tool_use_id: "call_1_1" })).toEqual({
    backgrounded: false,
  });
  go(home, "first");
  await running.waitForLine(result);
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  const { tools } = model.requests[0]!.body as any;
  const offered = tools.find(({ name }: any) => name === "Bash");
  expect(JSON.stringify(offered)).not.toContain("run_in_background");
  expect(tools.map(({ name }: any) => name)).not.toContain("Monitor");
  expect(said(model.requests[1]!)).toMatchObject([{ type: "tool_result", content: "first began\nfirst ran" }]);
});

test("Stop hooks are told what still runs in the background", async () => {
  using home = temporaryHome();
  const seen = join(home.project, "stop.json");
  home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: `cat >> ${seen}` }] }] } });
  await using model = await startMockModel([
    bash(untilGo("first"), { run_in_background: true, description: "Build" }),
    { text: "Started" },
    { text: "Done" },
  ]);
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Build it"));
  await running.waitForLine(result);
  go(home, "first");
  await running.waitForLine(({ result: text }) => text === "Done");
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  const inputs = readFileSync(seen, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(inputs.map((input) => input.background_tasks)).toEqual([
    [
      {
        id: expect.stringMatching(/^b/),
        type: "shell",
        status: "running",
        description: "Build",
        command: untilGo("first"),
      },
    ],
    [],
  ]);
});
