// Keeps the last analyses. The gate and the Bash tool ask about the same command within a moment, and reading one costs
// half a millisecond. An analysis depends on the text alone and never changes.

import { analyseCommand, type CommandAnalysis } from "./command.ts";
import { isReadOnly } from "../../read-only/read-only.ts";

const MAX_KEPT = 32;
/** Longer commands are rare, and their analyses large. */
const MAX_LENGTH = 2_000;

const recent = new Map<string, CommandAnalysis>();

export function analyseOnce(command: string): CommandAnalysis {
  const known = recent.get(command);
  if (known) return known;
  const analysis = analyseCommand(command);
  if (command.length > MAX_LENGTH) return analysis;
  if (recent.size === MAX_KEPT) recent.delete(recent.keys().next().value!);
  recent.set(command, analysis);
  return analysis;
}

/** Whether the command is read-only and leaves the shell where it is, so that it may run while others run. */
export function isParallelSafeCommand(command: string): boolean {
  const analysis = analyseOnce(command);
  return isReadOnly(analysis) && !analysis.commands.some(({ words }) => words[0]?.value === "cd");
}

/** Whether every part of the command is read-only. Says nothing about which files it reads. */
export function isReadOnlyCommand(command: string): boolean {
  return isReadOnly(analyseOnce(command));
}
