// Says on standard error that a request is being retried, and when it is given up: both can take a minute, and text
// output shows nothing meanwhile.

import { isObject, isResult, type Outbound } from "@keelson/protocol";

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
  const { attempt, max_retries, error_status, error } = attemptIn(message as Readonly<Record<string, unknown>>) ?? {};
  if (attempt === undefined) return undefined;
  const name = typeof error === "string" && error !== "unknown" ? ` (${error.replaceAll("_", " ")})` : "";
  const reason =
    typeof error_status === "number"
      ? `the model server replied with HTTP status ${error_status}${name}`
      : "no reply from the model server";
  return { attempt: Number(attempt), most: Number(max_retries), reason };
}

/** Of the session's own agent, or of a subagent. */
function attemptIn(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  if (message["type"] === "system" && message["subtype"] === "api_retry") return message;
  const { subagent_retry: retry } = message;
  return isObject(retry) ? { ...retry, error: retry["error_category"] } : undefined;
}
