import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { validateInput } from "@keelson/engine";
import { call, toolWorld } from "../tool-world.test-support.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import type { PlanKeeper } from "./plan-keeper.ts";

function keeper(root: string, { planning = true, plan }: { planning?: boolean; plan?: string } = {}) {
  const path = join(root, "plan.md");
  if (plan !== undefined) writeFileSync(path, plan);
  const state = { planning };
  const kept: PlanKeeper = {
    isPlanning: () => state.planning,
    text: () => (plan === undefined ? undefined : readFileSync(path, "utf8")),
    path: () => path,
    begin: () => void (state.planning = true),
    end: () => void (state.planning = false),
  };
  return { kept, state, path };
}

test("the user sees the plan from the file, and approving it ends plan mode", async () => {
  using world = toolWorld();
  const { kept, state, path } = keeper(world.cwd, { plan: "1. Look" });
  const tool = exitPlanModeTool(kept);
  // Not before its turn: the file may not be written yet.
  expect(validateInput(tool, {})).toEqual({ ok: true, input: {} });
  expect(tool.complete!({})).toEqual({ plan: "1. Look", planFilePath: path });

  const output = await call(tool, {}, world.context);
  expect(output).toEqual({ plan: "1. Look", isAgent: false, filePath: path });
  expect(state.planning).toBe(false);
  expect(tool.show(output)).toStartWith(
    `User has approved your plan. You can now start coding. The plan is saved in ${path};`,
  );
});

test("a plan the user edits replaces the old one", async () => {
  using world = toolWorld();
  const { kept, path } = keeper(world.cwd, { plan: "1. Look" });
  const tool = exitPlanModeTool(kept);
  tool.check!({ plan: "1. Look" }, world.context);
  const output = await tool.run({ plan: "1. Ask first" }, world.context);
  expect(output).toEqual({ plan: "1. Ask first", isAgent: false, filePath: path, planWasEdited: true });
  expect(readFileSync(path, "utf8")).toBe("1. Ask first");
  expect(tool.show(output)).toEndWith("This is the approved version:\n\n1. Ask first");
});

test("an answer without a plan approves the plan that was shown, and what was written meanwhile stays", async () => {
  using world = toolWorld();
  const { kept, path } = keeper(world.cwd, { plan: "1. Look" });
  const tool = exitPlanModeTool(kept);
  tool.check!(tool.complete!({}), world.context);
  writeFileSync(path, "1. Look\n2. Leap");
  const output = await tool.run({}, world.context);
  expect(output).toEqual({ plan: "1. Look", isAgent: false, filePath: path });
  expect(readFileSync(path, "utf8")).toBe("1. Look\n2. Leap");
});

test("a plan in the model's input is saved to the file; a missing plan is fine", async () => {
  using world = toolWorld();
  const { kept, path } = keeper(world.cwd);
  const tool = exitPlanModeTool(kept);
  expect(await call(tool, { plan: " " }, world.context)).toEqual({ plan: null, isAgent: false });
  kept.begin();
  expect(await call(tool, { plan: "mine" }, world.context)).toEqual({ plan: "mine", isAgent: false, filePath: path });
  expect(readFileSync(path, "utf8")).toBe("mine");
});

test("plan mode starts once and ends once", async () => {
  using world = toolWorld();
  const { kept, state } = keeper(world.cwd, { planning: false });
  const [enter, exit] = [enterPlanModeTool(kept), exitPlanModeTool(kept)];
  expect(call(exit, {}, world.context)).rejects.toThrow("You are not in plan mode. ");
  await call(enter, {}, world.context);
  expect(state.planning).toBe(true);
  expect(call(enter, {}, world.context)).rejects.toThrow("You are already in plan mode");
});
