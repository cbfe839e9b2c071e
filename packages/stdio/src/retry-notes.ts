// Says on standard error that a request is being retried, and when it is given up: both can take a minute, and text
// output shows nothing meanwhile.

import { isResult, type Outbound } from "@keelson/protocol";

/** Reports the first retry of a session, and its failure if no retry helped. */
export function retryNotes(error: (line: string) => void): (message: Outbound) => void {
  let isReported = false;
  let retries = 0;
  return (message) => {
    const retry = retryIn(message);
    if (retry !== undefined) {
      if (!isReported) error(`warning: ${retry.reason}; retrying ${times(retry.most)}`);
      isReported = true;
      retries = retry.attempt;
    } else if (message.type === "assistant" && !("error" in message)) retries = 0;
    else if (isResult(message) && message.terminal_reason === "api_error" && retries > 0) {
      error(`error: gave up after ${retries} ${retries === 1 ? "retry" : "retries"}`);
    }
  };
}

const times = (count: number) => (count === 1 ? "once" : `up to ${count} times`);

function retryIn(message: Outbound) {
  const retry = attemptIn(message);
  if (retry === undefined) return undefined;
  const { attempt, max_retries, error_status, error } = retry;
  const name = error !== "unknown" ? ` (${error.replaceAll("_", " ")})` : "";
  const reason =
    error_status !== null
      ? `the model server replied with HTTP status ${error_status}${name}`
      : "no reply from the model server";
  return { attempt, most: max_retries, reason };
}

/** Of the session's own agent, or of a subagent. */
function attemptIn(message: Outbound) {
  if (message.type === "system" && message.subtype === "api_retry") return message;
  const retry = message.type === "tool_progress" ? message.subagent_retry : undefined;
  return retry && { ...retry, error: retry.error_category };
}
