import { expect, test } from "bun:test";
import { taskBudgetNotice } from "./task-budget.ts";

const used = (inputTokens: number, outputTokens: number) => ({
  m: { inputTokens, outputTokens, cacheCreationInputTokens: 0 },
});

test("tokens used before the session was resumed do not count against the budget", () => {
  expect(taskBudgetNotice(100, used(60, 20), used(40, 10))).toContain("a budget of 100 tokens; about 70 are left");
  expect(taskBudgetNotice(100, used(500, 0))).toContain("about 0 are left");
});
