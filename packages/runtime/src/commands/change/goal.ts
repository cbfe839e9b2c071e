// /goal: sets a goal that the session works towards, shows it, or clears it.

import type { PromptExpansion } from "@keelson/engine";
import { LONGEST_CONDITION, type Goal } from "../../goal/goal.ts";
import { commandHeading } from "../../skills/command-heading.ts";
import type { CommandSession, RunCommand } from "../command.ts";

const CLEARS = new Set(["clear", "stop", "off", "reset", "none", "cancel"]);

/** Without a condition: shows or clears. */
export const goalCommand: RunCommand = (args, { targets }) => {
  const goal = targets.goal();
  if (CLEARS.has(args.toLowerCase())) {
    targets.setGoal(undefined);
    return goal ? `Cleared the goal: ${goal.condition}` : "There is no goal";
  }
  return goal ? status(goal, targets.now()) : "There is no goal. Set one with /goal <what must hold in the end>";
};

/** With a condition: the prompt that it stands for. Undefined if it sets no goal. */
export function goalPrompt(args: string, { targets }: Pick<CommandSession, "targets">): PromptExpansion | undefined {
  if (args === "" || CLEARS.has(args.toLowerCase())) return undefined;
  return {
    kind: "prompt",
    about: { expansion_type: "slash_command", command_name: "goal", command_args: args, command_source: "builtin" },
    async render() {
      if (args.length > LONGEST_CONDITION) {
        throw new Error(`a goal has at most ${LONGEST_CONDITION} characters, and this one has ${args.length}`);
      }
      return { content: [commandHeading("goal", args), instructions(args)].map((text) => ({ type: "text", text })) };
    },
    admitted: () => targets.setGoal({ condition: args, startedMs: targets.now(), checks: 0 }),
  };
}

const instructions = (condition: string) => `The user set a goal for this session. Work until it holds:

${condition}

Whenever you stop, another model reads this conversation and judges whether the goal holds. It runs nothing itself, so let the conversation show the evidence: run the checks that prove it, and report what they said. While the goal does not hold, you are told what is missing and continue. If it can never hold, say so and why.`;

function status({ condition, startedMs, checks, reason }: Goal, now: number): string {
  const minutes = Math.floor((now - startedMs) / 60_000);
  return [
    `Goal: ${condition}`,
    `Set ${minutes === 0 ? "less than a minute" : minutes === 1 ? "a minute" : `${minutes} minutes`} ago`,
    checks === 0
      ? "Not checked yet"
      : `Checked ${checks === 1 ? "once" : `${checks} times`}, last: ${reason || "not met"}`,
    "/goal clear removes it",
  ].join("\n");
}
