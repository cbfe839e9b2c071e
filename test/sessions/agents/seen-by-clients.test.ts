// What programs that drive a session see of its agents: states, progress, reports, retries, and the prompt as it was given.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, CHAT, control, kindOf, messagesOf, prompt, STREAM, toolUseResults } from "../front-door.ts";
import { agent, cast, requestsOf } from "./cast.ts";

const TASK = "Look at it closely";
const ROLES = ["main", TASK];
const STATES = { CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" };
const echo = (word: string) => ({ name: "Bash", input: { command: `echo ${word}`, description: `Say ${word}` } });
const BUSY = { status: 529, message: "busy" };
const inBackground = { calls: [agent(TASK, { run_in_background: true })] };
const statesOf = (run: { readonly messages: readonly any[] }) =>
  messagesOf(run, "system/session_state_changed").map(({ state }) => state);

test("while an agent works in the background the session is not idle, and the agent's hooks are answered", async () => {
  using home = temporaryHome();
  const released = Promise.withResolvers<void>();
  const child = async () => {
    await released.promise;
    return { text: "Found it" };
  };
  await using model = await startMockModel(
    cast({ main: [inBackground, { text: "Started" }, { text: "Heard" }], [TASK]: [child] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, env: STATES, stdin: "open" });
  running.send(control("i", { subtype: "initialize", hooks: { SubagentStop: [{ hookCallbackIds: ["stop"] }] } }));
  running.send(prompt("Go"));
  await running.waitForLine(({ type }) => type === "result");
  released.resolve();
  const { json: asked } = await running.waitForLine(({ type }) => type === "control_request");
  expect(asked.request).toMatchObject({ callback_id: "stop", input: { last_assistant_message: "Found it" } });
  running.send(answer(asked.request_id, {}));
  await running.waitForLine(({ state }) => state === "idle");
  running.closeStdin();
  const run = await running.done;
  expect(statesOf(run)).toEqual(["running", "idle"]);
  expect(messagesOf(run, "result").map(({ result }) => result)).toEqual(["Started", "Heard"]);
  expect(kindOf(run.messages.at(-1))).toBe("system/session_state_changed");
});

test("when the last agent in the background is stopped, the session is idle", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({ main: [inBackground, { text: "Started" }], [TASK]: [{ text: "x", hang: true }] }),
  );
  await using running = startKeelson(CHAT, { home, url: model.url, env: STATES, stdin: "open" });
  running.send(prompt("Go"));
  const { json: started } = await running.waitForLine(({ subtype }) => subtype === "task_started");
  await running.waitForLine(({ type }) => type === "result");
  running.send(control("stop", { subtype: "stop_task", task_id: started.task_id }));
  await running.waitForLine(({ state }) => state === "idle");
  running.closeStdin();
  const run = await running.done;
  expect(statesOf(run)).toEqual(["running", "idle"]);
  const [{ patch }] = messagesOf(run, "system/task_updated");
  expect(patch).toEqual({ status: "killed", end_time: expect.any(Number) });
  expect(messagesOf(run, "system/task_notification")).toMatchObject([{ status: "stopped", summary: "A task" }]);
});

test("each call of an agent is progress with the tokens so far, and its answer is the summary of its end", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Done" }],
      [TASK]: [{ calls: [echo("one"), echo("two")] }, { calls: [echo("three")] }, { text: "Three words" }],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const progress = messagesOf(run, "system/task_progress");
  expect(progress.map(({ description, usage }) => [description, usage.tool_uses])).toEqual([
    ["Running Say one", 1],
    ["Running Say two", 2],
    ["Running Say three", 3],
  ]);
  for (const { usage } of progress) expect(usage.total_tokens).toBeGreaterThanOrEqual(100);
  expect(messagesOf(run, "system/task_notification")).toMatchObject([
    { status: "completed", summary: "Three words", usage: { tool_uses: 3, total_tokens: 120 } },
  ]);
});

test("a request of an agent that is retried is progress of its call, not a retry of the session", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Done" }],
      [TASK]: [BUSY, { text: "Back" }],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(messagesOf(run, "system/api_retry")).toEqual([]);
  const [{ agentId }] = toolUseResults(run);
  const [retried, over, ...more] = messagesOf(run, "tool_progress");
  expect(more).toEqual([]);
  expect(retried).toMatchObject({
    tool_use_id: "call_1_1",
    tool_name: "Agent",
    parent_tool_use_id: "call_1_1",
    subagent_type: "general-purpose",
    subagent_retry: { agent_id: agentId, attempt: 1, error_status: 529, error_category: "overloaded" },
  });
  expect(over).toMatchObject({ tool_use_id: "call_1_1", subagent_type: "general-purpose" });
  expect("subagent_retry" in over).toBe(false);

  await using again = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Done" }], [TASK]: [BUSY, { text: "Back" }] }),
  );
  const { stderr } = await runKeelson(["-p", "Go"], { home, url: again.url });
  expect(stderr).toContain("the model server replied with HTTP status 529 (overloaded); retrying");
});

test.each([
  ["a worktree", "You work in an isolated worktree", { isolation: "worktree" }, "default"],
  ["the mode", "Plan mode is on", {}, "plan"],
])(
  "clients see the prompt as it was given; what hooks and %s add goes to the model alone",
  async (_, added, how, mode) => {
    using home = temporaryHome({ git: true });
    const context = { hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "Mind the gap" } };
    const hook = { type: "command", command: `echo '${JSON.stringify(context)}'` };
    home.write(".claude/settings.json", { hooks: { SubagentStart: [{ hooks: [hook] }] } });
    const author = ["-c", "user.name=t", "-c", "user.email=t@t"];
    Bun.spawnSync(["git", ...author, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: home.project });
    await using model = await startMockModel(
      cast({ main: [{ calls: [agent(TASK, how)] }, { text: "Done" }], [TASK]: [{ text: "Seen" }] }),
    );
    const run = await runKeelson(["-p", "Go", ...STREAM, "--permission-mode", mode], { home, url: model.url });
    const [first] = messagesOf(run, "user").filter(({ parent_tool_use_id: parent }) => parent === "call_1_1");
    expect(first.message.content).toEqual([{ type: "text", text: TASK }]);
    expect(messagesOf(run, "system/task_started")).toMatchObject([{ prompt: TASK }]);
    expect(toolUseResults(run)).toMatchObject([{ status: "completed", prompt: TASK }]);
    const [{ messages }] = requestsOf(model.requests, TASK, ROLES);
    const texts: string[] = messages[0].content.map(({ text }: any) => text);
    expect(texts.at(-1)).toBe(TASK);
    expect(texts.filter((text) => text.startsWith(`<system-reminder>\n${added}`))).toHaveLength(1);
    expect(texts).toContain(
      "<system-reminder>\nSubagentStart hook additional context: Mind the gap\n</system-reminder>",
    );
  },
);

test("an agent that goes on belongs to the call that started it, on the stream and in its files", async () => {
  using home = temporaryHome();
  const idIn = (body: any) => /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(body.messages))![1]!;
  const asked = Promise.withResolvers<void>();
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK)] },
        (body) => ({ calls: [{ name: "SendMessage", input: { to: idIn(body), message: "Again", summary: "Again" } }] }),
        () => {
          asked.resolve();
          return { text: "Asked" };
        },
        { text: "Heard" },
      ],
      [TASK]: [
        { text: "Once" },
        async () => {
          await asked.promise;
          return { calls: [echo("twice")] };
        },
        { text: "Twice" },
      ],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const [{ agentId }] = toolUseResults(run);
  const inside = run.messages.filter(({ agent_id: id }) => id === agentId);
  expect([...new Set(inside.map(({ parent_tool_use_id: parent }) => parent))]).toEqual(["call_1_1"]);
  expect(inside.some(({ type }) => type === "assistant")).toBe(true);
  expect(messagesOf(run, "system/task_started").map(({ tool_use_id: id }) => id)).toEqual(["call_1_1", "call_3_1"]);
  const [file] = [...new Bun.Glob("projects/**/subagents/*.meta.json").scanSync(home.configDir)];
  expect(JSON.parse(readFileSync(join(home.configDir, file!), "utf8"))).toMatchObject({ toolUseId: "call_1_1" });
});

test.each([false, true])(
  "what an agent said before it failed is not lost (in the background: %j)",
  async (background) => {
    using home = temporaryHome();
    const refused = { status: 400, message: "no more" };
    const started = { calls: [agent(TASK, { run_in_background: background })] };
    await using model = await startMockModel(
      cast({
        main: [started, { text: "Noted" }, { text: "Noted" }],
        [TASK]: [{ text: "The first half is fine", calls: [echo("half")] }, refused],
      }),
    );
    const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
    expect(messagesOf(run, "system/task_updated").at(-1).patch).toMatchObject({
      status: "failed",
      error: "API Error: 400 no more",
    });
    expect(messagesOf(run, "system/task_notification")).toMatchObject([
      { status: "failed", summary: "API Error: 400 no more" },
    ]);
    const heard = JSON.stringify(model.requests.at(-1)!.body.messages.at(-1));
    expect(heard).toContain("The first half is fine");
    expect(heard).toContain("not finished");
  },
);
