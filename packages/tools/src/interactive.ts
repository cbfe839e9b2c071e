// The tools that need a person to answer: AskUserQuestion, EnterPlanMode and ExitPlanMode.

import type { Tool } from "@keelson/engine";
import { askUserTool } from "./ask-user/ask-user.ts";
import { enterPlanModeTool } from "./plan/enter-plan-mode.ts";
import { exitPlanModeTool } from "./plan/exit-plan-mode.ts";
import type { PlanKeeper } from "./plan/plan-keeper.ts";

export interface InteractiveOptions {
  readonly plan: PlanKeeper;
  /** The format a client can show for the preview of an option. */
  readonly preview: "markdown" | "html";
}

export async function interactiveTools({ plan, preview }: InteractiveOptions): Promise<readonly Tool[]> {
  return [askUserTool({ preview }), enterPlanModeTool(plan), exitPlanModeTool(plan)];
}
