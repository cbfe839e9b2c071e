import { expect, test } from "bun:test";
import { taskBudgetNotice } from "./task-budget.ts";

const used = (inputTokens: number, outputTokens: number) => ({
  m: { inputTokens, outputTokens, cacheCreationInputTokens: 0 },
});

test("what earlier programs used of a session is not this one's", () => {
  expect(taskBudgetNotice(100, used(60, 20), used(40, 10))).toContain(
    "a budget of 100 tokens in all, of which about 70",
  );
  expect(taskBudgetNotice(100, used(500, 0))).toContain("about 0 are left");
});
