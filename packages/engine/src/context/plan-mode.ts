// What the model reads when plan mode begins and when it ends. Each text is sent once and stays in the conversation.

export interface PlanModeFacts {
  readonly planFile: string;
  /** The plan file has already been written. */
  readonly planExists: boolean;
  /** Replaces our own description of the workflow. */
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
    : [planExists ? "It already exists: read it and continue from there." : "It does not exist yet."];
  return [[limits, ...plan].join(" "), workflow ?? ownWorkflow(canAsk, canExit)].join("\n\n");
}

function ownWorkflow(canAsk: boolean, canExit: boolean): string {
  const steps = [
    "Read the code that matters until you know what must change and what depends on it.",
    canAsk
      ? "If the request leaves a choice to the user, ask with AskUserQuestion; decide everything else yourself."
      : "If the request leaves a choice open, say which option you would take and why.",
    canExit
      ? "Write the plan: what changes in which files, what is reused, how to verify the result. Give one approach, and keep it short."
      : "End with the plan as your answer: what changes in which files, what is reused, how to verify the result.",
    ...(canExit ? ["Call ExitPlanMode. It shows the plan to the user and asks whether to go ahead."] : []),
  ];
  return ["How to proceed:", ...steps.map((step, at) => `${at + 1}. ${step}`)].join("\n");
}

export const PLAN_MODE_OVER = "Plan mode is off. You may make changes again, within this session's permissions.";

/** For subagents: the plan is their parent's. */
export const PLAN_MODE_OF_AGENTS =
  "Plan mode is on. Change nothing: no edits, no commits, no commands that alter anything. Answer with what you found out; the agent that asked you makes the plan.";
