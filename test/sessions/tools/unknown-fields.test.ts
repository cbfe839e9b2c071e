// Fields of calls that a tool does not have: models send those of other versions.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM, told } from "../front-door.ts";

test("tools that are open in the reference drop fields they do not know; the others refuse them", async () => {
  using home = temporaryHome();
  const open: Readonly<Record<string, object>> = {
    Agent: { description: "A task", prompt: "Go", subagent_type: "nobody" },
    Monitor: { description: "d" },
    SendMessage: { to: "nobody", message: "Hi", summary: "Hi" },
    Skill: { skill: "nothing" },
    TaskCreate: { subject: "s" },
    TaskOutput: { task_id: "x" },
  };
  const closed = { TaskStop: { task_id: "x" }, CronDelete: { id: "x" }, EnterWorktree: { name: "x" } };
  const calls = Object.entries({ ...open, ...closed }).map(([name, input]) => ({
    name,
    input: { ...input, other: 1 },
  }));
  await using model = await startMockModel([{ calls: calls as never }, { text: "Done" }]);
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const refused = told(model.requests[1]!).map(({ content }, at) => [
    calls[at]!.name,
    JSON.stringify(content).includes("An unexpected parameter `other`"),
  ]);
  expect(Object.fromEntries(refused)).toEqual({
    ...Object.fromEntries(Object.keys(open).map((name) => [name, false])),
    ...Object.fromEntries(Object.keys(closed).map((name) => [name, true])),
  });
});
