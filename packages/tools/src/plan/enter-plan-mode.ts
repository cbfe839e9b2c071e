// EnterPlanMode: lets the model start plan mode. It only restricts what the model may do, so it needs no approval.

import { defineTool, object, ToolError, type Tool } from "@keelson/engine";
import description from "./enter-plan-mode.md" with { type: "text" };
import type { PlanKeeper } from "./plan-keeper.ts";

export interface EnterPlanModeOutput {
  readonly message: string;
}

export function enterPlanModeTool(plan: PlanKeeper): Tool<Record<string, never>, EnterPlanModeOutput> {
  return defineTool<Record<string, never>, EnterPlanModeOutput>({
    name: "EnterPlanMode",
    description,
    input: object({}),

    check() {
      if (plan.isPlanning())
        throw new ToolError("You are already in plan mode. Write the plan, then call ExitPlanMode.");
    },
    kind: "switch_mode",
    describe: () => ({ title: "", name: "Plan mode" }),
    access: () => ({ kind: "none" }),

    async run() {
      const refusal = plan.begin();
      if (refusal !== undefined) throw new ToolError(refusal);
      return { message: "Plan mode is on. Explore and make a plan; change nothing until the user approves it." };
    },

    show: ({ message }) => message,
  });
}
