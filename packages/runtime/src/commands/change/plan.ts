// /plan: plan mode for the prompts that follow.

import { expectNoArguments, type RunCommand } from "../command.ts";

export const planCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("plan", args);
  await request("set_permission_mode", { mode: "plan" });
  return "Plan mode is on. Send the task as the next prompt";
};
