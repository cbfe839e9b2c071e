// What clients see of an agent in the foreground: its calls always, what it says only if they ask for it.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";
import { agent, cast } from "../cast.ts";

const TASK = "Look into the file";

test.each([
  ["nothing else", [], {}, []],
  ["--forward-subagent-text", ["--forward-subagent-text"], {}, ["I will look", "It says alpha"]],
  ["its variable", [], { CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: "1" }, ["I will look", "It says alpha"]],
])("what an agent says is sent with %s", async (_, flags, env, expected) => {
  using home = temporaryHome();
  const file = home.write("a.txt", "alpha\n");
  const look = { text: "I will look", calls: [{ name: "Read", input: { file_path: file } }] };
  await using model = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Done" }], [TASK]: [look, { text: "It says alpha" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM, ...flags], { home, url: model.url, env });
  const inside = run.messages.filter(
    ({ type, parent_tool_use_id: parent }) => type === "assistant" && parent === "call_1_1",
  );
  const blocks = inside.flatMap(({ message }) => message.content);
  expect(blocks.filter(({ type }) => type === "text").map(({ text }) => text)).toEqual([...expected]);
  expect(blocks.filter(({ type }) => type === "tool_use")).toHaveLength(1);
});
