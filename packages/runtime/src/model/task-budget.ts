// How many tokens a client wants its task to take, as the model is told before each run. It is a request for thrift and
// stops nothing; limits that do are turns and dollars.

import { isObject } from "@keelson/protocol";

/** Usage by model, as transcripts keep it; of what others wrote nothing is certain. */
type TokenUsage = Readonly<Record<string, unknown>>;

/** `before` is what the session had used when this program began to work on it. */
export function taskBudgetNotice(total: number, now: TokenUsage, before: TokenUsage = {}): string {
  const left = Math.max(0, total - (countTokens(now) - countTokens(before)));
  return (
    `This task has a budget of ${total} tokens in all, of which about ${left} are left. ` +
    "Pace yourself: choose what matters most, read and write no more than it needs, and finish with an answer before it is used up."
  );
}

/** What is read again from the provider's cache is not counted. */
function countTokens(used: TokenUsage): number {
  const counts = Object.values(used)
    .filter(isObject)
    .flatMap((each) => [each["inputTokens"], each["outputTokens"], each["cacheCreationInputTokens"]])
    .filter((count) => typeof count === "number");
  return counts.reduce((sum, count) => sum + count, 0);
}
