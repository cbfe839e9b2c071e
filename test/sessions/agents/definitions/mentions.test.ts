// `@agent-name` in a prompt.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";

const WANTED = (name: string) => `The user wants the agent "${name}" for this.`;

test("an agent that the user names is wanted; other words are not", async () => {
  using home = temporaryHome();
  home.write("~/.claude/agents/reviewer.md", "---\nname: code reviewer\ndescription: Reviews\n---\nReview.");
  await using model = await startMockModel([{ text: "ok" }, { text: "ok" }]);
  const ask = (prompt: string, ...flags: readonly string[]) =>
    runKeelson(["-p", prompt, ...STREAM, ...flags], { home, url: model.url });
  await ask('Let @agent-Explore, @"code reviewer (agent)" and @agent-nobody look; not me@agent-Plan.org');
  await ask("Let @agent-Explore look", "--disallowedTools", "Agent(Explore)");
  const [first, second] = model.requests.map(({ body }) => JSON.stringify(body.messages));
  for (const name of ["Explore", "code reviewer"]) expect(first).toContain(JSON.stringify(WANTED(name)).slice(1, -1));
  for (const name of ["nobody", "Plan"]) expect(first).not.toContain(JSON.stringify(WANTED(name)).slice(1, -1));
  expect(second).not.toContain("The user wants");
});
