// What the model is told about plan mode: when it begins, and when it is over. Each is said once and stays in place.

export interface PlanModeFacts {
  readonly planFile: string;
  /** The file has been written already. */
  readonly planExists: boolean;
  /** Takes the place of our own words on how to go about it. */
  readonly workflow?: string;
  readonly toolNames: readonly string[];
}

export function renderPlanMode({ planFile, planExists, workflow, toolNames }: PlanModeFacts): string {
  const canAsk = toolNames.includes("AskUserQuestion");
  const canExit = toolNames.includes("ExitPlanMode");
  const limits = canExit
    ? `Plan mode is on. Until the user has agreed to a plan, change nothing: no edits, no commits, no commands that alter anything. The one file you may write is the plan, ${planFile}.`
    : "Plan mode is on. Change nothing: no edits, no commits, no commands that alter anything.";
  const plan = !canExit
    ? []
    : [planExists ? "It exists already: read it and go on from there." : "It does not exist yet."];
  return [[limits, ...plan].join(" "), workflow ?? ownWorkflow(canAsk, canExit)].join("\n\n");
}

function ownWorkflow(canAsk: boolean, canExit: boolean): string {
  const steps = [
    "Read the code that matters until you know what has to change and what depends on it.",
    canAsk
      ? "Where the request leaves a choice that is the user's to make, ask with AskUserQuestion; decide the rest yourself."
      : "Where the request leaves a choice, say which one you would take and why.",
    canExit
      ? "Write the plan: what changes in which files, what is reused, how the result is checked. One way of doing it, short enough to be read."
      : "End with the plan as your answer: what changes in which files, what is reused, how the result is checked.",
    ...(canExit ? ["Call ExitPlanMode. It shows the plan to the user and asks whether to go ahead."] : []),
  ];
  return ["How to go about it:", ...steps.map((step, at) => `${at + 1}. ${step}`)].join("\n");
}

export const PLAN_MODE_OVER =
  "Plan mode is over. You may change things again, as far as the permissions of this session go.";
