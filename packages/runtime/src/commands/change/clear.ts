// /clear: a new session with an empty conversation, in the same program.

import { expectNoArguments, type RunCommand } from "../command.ts";

export const clearCommand: RunCommand = async (args, { targets, prompt }) => {
  expectNoArguments("clear", args);
  await targets.clear(prompt);
  // Clients see it by the messages; there is nothing to say (test/conformance/protocol/cases/commands.ts).
  return "";
};
