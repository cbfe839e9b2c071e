// /memory: the instruction files in the conversation.

import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const memoryCommand: RunCommand = (args, { targets }) => {
  expectNoArguments("memory", args);
  const files = targets.memoryFiles();
  if (files.length === 0) return "No instruction files. Write project instructions to CLAUDE.md";
  return `Instruction files:\n\n${points(files.map(({ path, type }) => `${path} (${type})`))}`;
};
