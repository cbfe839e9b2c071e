// Questions about the calls of agents in the background: they reach every client that can answer, with the agent's name, and
// are withdrawn with the agent. Where no one can answer, the call is denied.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { query } from "@keelson/sdk";
import {
  runKeelson,
  startKeelson,
  type Running,
  startMockModel,
  temporaryHome,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, STREAM } from "../../front-door.ts";
import { door, read, resultsOf } from "../../sdk/door.ts";
import { openAtTerminal } from "../../terminal/at-terminal.ts";
import { addAgent } from "../agent-home.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const ASKS = [...CHAT, "--permission-prompt-tool", "stdio"];
const quietly = (task: string, more: object = {}) => agent(task, { run_in_background: true, ...more });
const write = (name: string) => ({ calls: [{ name: "Write", input: { file_path: name, content: "x" } }] });
const made = (home: TemporaryHome, ...names: readonly string[]) =>
  names.filter((name) => existsSync(join(home.project, name)));
const isQuestion = ({ request }: any) => request?.subtype === "can_use_tool";
const startsIn = ({ lines }: Pick<Running, "lines">) =>
  messagesOf({ messages: lines.map(({ json }) => json) }, "system/task_started");
const resultsIn = (body: any) =>
  body.messages
    .at(-1)
    .content.map(({ content }: any) => content)
    .join("\n");

test("several agents ask at once, by name; each gets its own answer, also when they come the other way round", async () => {
  using home = temporaryHome();
  addAgent(home, "painter", { folder: "~/.claude/agents" });
  const roles = ["main", "Paint the wall", "Clean the floor"];
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [quietly("Paint the wall", { subagent_type: "painter" }), quietly("Clean the floor")] },
        { text: "Started" },
        { text: "Heard" },
        { text: "Heard" },
      ],
      "Paint the wall": [write("wall"), { text: "Painted" }],
      "Clean the floor": [write("floor"), { text: "Not cleaned" }],
    }),
  );
  await using program = startKeelson(ASKS, { home, url: model.url, stdin: "open" });
  program.send(prompt("Go"));
  const first = await program.waitForLine(isQuestion);
  const second = await program.waitForLine(isQuestion, { after: first });
  const started = startsIn(program);
  const questions = [first, second].map(({ json }) => json);
  for (const { request } of questions) {
    const name = request.input.file_path.split("/").at(-1);
    expect(request.agent_type).toBe(name === "wall" ? "painter" : "general-purpose");
    expect(started.find(({ task_id: id }) => id === request.agent_id)?.subagent_type).toBe(request.agent_type);
    expect(request.tool_name).toBe("Write");
  }
  for (const { request_id: id, request } of questions.toReversed())
    program.send(
      answer(
        id,
        request.agent_type === "painter" ? { behavior: "allow" } : { behavior: "deny", message: "Leave the floor" },
      ),
    );
  await program.waitForLine(({ type, result }) => type === "result" && result === "Heard");
  program.closeStdin();
  expect((await program.done).code).toBe(0);
  expect(made(home, "wall", "floor")).toEqual(["wall"]);
  expect(resultsIn(requestsOf(model.requests, "Clean the floor", roles)[1])).toBe("Leave the floor");
});

test("an interrupt leaves the question of an agent in the background open; stopping the agent withdraws it", async () => {
  using home = temporaryHome();
  const hanging = { text: "x", hang: true } as const;
  await using model = await startMockModel(
    cast({
      main: [{ calls: [quietly("Work alone"), quietly("Work as well")] }, hanging, { text: "Heard" }],
      "Work alone": [write("alone"), { text: "unexpected" }],
      "Work as well": [write("well"), { text: "Done" }],
    }),
  );
  await using program = startKeelson(ASKS, { home, url: model.url, stdin: "open" });
  program.send(prompt("Go"));
  const first = await program.waitForLine(isQuestion);
  const second = await program.waitForLine(isQuestion, { after: first });
  const about = (name: string) => [first, second].find(({ json }) => json.request.input.file_path === name)!.json;
  await model.waitForRequest(4);
  program.send(control("stop", { subtype: "interrupt" }));
  const stopped = await program.waitForLine(({ type }) => type === "result");
  program.send(control("again", { subtype: "initialize" }));
  const { json: begun } = await program.waitForLine(({ response }) => response?.request_id === "again");
  expect(begun.response.pending_permission_requests.map(({ request_id: id }: any) => id).toSorted()).toEqual(
    [first, second].map(({ json }) => json.request_id).toSorted(),
  );

  program.send(control("end", { subtype: "stop_task", task_id: about("alone").request.agent_id }));
  const { json: withdrawn } = await program.waitForLine(({ type }) => type === "control_cancel_request");
  expect(withdrawn.request_id).toBe(about("alone").request_id);
  // Too late.
  program.send(answer(about("alone").request_id, { behavior: "allow" }));
  program.send(answer(about("well").request_id, { behavior: "allow" }));
  await program.waitForLine(({ type, result }) => type === "result" && result === "Heard", { after: stopped });
  program.closeStdin();
  await program.done;
  expect(made(home, "alone", "well")).toEqual(["well"]);
});

test("an agent below an agent asks too, and so does one whose question comes after the last result", async () => {
  using home = temporaryHome();
  const reached = Promise.withResolvers<void>();
  const late = async () => {
    await reached.promise;
    return write("late");
  };
  await using model = await startMockModel(
    cast({
      main: [{ calls: [quietly("Work above")] }, { text: "Started" }, { text: "Heard" }],
      "Work above": [{ calls: [agent("Deep below")] }, { text: "Done" }],
      "Deep below": [late, { text: "Done" }],
    }),
  );
  await using program = startKeelson(ASKS, {
    home,
    url: model.url,
    stdin: "open",
    env: { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "2" },
  });
  program.send(prompt("Go"));
  await program.waitForLine(({ type }) => type === "result");
  reached.resolve();
  const { json: asked } = await program.waitForLine(isQuestion);
  const tasks = startsIn(program);
  expect(asked.request.agent_id).toBe(tasks.find(({ prompt: text }) => text === "Deep below").task_id);
  program.send(answer(asked.request_id, { behavior: "allow" }));
  await program.waitForLine(({ type, result }) => type === "result" && result === "Heard");
  program.closeStdin();
  await program.done;
  expect(made(home, "late")).toEqual(["late"]);
});

test("where no one can answer, the call is denied, with the reason; hooks may still allow it", async () => {
  const played = async (hooks: object) => {
    using home = temporaryHome();
    home.settings({ hooks });
    await using model = await startMockModel(
      cast({
        main: [{ calls: [quietly("Work alone")] }, { text: "Started" }, { text: "Heard" }],
        "Work alone": [write("alone"), { text: "Done" }],
      }),
    );
    const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
    const result = resultsIn(requestsOf(model.requests, "Work alone", ["main", "Work alone"])[1]);
    return { result, denied: messagesOf(run, "system/permission_denied"), made: made(home, "alone") };
  };
  const alone = await played({});
  expect(alone).toMatchObject({
    denied: [{ tool_name: "Write", decision_reason_type: "asyncAgent", agent_id: expect.any(String) }],
    made: [],
  });
  expect(alone.result).toContain(
    "No one is available to approve it in this session. Do not retry it: go on without it, and say at the end",
  );

  const allow = JSON.stringify({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
  const hook = { type: "command", command: `echo '${allow}'` };
  expect(await played({ PermissionRequest: [{ hooks: [hook] }] })).toMatchObject({ denied: [], made: ["alone"] });
});

test("without anyone at the other end of the stream any more, the call is denied, with the reason", async () => {
  using home = temporaryHome();
  const closed = Promise.withResolvers<void>();
  const late = async () => {
    await closed.promise;
    return write("late");
  };
  await using model = await startMockModel(
    cast({
      main: [{ calls: [quietly("Work alone")] }, { text: "Started" }, { text: "Heard" }],
      "Work alone": [late, { text: "Done" }],
    }),
  );
  await using program = startKeelson(ASKS, { home, url: model.url, stdin: "open" });
  program.send(prompt("Go"));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  closed.resolve();
  await program.done;
  const [, second] = requestsOf(model.requests, "Work alone", ["main", "Work alone"]);
  expect(resultsIn(second)).toContain("Tool permission stream closed before response received");
  expect(made(home, "late")).toEqual([]);
});

test("the application's canUseTool is asked, although its only prompt has its result", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [quietly("Work alone")] }, { text: "Started" }, { text: "Heard" }],
      "Work alone": [write("alone"), { text: "Done" }],
    }),
  );
  const asked: unknown[] = [];
  const messages = await read(
    query({
      prompt: "Go",
      options: {
        ...door(home, model),
        canUseTool: async (name, input, { agentID }) => {
          asked.push([name, typeof agentID]);
          return { behavior: "allow", updatedInput: input };
        },
      },
    }),
  );
  expect(asked).toEqual([["Write", "string"]]);
  expect(resultsOf(messages).length).toBe(2);
  expect(made(home, "alone")).toEqual(["alone"]);
});

test("at the terminal a dialog names the agent, while the session waits for its next prompt", async () => {
  const released = Promise.withResolvers<void>();
  await using at = await openAtTerminal(
    [
      cast({
        main: [
          { calls: [quietly("Work alone", { subagent_type: "painter" })] },
          { text: "Started." },
          { text: "Heard." },
        ],
        "Work alone": [
          async () => {
            await released.promise;
            return write("alone");
          },
          { text: "Done" },
        ],
      }),
    ].flatMap((each) => Array.from({ length: 5 }, () => each)),
    { prepare: (home) => void addAgent(home, "painter", { folder: "~/.claude/agents" }) },
  );
  at.terminal.type("go\r");
  await at.terminal.until("Started.");
  released.resolve();
  await at.terminal.until("subagent painter");
  await at.terminal.until("❯ 1. Yes");
  at.terminal.press("enter");
  await at.terminal.until("Heard.");
  expect(made(at.home, "alone")).toEqual(["alone"]);
});
