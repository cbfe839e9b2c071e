// Front ends that print once, at the end of the run: the final text, the result as a JSON object, or all messages as a
// JSON array.

import {
  isResult,
  toLine,
  type AttachOptions,
  type Outbound,
  type ResultMessage,
  type Session,
} from "@keelson/protocol";
import { outputLine } from "./output-line.ts";
import type * as DenialNotes from "./denial-notes.ts";
import type * as RetryNotes from "./retry-notes.ts";
import type { Streams } from "./streams.ts";
import { sendOnly, watch } from "./watch.ts";

export interface OnePrompt {
  readonly prompt: string;
  /** How it attaches to the session. */
  readonly attach: AttachOptions;
}

/**
 * Prints the final text, and on standard error notes about the model and its server, and how to allow calls that nobody
 * could approve. Returns the exit code.
 */
export function text(session: Session, streams: Streams, options: OnePrompt): Promise<number> {
  let noteRetries: ReturnType<typeof RetryNotes.retryNotes> | undefined;
  let noteDenials: ReturnType<typeof DenialNotes.denialNotes> | undefined;
  const warn = (message: Outbound) => {
    const subtype = message.type === "system" ? message.subtype : undefined;
    if (message.type === "system" && message.subtype === "informational" && message.tag === "model")
      streams.error(message.content);
    if (subtype === "permission_denied")
      noteDenials ??= (require("./denial-notes.ts") as typeof DenialNotes).denialNotes((line) => streams.error(line));
    noteDenials?.(message);
    // Few sessions need it.
    if (subtype === "api_retry" || "subagent_retry" in message)
      noteRetries ??= (require("./retry-notes.ts") as typeof RetryNotes).retryNotes((line) => streams.error(line));
    noteRetries?.(message);
    if (isResult(message) && message.is_error && message.api_error_status === 401)
      streams.error(
        "error: the model server did not accept the credentials; to see which are used, run: keelson auth status",
      );
  };
  return lastResult(session, streams, options, (result) => `${describe(result)}\n`, warn);
}

/** Prints the result object, or with `all` every message of the run in an array. Returns the exit code. */
export function json(
  session: Session,
  streams: Streams,
  { all = false, ...options }: OnePrompt & { readonly all?: boolean },
): Promise<number> {
  if (!all) return lastResult(session, streams, options, toLine);
  const lines: string[] = [];
  const keep = (message: Outbound) => void lines.push(outputLine(message).trimEnd());
  return lastResult(session, streams, options, () => `[${lines.join(",")}]\n`, keep);
}

async function lastResult(
  session: Session,
  streams: Streams,
  { prompt, attach }: OnePrompt,
  print: (result: ResultMessage) => string,
  hear: (message: Outbound) => void = () => undefined,
): Promise<number> {
  let last: ResultMessage | undefined;
  const watching = watch(session, attach);
  const closed = sendOnly(session, watching.client, prompt);
  closed.catch(() => undefined);
  const heard = await watching.until(
    (message) => {
      hear(message);
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

/** How an error begins that only programs read. */
const FOR_PROGRAMS = "[ede_diagnostic]";

function describe(result: ResultMessage): string {
  if (result.subtype === "success") return result.result ?? "";
  const reasons = (result.errors ?? []).filter((each) => !each.startsWith(FOR_PROGRAMS)).join("\n");
  // The reference words this one differently in text output (test/sessions/run/limits.test.ts).
  if (result.subtype === "error_max_turns") {
    return `Error: Reached max turns (${/\((\d+)\)/.exec(reasons)?.[1] ?? result.num_turns})`;
  }
  return reasons === "" ? "Execution error" : `Error: ${reasons}`;
}
