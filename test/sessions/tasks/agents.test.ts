// Tasks of agents: what moves with them, who hears of an end, and how their answer is read.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { agent, cast, requestsOf } from "../agents/cast.ts";
import { until } from "../processes.ts";
import { ask, bash, go, OPEN, prompt, said, taskMessages, untilGo } from "./tasks.ts";

const TASK = "Work on it quietly";
const ROLES = ["main", TASK];
const named = (text: string) => (message: any) => message.result === text;

test("an agent that moves to the background keeps waiting for its own command", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Going on" }, { text: "Heard" }],
      [TASK]: [bash(untilGo("first")), { text: "Built" }],
    }),
  );
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  await until(() => existsSync(join(home.project, "first.began")));
  expect(await ask(running, "1", { subtype: "background_tasks" })).toEqual({});
  await running.waitForLine(named("Going on"));
  go(home, "first");
  await running.waitForLine(named("Heard"));
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(second.messages.at(-1).content[0]).toMatchObject({ content: "first began\nfirst ran" });
  const notice = said(model.requests.at(-1)!)[0].text;
  expect(notice).toContain("<result>Built</result>");
  expect(notice).toMatch(/<usage><subagent_tokens>\d+<\/subagent_tokens><tool_uses>1<\/tool_uses>/);
});

test("the end of a command is told to the agent that started it, not to the session", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Done" }],
      [TASK]: [
        bash(untilGo("first"), { run_in_background: true, description: "Build" }),
        async () => {
          go(home, "first");
          await running.waitForLine(({ subtype }) => subtype === "task_notification");
          return { text: "Thinking" };
        },
        { text: "It was built" },
      ],
    }),
  );
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  await running.waitForLine(named("Done"));
  running.closeStdin();
  const { code, messages } = await running.done;
  expect(code).toBe(0);
  const texts = (role: string) => JSON.stringify(requestsOf(model.requests, role, ROLES).at(-1));
  const told = JSON.stringify(`Background command "Build" completed`).slice(1, -1);
  expect([texts(TASK).includes(told), texts("main").includes("task-notification")]).toEqual([true, false]);
  const tasks = taskMessages(messages).filter(({ subtype }) => subtype === "task_started");
  expect(tasks).toMatchObject([
    {
      task_type: "local_agent",
      is_backgrounded: false,
      subagent_type: "general-purpose",
      prompt: TASK,
      spawn_depth: 1,
    },
    { task_type: "local_bash", is_backgrounded: true, parent_task_id: tasks[0].task_id },
  ]);
});

test("TaskOutput shows the final text of an agent; clients read the output of commands only", async () => {
  using home = temporaryHome();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  let id = "";
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK, { run_in_background: true })] },
        ({ messages }) => {
          id = /agentId: (\w+)/.exec(JSON.stringify(messages))![1]!;
          return { calls: [{ name: "TaskOutput", input: { task_id: id, block: false } }] };
        },
        () => {
          letEnd();
          return { calls: [{ name: "TaskOutput", input: { task_id: id, timeout: 600_000 } }] };
        },
        { text: "Read it" },
      ],
      [TASK]: [
        async () => {
          await mayEnd;
          return { text: "The answer" };
        },
      ],
    }),
  );
  await using running = startKeelson(OPEN, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  await running.waitForLine(named("Read it"));
  const reply = await ask(running, "1", { subtype: "get_task_output", task_id: id });
  expect(reply.error).toBe(`get_task_output: no shell or Monitor task with that task_id (${id}) in this session`);
  running.closeStdin();
  expect((await running.done).code).toBe(0);
  const requests = requestsOf(model.requests, "main", ROLES);
  const [running1, ended] = [2, 3].map((at) => requests[at].messages.at(-1).content[0].content);
  expect(running1).toContain("<retrieval_status>not_ready</retrieval_status>");
  expect(running1).not.toContain("<output>");
  expect(ended).toContain("<task_type>local_agent</task_type>\n\n<status>completed</status>");
  expect(ended).toContain("<output>\nThe answer\n</output>");
});
