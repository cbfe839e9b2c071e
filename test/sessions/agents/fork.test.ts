// Forks: the same request as the parent's up to the new message, and no forks of forks.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM, toolUseResults } from "../front-door.ts";
import { agent, cast, requestsOf } from "./cast.ts";

const TASK = "Only the fork does this";
const ROLES = ["main", TASK];
const FORKS = { CLAUDE_CODE_FORK_SUBAGENT: "1" };

test("a fork's request is its parent's, byte for byte, up to the new message", async () => {
  using home = temporaryHome();
  const file = home.write("a.txt", "alpha\n");
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [{ name: "Read", input: { file_path: file } }] },
        { text: "Thinking aloud", calls: [agent(TASK)] },
        { text: "Done" },
      ],
      [TASK]: [
        { calls: [{ name: "Edit", input: { file_path: file, old_string: "alpha", new_string: "beta" } }] },
        { text: "Forked answer" },
      ],
    }),
  );
  const flags = ["--permission-mode", "acceptEdits"];
  const run = await runKeelson(["-p", "Go", ...STREAM, ...flags], { home, url: model.url, env: FORKS });
  expect(run.stderr).toBe("");
  const [parent] = requestsOf(model.requests, "main", ROLES).slice(-2);
  const [fork] = requestsOf(model.requests, TASK, ROLES);
  const { messages: before, ...head } = parent;
  const { messages: after, ...same } = fork;
  expect(JSON.stringify(same)).toBe(JSON.stringify(head));
  expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
  const [reply, question, ...more] = after.slice(before.length);
  expect(more).toEqual([]);
  expect(reply.content.map(({ type }: any) => type)).toEqual(["text", "tool_use"]);
  expect(question.content.map(({ type }: any) => type)).toEqual(["tool_result", "text"]);
  // It has read what the parent has read.
  expect(home.read("a.txt")).toBe("beta\n");
  expect(toolUseResults(run).at(-1)).toMatchObject({ agentType: "fork", content: [{ text: "Forked answer" }] });
});

test("a fork cannot start agents, and without the variable nothing forks", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Done" }],
      [TASK]: [{ calls: [agent("deeper", { subagent_type: "general-purpose" })] }, { text: "Did it myself" }],
    }),
  );
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url, env: FORKS });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(second.messages.at(-1).content[0]).toMatchObject({
    is_error: true,
    content: "A fork cannot start agents. Do the work yourself, with your tools.",
  });

  await using plain = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Done" }], [TASK]: [{ text: "ok" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: plain.url });
  expect(toolUseResults(run)[0]).toMatchObject({ agentType: "general-purpose" });
});
