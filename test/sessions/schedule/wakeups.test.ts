// Wake-ups in the real program: rows of the task table, for the model, for clients and for hooks.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { CHAT, prompt, STREAM, told } from "../front-door.ts";
import { ask, said, taskMessages } from "../tasks/tasks.ts";

const WAKEUP = { delaySeconds: 3600, reason: "the build", prompt: "Look at the build" };
const isResult = ({ type }: any) => type === "result";
const wake: ScriptedReply = { calls: [{ name: "ScheduleWakeup", input: WAKEUP }] };

/** What clients read of one wake-up, up to a list without it. */
const life = (id: string, end: "completed" | "killed", summary: string) => {
  const listed = { task_id: id, task_type: "wakeup", description: "the build", ambient: true };
  return [
    { subtype: "background_tasks_changed", tasks: [listed] },
    {
      subtype: "task_started",
      ...listed,
      tool_use_id: expect.any(String),
      is_backgrounded: true,
      prompt: WAKEUP.prompt,
    },
    { subtype: "task_updated", task_id: id, patch: { status: end, end_time: expect.any(Number) } },
    {
      subtype: "task_notification",
      task_id: id,
      tool_use_id: expect.any(String),
      status: end === "killed" ? "stopped" : end,
      output_file: "",
      summary,
      ambient: true,
    },
    { subtype: "background_tasks_changed", tasks: [] },
  ];
};

test("a client sees a wake-up and stops it like any task; the model reads that with the next prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([wake, { text: "Waiting" }, { text: "I see" }]);
  await using running = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open" });
  running.send(prompt("Watch the build"));
  const first = await running.waitForLine(isResult);
  const id = taskMessages(running.lines.map(({ json }) => json))[0].tasks[0].task_id;
  expect(id).toMatch(/^w[0-9a-f]{8}$/);
  expect(await ask(running, "1", { subtype: "stop_task", task_id: id })).toEqual({});
  running.send(prompt("Still waiting?"));
  await running.waitForLine(isResult, { after: first });
  running.closeStdin();
  const ended = await running.done;
  expect(ended.code).toBe(0);
  expect(taskMessages(ended.messages)).toEqual(life(id, "killed", "The wake-up was stopped"));
  const texts = JSON.stringify(said(model.requests[2]!));
  expect(texts).toContain("The wake-up was stopped");
  expect(texts).toContain(`<task-id>${id}</task-id>`);
  expect(model.requests).toHaveLength(3);
});

test("the model stops its wake-up with TaskStop, and the end of the session ends one that waits", async () => {
  using home = temporaryHome();
  const stop = ({ messages }: any): ScriptedReply => {
    const id = /w[0-9a-f]{8}/.exec(JSON.stringify(messages.slice(-1)))?.[0];
    return { calls: [{ name: "TaskStop", input: { task_id: id } }] };
  };
  let asked = 0;
  await using model = await startMockModel((request) => {
    asked++;
    if (asked === 1 || asked === 3) return wake;
    if (asked === 2) return stop(request);
    return { text: "Waiting" };
  });
  await using running = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open" });
  running.send(prompt("Watch the build"));
  await running.waitForLine(isResult);
  running.closeStdin();
  const { messages, code } = await running.done;
  const [first, second] = taskMessages(messages)
    .filter(({ subtype }) => subtype === "task_started")
    .map(({ task_id }) => task_id);
  expect(told(model.requests[2]!)[0].content).toBe(`Successfully stopped task: ${first} (the build)`);
  expect(taskMessages(messages)).toEqual([
    ...life(first, "killed", "The wake-up was stopped"),
    ...life(second, "killed", "The wake-up was cancelled"),
  ]);
  expect(code).toBe(0);
});

test("Stop hooks get a wake-up as a job that fires once, not as work that goes on", async () => {
  using home = temporaryHome();
  const seen = join(home.root, "stop.json");
  home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: `cat > ${seen}` }] }] } });
  await using model = await startMockModel([wake, { text: "Waiting" }]);
  await using running = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open" });
  running.send(prompt("Watch the build"));
  await running.waitForLine(isResult);
  running.closeStdin();
  await running.done;
  expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({
    background_tasks: [],
    session_crons: [
      {
        id: expect.stringMatching(/^w/),
        schedule: expect.stringMatching(/^\d+ \d+ \d+ \d+ \*$/),
        recurring: false,
        prompt: WAKEUP.prompt,
      },
    ],
  });
});

test("a session that ends with its input has no row for a wake-up", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([wake, { text: "Done" }]);
  const { messages } = await runKeelson(["-p", "Watch", ...STREAM], { home, url: model.url });
  expect(taskMessages(messages)).toEqual([]);
});

test("a session that is resumed has the wake-up that was pending, and may stop it; then it is gone", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([wake, { text: "Waiting" }]);
  await using first = startKeelson([...CHAT, "-p"], { home, url: model.url, stdin: "open" });
  first.send(prompt("Watch the build"));
  const { json } = await first.waitForLine(isResult);
  // As a crash would: nothing is said about the end.
  first.kill("SIGKILL");
  await first.done;

  const resume = [...CHAT, "-p", "--resume", (json as any).session_id];
  await using again = startKeelson(resume, { home, url: model.url, stdin: "open" });
  const started = await again.waitForLine(({ subtype }: any) => subtype === "task_started");
  const { task_id: id, ...about } = started.json as any;
  expect(about).toMatchObject({ task_type: "wakeup", description: WAKEUP.reason, prompt: WAKEUP.prompt });
  expect(await ask(again, "1", { subtype: "stop_task", task_id: id })).toEqual({});
  again.closeStdin();
  await again.done;

  await using last = startKeelson(resume, { home, url: model.url, stdin: "open" });
  await ask(last, "2", { subtype: "initialize" });
  last.closeStdin();
  expect(taskMessages((await last.done).messages)).toEqual([]);
});
