// Which commands a setting keeps out of the sandbox. The gate and the code that starts the command both use this, so
// they agree.

import type { CommandAnalysis } from "../command/analysis/command.ts";
import { everyCommand } from "../command/files/command-files.ts";
import { reachOf } from "../command/rules/match-command.ts";

/** True if one of the patterns (`docker`, `docker *`, `docker:*`) matches any part. */
export function isExcluded(analysis: CommandAnalysis, excluded: readonly string[]): boolean {
  if (excluded.length === 0 || analysis.problem !== undefined) return false;
  return everyCommand(analysis.commands).some((command) => {
    const reach = reachOf(command);
    return excluded.some((pattern) => reach(pattern) === "yes");
  });
}
