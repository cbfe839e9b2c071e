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
  const state = cost.state("s", 10);
  expect(state).toMatchObject({ totalLinesAdded: 4, totalLinesRemoved: 1 });
  expect(new Cost(rates, state).lines).toEqual({ added: 4, removed: 1 });
});
