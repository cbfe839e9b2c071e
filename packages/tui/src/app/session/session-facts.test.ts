import { expect, test } from "bun:test";
import { SessionFacts } from "./session-facts.ts";

test("a session tells its commands, agents, model and context", () => {
  const facts = new SessionFacts();
  facts.initialized({
    // Panels open only for commands that no skill replaced.
    commands: [{ name: "config", description: "d", argumentHint: "", builtin: true }, { name: "mine" }],
    agents: [{ name: "Explore", description: "Finds things" }, { name: "bare" }],
  });
  facts.informed({ model: { id: "m-1" }, context_window: 200_000 });
  expect(facts).toMatchObject({
    commands: [
      { name: "config", builtin: true },
      { name: "mine", description: "" },
    ],
    agents: [
      { name: "Explore", description: "Finds things" },
      { name: "bare", description: "" },
    ],
    model: "m-1",
    contextWindow: 200_000,
  });
});
