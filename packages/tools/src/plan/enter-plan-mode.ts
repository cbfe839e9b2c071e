// EnterPlanMode: the model turns to planning of its own accord. It only narrows what may happen, so nobody is asked.

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
        throw new ToolError("You are in plan mode already. Write the plan, then call ExitPlanMode.");
    },
    access: () => ({ kind: "none" }),

    async run() {
      const refusal = plan.begin();
      if (refusal !== undefined) throw new ToolError(refusal);
      return { message: "Plan mode has begun. Look around and make a plan; change nothing until the user agrees." };
    },

    show: ({ message }) => message,
  });
}
