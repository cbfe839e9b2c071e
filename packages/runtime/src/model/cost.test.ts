import { expect, test } from "bun:test";
import { Cost } from "./cost.ts";

const rates = { costOf: () => 0, limitsOf: () => ({ contextWindow: 1, maxOutputTokens: 1 }) };

test("changed lines are counted from file tool results and kept when a session is resumed", () => {
  const cost = new Cost(rates);
  cost.countLines({ type: "create", content: "one\ntwo\n", structuredPatch: [] });
  cost.countLines({ type: "create", content: "", structuredPatch: [] });
  cost.countLines({ structuredPatch: [{ lines: [" same", "-old", "+new", "+more", "\\ No newline at end of file"] }] });
  for (const other of ["Error: no", null, 7, { stdout: "+1" }, { structuredPatch: [null, { lines: 3 }] }])
    cost.countLines(other);
  expect(cost.lines).toEqual({ added: 4, removed: 1 });
  const state = cost.state("s", 0, 10);
  expect(state).toMatchObject({ totalLinesAdded: 4, totalLinesRemoved: 1 });
  expect(new Cost(rates, state).lines).toEqual({ added: 4, removed: 1 });
});

test("times are kept with the fields without which the reference reads no total, across a resume", () => {
  const cost = new Cost(rates);
  cost.charge({ input_tokens: 1, output_tokens: 1 }, "m", 20);
  cost.countCall({ tool_name: "Bash", duration_ms: 7 });
  cost.countCall({ prompt: "no call" });
  const state = cost.state("s", 1_000, 1_050);
  const times = { totalAPIDuration: 20, totalAPIDurationWithoutRetries: 20, totalToolDuration: 7 };
  expect(state).toMatchObject({ ...times, totalDuration: 50, startTime: 1_000 });
  const resumed = new Cost(rates, state);
  resumed.countCall({ duration_ms: 3 });
  expect(resumed.state("s", 9_000, 9_001)).toMatchObject({ totalToolDuration: 10, startTime: 1_000 });
  resumed.reset();
  expect(resumed.state("s", 9_000, 9_001)).toMatchObject({ totalToolDuration: 0, startTime: 9_000 });
});

test("what subagents use is part of the total, and also counted by their type, across a resume", () => {
  const cost = new Cost({ ...rates, costOf: () => 2 });
  const usage = { input_tokens: 10, output_tokens: 1 };
  cost.charge(usage, "m", 5);
  cost.charge(usage, "m", 5, "Explore");
  cost.charge(usage, "n", 5, "Explore");
  const resumed = new Cost({ ...rates, costOf: () => 2 }, cost.state("s", 0, 1));
  resumed.charge(usage, "n", 5, "Explore");
  expect(resumed.totalUsd).toBe(8);
  expect(resumed.agentUsage).toMatchObject({
    Explore: { m: { inputTokens: 10, costUSD: 2 }, n: { inputTokens: 20, costUSD: 4 } },
  });
  resumed.reset();
  expect(resumed.state("s", 0, 1)).not.toHaveProperty("agentUsage");
});

test("a teammate reports all it has used; what is new is added", () => {
  const cost = new Cost({ ...rates, costOf: () => 2 });
  const theirs = cost.separate();
  const usage = { input_tokens: 10, output_tokens: 1 };
  cost.charge(usage, "m", 5);
  for (const model of ["m", "n"]) {
    theirs.charge(usage, model, 5);
    cost.absorb("s2", theirs.modelUsage, "worker");
  }
  cost.absorb("s2", theirs.modelUsage, "worker");
  expect(cost.totalUsd).toBe(6);
  expect(cost.modelUsage).toMatchObject({ m: { inputTokens: 20, costUSD: 4 }, n: { inputTokens: 10, costUSD: 2 } });
  expect(cost.agentUsage).toMatchObject({ worker: { m: { inputTokens: 10 }, n: { inputTokens: 10 } } });
});
