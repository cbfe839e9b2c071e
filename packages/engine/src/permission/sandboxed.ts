// Which commands a setting keeps out of the sandbox. The gate and whoever starts the command must agree: both ask here.

import type { CommandAnalysis } from "./command/command.ts";
import { everyCommand } from "./command/command-files.ts";
import { reachOf } from "./command/match-command.ts";

/** True when any part is named by one of the patterns (`docker`, `docker *`, `docker:*`). */
export function isExcluded(analysis: CommandAnalysis, excluded: readonly string[]): boolean {
  if (excluded.length === 0 || analysis.problem !== undefined) return false;
  return everyCommand(analysis.commands).some((command) => {
    const reach = reachOf(command);
    return excluded.some((pattern) => reach(pattern) === "yes");
  });
}
