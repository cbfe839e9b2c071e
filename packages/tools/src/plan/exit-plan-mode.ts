// ExitPlanMode: the plan goes to a person, and with their word the work begins. The plan lives in a file; the call is
// given its text so that whoever is asked can read it, and may send it back changed.

import { defineTool, ToolError, type Schema, type Tool } from "@keelson/engine";
import description from "./exit-plan-mode.md" with { type: "text" };
import type { PlanKeeper } from "./plan-keeper.ts";

export interface ExitPlanModeInput {
  readonly plan?: string;
  readonly planFilePath?: string;
}

export interface ExitPlanModeOutput {
  readonly plan: string | null;
  readonly isAgent: boolean;
  readonly filePath?: string;
  /** Whoever agreed changed it first. */
  readonly planWasEdited?: boolean;
}

export function exitPlanModeTool(keeper: PlanKeeper): Tool<ExitPlanModeInput, ExitPlanModeOutput> {
  /** What the person was shown; calls of this tool never run side by side. */
  let shown: string | undefined;
  return defineTool<ExitPlanModeInput, ExitPlanModeOutput>({
    name: "ExitPlanMode",
    description,
    // Open: clients and models of several versions put different things in (observed).
    input: OPEN,

    repair(input) {
      const { plan: given, planFilePath: _, ...rest } = input;
      const plan = typeof given === "string" && given.trim() !== "" ? given : keeper.text();
      const path = keeper.path();
      return plan === undefined ? rest : { ...rest, plan, ...(path === undefined ? {} : { planFilePath: path }) };
    },

    check({ plan }) {
      if (!keeper.isPlanning()) throw new ToolError(NOT_PLANNING);
      shown = plan;
    },

    access: () => ({ kind: "person" }),

    async run({ plan }, { files }) {
      const path = keeper.path();
      const edited = plan !== undefined && plan !== shown;
      if (path !== undefined && plan !== undefined && plan !== keeper.text()) {
        await files.write(path, new TextEncoder().encode(plan));
      }
      keeper.end();
      return {
        plan: plan ?? null,
        isAgent: false,
        ...(path === undefined || plan === undefined ? {} : { filePath: path }),
        ...(edited ? { planWasEdited: true } : {}),
      };
    },

    show({ plan, filePath, planWasEdited }) {
      const kept = filePath === undefined ? "" : ` The plan is kept in ${filePath}; read it again when you need it.`;
      const changed = planWasEdited ? `\n\nThe user changed the plan. This is what they agreed to:\n\n${plan}` : "";
      return `User has approved your plan. You can now start coding.${kept}${changed}`;
    },
  });
}

const NOT_PLANNING =
  "You are not in plan mode. This tool only ends plan mode; if the user has agreed to your plan already, go on with the work.";

const OPEN: Schema<ExitPlanModeInput> = {
  json: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {},
    additionalProperties: true,
  },
};
