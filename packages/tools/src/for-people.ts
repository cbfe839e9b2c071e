// The tools that make no sense where nobody answers, loaded only where somebody does.

import type { Tool } from "@keelson/engine";
import type { PlanKeeper } from "./plan/plan-keeper.ts";

export interface InteractiveOptions {
  readonly plan: PlanKeeper;
  /** What a client can show beside an option of a question. */
  readonly preview: "markdown" | "html";
}

export async function interactiveTools({ plan, preview }: InteractiveOptions): Promise<readonly Tool[]> {
  const [{ askUserTool }, { enterPlanModeTool }, { exitPlanModeTool }] = await Promise.all([
    import("./ask-user/ask-user.ts"),
    import("./plan/enter-plan-mode.ts"),
    import("./plan/exit-plan-mode.ts"),
  ]);
  return [askUserTool({ preview }), enterPlanModeTool(plan), exitPlanModeTool(plan)];
}
