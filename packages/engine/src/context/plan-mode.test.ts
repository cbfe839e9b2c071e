import { expect, test } from "bun:test";
import { renderPlanMode } from "./plan-mode.ts";

const facts = { planFile: "/c/plans/a.md", planExists: false, toolNames: ["AskUserQuestion", "ExitPlanMode", "Read"] };

test("the model is told what it may not do, where the plan goes and how to finish", () => {
  const text = renderPlanMode(facts);
  for (const part of ["Plan mode is on", "/c/plans/a.md", "does not exist yet", "AskUserQuestion", "ExitPlanMode"]) {
    expect(text).toContain(part);
  }
  expect(renderPlanMode({ ...facts, planExists: true })).toContain("continue from there");
});

test("if no one can be asked, the plan is the answer", () => {
  const text = renderPlanMode({ ...facts, toolNames: ["Read"] });
  expect(text).toContain("End with the plan as your answer");
  for (const tool of ["AskUserQuestion", "ExitPlanMode", "/c/plans"]) expect(text).not.toContain(tool);
});

test("a client's own workflow replaces ours, but the limits stay", () => {
  const text = renderPlanMode({ ...facts, workflow: "Draw first." });
  expect(text).toStartWith("Plan mode is on.");
  expect(text).toEndWith("\n\nDraw first.");
});
