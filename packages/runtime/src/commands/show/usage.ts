// /usage: the cost and usage of the session.

import { expectNoArguments, type RunCommand } from "../command.ts";

export const usageCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("usage", args);
  const { text } = await request("get_session_cost");
  return text;
};
