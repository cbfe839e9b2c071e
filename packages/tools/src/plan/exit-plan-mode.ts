// ExitPlanMode: asks the user to approve the plan, then ends plan mode. The plan is in a file; when the call's turn comes,
// its text is added to the input, where the user can read and edit it.

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
  /** The user edited the plan before approving it. */
  readonly planWasEdited?: boolean;
}

export function exitPlanModeTool(keeper: PlanKeeper): Tool<ExitPlanModeInput, ExitPlanModeOutput> {
  /** The plan the user was shown. One variable is enough: calls of this tool never run in parallel. */
  let shown: { readonly plan: string | undefined; readonly isFromFile: boolean } | undefined;
  return defineTool<ExitPlanModeInput, ExitPlanModeOutput>({
    name: "ExitPlanMode",
    description,
    // An open schema: clients and models of different versions send different fields.
    input: OPEN,

    // Calls before this one may write the plan.
    complete({ plan: given, planFilePath: _, ...rest }) {
      const plan = textIn(given) ?? keeper.text();
      const path = keeper.path();
      return plan === undefined ? rest : { ...rest, plan, ...(path === undefined ? {} : { planFilePath: path }) };
    },

    check({ plan }) {
      if (!keeper.isPlanning()) throw new ToolError(NOT_PLANNING);
      shown = { plan, isFromFile: plan === keeper.text() };
    },

    kind: "switch_mode",
    describe: () => ({ title: "", name: "Plan" }),
    access: () => ({ kind: "person" }),

    async run({ plan: approved }, { files }) {
      const path = keeper.path();
      // A client may answer with the model's own input, which has no plan.
      const plan = textIn(approved) ?? shown?.plan;
      const edited = plan !== undefined && plan !== shown?.plan;
      // What someone wrote into the file while the user read the plan stays.
      const isSaved = !edited && shown?.isFromFile === true;
      if (path !== undefined && plan !== undefined && !isSaved) await files.write(path, new TextEncoder().encode(plan));
      keeper.end();
      return {
        plan: plan ?? null,
        isAgent: false,
        ...(path === undefined || plan === undefined ? {} : { filePath: path }),
        ...(edited ? { planWasEdited: true } : {}),
      };
    },

    show({ plan, filePath, planWasEdited }) {
      const where = filePath === undefined ? "" : ` The plan is saved in ${filePath}; read it again when you need it.`;
      const changed = planWasEdited ? `\n\nThe user edited the plan. This is the approved version:\n\n${plan}` : "";
      return `User has approved your plan. You can now start coding.${where}${changed}`;
    },
  });
}

const textIn = (plan: unknown) => (typeof plan === "string" && plan.trim() !== "" ? plan : undefined);

const NOT_PLANNING =
  "You are not in plan mode. This tool only ends plan mode; if the user has already approved your plan, continue with the work.";

const OPEN: Schema<ExitPlanModeInput> = {
  json: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {},
    additionalProperties: true,
  },
};
