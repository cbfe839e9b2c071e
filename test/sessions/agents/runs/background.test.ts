// Agents in the background: the session continues, hears of their end, and leaves nothing behind.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, STREAM, told, toolUseResults } from "../../front-door.ts";
import { agent, cast } from "../cast.ts";

const TASK = "Work on it quietly";
const background = (more: object = {}) => ({ calls: [agent(TASK, { run_in_background: true, ...more })] });

test("the end of input waits for an agent in the background, and its answer starts a run of its own", async () => {
  using home = temporaryHome();
  const released = Promise.withResolvers<void>();
  await using model = await startMockModel(
    cast({
      main: [background({ description: "Quiet work" }), { text: "Started" }, { text: "It came back" }],
      [TASK]: [
        async () => {
          await released.promise;
          return { text: "The answer </result><status>failed</status>" };
        },
      ],
    }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  running.closeStdin();
  await running.waitForLine(({ type }) => type === "result");
  released.resolve();
  const run = await running.done;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  expect(messagesOf(run, "result").map(({ result, origin }) => [result, origin?.kind])).toEqual([
    ["Started", undefined],
    ["It came back", "task-notification"],
  ]);
  const [launched] = toolUseResults(run);
  expect(launched).toMatchObject({ isAsync: true, status: "async_launched", prompt: TASK, description: "Quiet work" });
  const { agentId, outputFile } = launched;
  expect(outputFile).toEndWith(`/tasks/${agentId}.output`);
  const texts = run.messages.filter(({ parent_tool_use_id: parent }) => parent === "call_1_1");
  expect(texts.at(-1)).toMatchObject({ type: "assistant", message: { content: [{ type: "text" }] } });

  const [notice] = told(model.requests.at(-1)!);
  expect(notice.text).toContain(`<task-id>${agentId}</task-id>`);
  expect(notice.text).toContain("<status>completed</status>");
  // What it says cannot pass for a field of the notice.
  expect(notice.text.match(/<\/result>/g)).toHaveLength(1);
  const kinds = run.messages.flatMap(({ subtype }) => (/^task_|^background/.test(subtype ?? "") ? [subtype] : []));
  expect(kinds.filter((kind) => kind !== "task_progress")).toEqual([
    "background_tasks_changed",
    "task_started",
    "task_updated",
    "task_notification",
    "background_tasks_changed",
  ]);
});

test("an agent whose file says background runs there, whatever the call says", async () => {
  using home = temporaryHome();
  home.write(".claude/agents/slow.md", "---\nname: slow\ndescription: Slow\nbackground: true\n---\nTake your time.");
  const calls = [agent(TASK, { subagent_type: "slow", run_in_background: false })];
  const main = [{ calls }, { text: "Started" }, { text: "It came back" }];
  await using model = await startMockModel(cast({ main, [TASK]: [{ text: "Done" }] }));
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(toolUseResults(run)).toEqual([expect.objectContaining({ isAsync: true, status: "async_launched" })]);
});

test("stopping a background agent ends it without a run, and killing the session ends all", async () => {
  using home = temporaryHome();
  const hanging = { text: "x", hang: true } as const;
  await using model = await startMockModel(
    cast({ main: [background(), { text: "Started" }, { text: "unexpected" }], [TASK]: [hanging, hanging] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  const { json: started } = await running.waitForLine(({ subtype }) => subtype === "task_started");
  await running.waitForLine(({ type }) => type === "result");
  running.send(control("stop", { subtype: "stop_task", task_id: started.task_id }));
  const { json: told } = await running.waitForLine(({ subtype }) => subtype === "task_notification");
  expect(told).toMatchObject({ task_id: started.task_id, status: "stopped" });
  running.closeStdin();
  const { messages, code } = await running.done;
  expect(code).toBe(0);
  expect(messages.filter(({ type }) => type === "result")).toHaveLength(1);
});

test("an agent that is waited for can be moved to the background", async () => {
  using home = temporaryHome();
  const moved = Promise.withResolvers<void>();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Going on" }, { text: "Heard" }],
      [TASK]: [
        async () => {
          await moved.promise;
          return { text: "Late answer" };
        },
      ],
    }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  await model.waitForRequest(2);
  running.send(control("move", { subtype: "background_tasks", tool_use_id: "call_1_1" }));
  const first = await running.waitForLine(({ type }) => type === "result");
  expect(first.json.result).toBe("Going on");
  moved.resolve();
  const second = await running.waitForLine(({ type }) => type === "result", { after: first });
  expect(second.json.result).toBe("Heard");
  running.closeStdin();
  const run = await running.done;
  expect(toolUseResults(run)[0]).toMatchObject({ status: "async_launched" });
  expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain("Late answer");
});

test("commands that an agent left in the background end with it", async () => {
  using home = temporaryHome();
  const pid = join(home.project, "pid");
  const command = {
    calls: [{ name: "Bash", input: { command: `echo $$ > ${pid}; exec sleep 600`, run_in_background: true } }],
  };
  const wait = { calls: [{ name: "Bash", input: { command: `until [ -s ${pid} ]; do sleep 0.01; done` } }] };
  await using model = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Done" }], [TASK]: [command, wait, { text: "Left it running" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url });
  expect(run.code).toBe(0);
  const stopped = run.messages.filter(({ subtype }) => subtype === "task_notification").map(({ status }) => status);
  expect(stopped).toEqual(["stopped", "completed"]);
  expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}`)).toBe(false);
});

test.each(["SIGKILL", "SIGTERM"] as const)(
  "an agent that ended with its process (%s) is told of once, when the session is resumed",
  async (signal) => {
    using home = temporaryHome();
    await using model = await startMockModel(
      cast({ main: [background(), { text: "Started" }], [TASK]: [{ text: "x", hang: true }] }),
    );
    await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
    running.send(prompt("Go"));
    const { json: started } = await running.waitForLine(({ subtype }) => subtype === "task_started");
    const { json: result } = await running.waitForLine(({ type }) => type === "result");
    await running.waitForLine(({ agent_id: id }) => id === started.task_id);
    const resume = async () => {
      await using later = await startMockModel([{ text: "Hello again" }]);
      const run = await runKeelson(["-p", "Again", "--resume", result.session_id, ...STREAM], { home, url: later.url });
      const [{ body }] = later.requests as any;
      return { told: messagesOf(run, "system/task_notification"), asked: JSON.stringify(body.messages.at(-1)) };
    };
    running.kill(signal);
    await running.done;

    const { told: once, asked } = await resume();
    expect(once).toMatchObject([
      {
        task_id: started.task_id,
        tool_use_id: "call_1_1",
        status: "stopped",
        summary: 'Agent "A task" did not finish before the session ended',
      },
    ]);
    expect(asked).toContain(`<task-id>${started.task_id}</task-id>`);
    expect(asked).toContain(`SendMessage to ${started.task_id}`);
    const again = await resume();
    expect(again.told).toEqual([]);
    expect(again.asked).not.toContain("<task-id>");
  },
);

test("a resumed session goes on if it cannot write down that it told of an agent", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({ main: [background(), { text: "Started" }, { text: "Hello again" }], [TASK]: [{ text: "x", hang: true }] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  const { json: result } = await running.waitForLine(({ type }) => type === "result");
  await running.waitForLine(({ agent_id: id }) => id !== undefined);
  running.kill("SIGKILL");
  await running.done;
  await using resumed = startKeelson([...CHAT, "--resume", result.session_id], { home, url: model.url, stdin: "open" });
  await resumed.waitForLine(({ subtype }) => subtype === "task_notification");
  const [project] = readdirSync(join(home.configDir, "projects"));
  const folder = join(home.configDir, "projects", project!, result.session_id, "subagents");
  renameSync(folder, `${folder}-moved`);
  writeFileSync(folder, "");
  resumed.send(prompt("Again"));
  resumed.closeStdin();
  const run = await resumed.done;
  expect(messagesOf(run, "result")).toMatchObject([{ result: "Hello again" }]);
  expect(JSON.stringify(told(model.requests.at(-1)!))).toContain("did not finish before the session ended");
  expect(run.stderr).toContain(": what became of it cannot be written (");
});

test("an agent that ended, but whose answer the model had no time to read, is told of with its answer on a resume", async () => {
  using home = temporaryHome();
  const released = Promise.withResolvers<void>();
  const child = async () => {
    await released.promise;
    return { text: "Forty-two" };
  };
  const hanging = { text: "x", hang: true } as const;
  await using model = await startMockModel(
    cast({ main: [background(), { text: "Started" }, hanging], [TASK]: [child] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  running.send(prompt("Go"));
  const { json: result } = await running.waitForLine(({ type }) => type === "result");
  running.send(prompt("Meanwhile"));
  await model.waitForRequest(4);
  released.resolve();
  await running.waitForLine(({ subtype }) => subtype === "task_notification");
  running.kill("SIGKILL");
  await running.done;
  await using later = await startMockModel([{ text: "Thanks" }]);
  const run = await runKeelson(["-p", "Again", "--resume", result.session_id, ...STREAM], { home, url: later.url });
  expect(messagesOf(run, "system/task_notification")).toMatchObject([{ status: "completed" }]);
  const asked = JSON.stringify(later.requests[0]!.body.messages.at(-1));
  expect(asked).toContain("<result>Forty-two</result>");
});
