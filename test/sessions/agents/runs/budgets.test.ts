// What an agent may cost: its own budget, also for the agents it starts, beside that of the session.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../../front-door.ts";
import { addAgent, trust } from "../agent-home.ts";
import { agent, cast, requestsOf } from "../cast.ts";

// One of these costs $1.5 with the prices of Sonnet.
const DEAR = { usage: { input_tokens: 10, output_tokens: 100_000 } };
const list = { calls: [{ name: "Bash", input: { command: "ls" } }], ...DEAR };
const done = { text: "done" };
const RUN = ["-p", "Go", ...STREAM, "--model", "claude-sonnet-4-6"];

test("an agent ends before the request that would exceed its budget, and the session continues", async () => {
  using home = temporaryHome();
  addAgent(home, "thrifty", { head: "maxBudgetUsd: 2\n" });
  const roles = { main: [{ calls: [agent("Spend", { subagent_type: "thrifty" })] }, done], Spend: [list, list, list] };
  await using model = await startMockModel(cast(roles));
  const run = await runKeelson(RUN, { home, url: model.url });
  // The second was begun with $1.5 spent.
  expect(requestsOf(model.requests, "Spend", Object.keys(roles))).toHaveLength(2);
  const [answer] = told(model.requests.at(-1)!);
  expect(answer).toMatchObject({ is_error: true });
  expect(JSON.stringify(answer.content)).toMatch(
    /The agent failed \(agentId: a[0-9a-f]{16}\): The budget of \$2 is used up/,
  );
  expect(resultOf(run)).toMatchObject({ subtype: "success", result: "done" });
});

test("what an agent's own agents cost is part of its budget", async () => {
  using home = temporaryHome();
  addAgent(home, "thrifty", { head: "maxBudgetUsd: 2\n" });
  const roles = {
    main: [{ calls: [agent("Delegate", { subagent_type: "thrifty" })] }, done],
    Delegate: [{ calls: [agent("Spend")] }, done],
    Spend: [list, list, list],
  };
  await using model = await startMockModel(cast(roles));
  const env = { CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "2" };
  await runKeelson(RUN, { home, url: model.url, env });
  const count = (role: string) => requestsOf(model.requests, role, ["main", "Spend", "Delegate"]).length;
  expect([count("Spend"), count("Delegate")]).toEqual([2, 1]);
  expect(JSON.stringify(told(model.requests.at(-1)!)[0].content)).toContain("The budget of $2 is used up");
});

test("what an agent's searches cost is part of its budget, and one that would exceed it is not made", async () => {
  using home = temporaryHome();
  addAgent(home, "thrifty", { head: "maxBudgetUsd: 2\n" });
  const search = { calls: [{ name: "WebSearch", input: { query: "prices" } }] };
  const besides = "Perform a web search";
  const roles = {
    main: [
      { calls: [agent("Spend", { subagent_type: "thrifty" })] },
      { calls: [agent("Waste", { subagent_type: "thrifty" })] },
      done,
    ],
    Spend: [search, list],
    Waste: [{ ...search, usage: { input_tokens: 10, output_tokens: 140_000 } }, done],
    // $2.5 with the prices of Haiku.
    [besides]: [{ text: "found", usage: { input_tokens: 10, output_tokens: 5_000_000 } }],
  };
  await using model = await startMockModel(cast(roles));
  await runKeelson([...RUN, "--allowedTools", "WebSearch"], { home, url: model.url });
  const count = (role: string) => requestsOf(model.requests, role, Object.keys(roles)).length;
  expect([count("Spend"), count(besides), count("Waste")]).toEqual([1, 1, 1]);
  const [, ...answers] = requestsOf(model.requests, "main", Object.keys(roles));
  expect(answers.map(({ messages }) => JSON.stringify(messages.at(-1).content))).toEqual(
    Array(2).fill(expect.stringContaining("The budget of $2 is used up")),
  );
});

test("an agent that continues has no new budget", async () => {
  using home = temporaryHome();
  addAgent(home, "thrifty", { head: "maxBudgetUsd: 1\n" });
  let id = "";
  const roles = {
    main: [
      { calls: [agent("Spend", { subagent_type: "thrifty" })] },
      ({ messages }: any) => {
        id = /a[0-9a-f]{16}/.exec(JSON.stringify(messages.at(-1)))![0];
        return { calls: [{ name: "SendMessage", input: { to: id, message: "More", summary: "More" } }] };
      },
      done,
      done,
    ],
    Spend: [{ text: "Spent", ...DEAR }, list],
  };
  await using model = await startMockModel(cast(roles));
  const run = await runKeelson(RUN, { home, url: model.url });
  expect(requestsOf(model.requests, "Spend", Object.keys(roles))).toHaveLength(1);
  expect(
    run.messages.find(({ subtype, status }) => subtype === "task_notification" && status === "failed"),
  ).toMatchObject({ task_id: id, summary: expect.stringContaining("The budget of $1 is used up") });
});

test("a budget that cannot be held, because the price is unknown, is refused", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "thrifty", { head: "maxBudgetUsd: 1\nmodel: my-own-model\n" });
  await using model = await startMockModel([{ calls: [agent("Spend", { subagent_type: "thrifty" })] }, done]);
  await runKeelson(RUN, { home, url: model.url });
  expect(JSON.stringify(told(model.requests.at(-1)!)[0].content)).toContain(
    "it has a budget (maxBudgetUsd), and the price of 'my-own-model' is unknown; add it to",
  );
});

test("an agent whose budget cannot be read is not started", async () => {
  using home = temporaryHome();
  trust(home);
  addAgent(home, "thrifty", { head: "maxBudgetUsd: five dollars\n" });
  await using model = await startMockModel([{ calls: [agent("Spend", { subagent_type: "thrifty" })] }, done]);
  await runKeelson(RUN, { home, url: model.url });
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(told(model.requests[1]!)[0].content)).toContain(
    "Agent 'thrifty' cannot be started: its budget (maxBudgetUsd) is not an amount above zero",
  );
});
