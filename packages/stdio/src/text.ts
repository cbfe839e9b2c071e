// Front ends that show only how a run ended: its text, or its result as one JSON object.

import { isResult, toLine, type ResultMessage, type Session } from "@keelson/protocol";
import type { Streams } from "./streams.ts";
import { sendOnly, watch } from "./watch.ts";

export interface OnePrompt {
  readonly prompt: string;
}

/** Prints the final text. Returns the exit code. */
export function text(session: Session, streams: Streams, options: OnePrompt): Promise<number> {
  return lastResult(session, streams, options, (result) => `${describe(result)}\n`);
}

/** Prints the result object. Returns the exit code. */
export function json(session: Session, streams: Streams, options: OnePrompt): Promise<number> {
  return lastResult(session, streams, options, toLine);
}

async function lastResult(
  session: Session,
  streams: Streams,
  { prompt }: OnePrompt,
  print: (result: ResultMessage) => string,
): Promise<number> {
  let last: ResultMessage | undefined;
  const watching = watch(session);
  const closed = sendOnly(session, prompt);
  closed.catch(() => undefined);
  const heard = await watching.until(
    (message) => {
      if (isResult(message)) last = message;
    },
    async () => {
      if (last !== undefined) await streams.write(print(last));
    },
  );
  if (!heard) return 0;
  await closed;
  return last === undefined || last.is_error ? 1 : 0;
}

function describe(result: ResultMessage): string {
  if (result.subtype === "success") return result.result ?? "";
  const reasons = (result.errors ?? []).join("\n");
  // The text format has its own wording for this one (observed, 2.1.197).
  if (result.subtype === "error_max_turns") {
    return `Error: Reached max turns (${/\((\d+)\)/.exec(reasons)?.[1] ?? result.num_turns})`;
  }
  return reasons === "" ? "Execution error" : `Error: ${reasons}`;
}
