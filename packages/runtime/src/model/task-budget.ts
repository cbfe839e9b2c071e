// The token budget a client sets for its task, shown to the model before each run. It is advice and stops nothing;
// the limits on turns and dollars do.

import { isObject } from "@keelson/protocol";

/** Usage by model, from a transcript. Another program may have written it, so nothing about it is certain. */
type TokenUsage = Readonly<Record<string, unknown>>;

/** `before` is the usage when this process opened the session. */
export function taskBudgetNotice(total: number, now: TokenUsage, before: TokenUsage = {}): string {
  const left = Math.max(0, total - (countTokens(now) - countTokens(before)));
  return (
    `This task has a budget of ${total} tokens; about ${left} are left. ` +
    "Pace yourself: choose what matters most, read and write no more than it needs, and finish with an answer before the budget runs out."
  );
}

/** Cache reads do not count. */
function countTokens(used: TokenUsage): number {
  const counts = Object.values(used)
    .filter(isObject)
    .flatMap((each) => [each["inputTokens"], each["outputTokens"], each["cacheCreationInputTokens"]])
    .filter((count) => typeof count === "number");
  return counts.reduce((sum, count) => sum + count, 0);
}
