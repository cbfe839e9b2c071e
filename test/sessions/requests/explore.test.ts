// The model and the tools of the agent that searches.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { HAIKU, SONNET } from "../../models.ts";

async function exploring(settings: object) {
  using home = temporaryHome();
  home.settings(settings);
  const call = { name: "Agent", input: { description: "Find", prompt: "Find it", subagent_type: "Explore" } };
  await using model = await startMockModel([{ calls: [call] }, { text: "found" }, { text: "done" }]);
  await runKeelson(["-p", "go", "--model", "sonnet"], { home, url: model.url });
  const [first, { body }] = model.requests as readonly any[];
  const commits = (tools: any) => tools.find(({ name }: any) => name === "Bash").description.includes("gh pr create");
  expect([commits(first.body.tools), commits(body.tools)]).toEqual([true, false]);
  return { model: body.model, tools: body.tools.map(({ name }: any) => name) };
}

test.each([
  [{}, HAIKU],
  [{ exploreModel: "inherit" }, SONNET],
  [{ exploreModel: "sonnet" }, SONNET],
])("with the settings %j, Explore asks %s and has only the tools that searching needs", async (settings, model) => {
  expect(await exploring(settings)).toEqual({ model, tools: ["Bash", "Glob", "Grep", "Read"] });
});
