// `startup()`: starts a program that has everything but its prompt.

import { CLIConnectionError } from "../errors.ts";
import { checkOptions } from "../options/check.ts";
import type { Options } from "../options/options.ts";
import { openQuery } from "../query/query.ts";
import type { WarmQuery } from "../query/query-object.ts";

/** Makes the program report the steps of its start, which shows that it is still starting. */
export const READS_STARTUP_MARKS = { CLAUDE_CODE_SDK_READS_STARTUP_MARKS: "1" };

const TIMEOUT = 60_000;
const MOST_FOR_HOOKS = 10 * 60_000;

/** Without a limit from the caller: one minute, plus the time of the SessionStart hooks. */
export async function startup({
  options = {},
  initializeTimeoutMs,
}: { options?: Options; initializeTimeoutMs?: number } = {}): Promise<WarmQuery> {
  checkOptions(options);
  const running = openQuery(options, READS_STARTUP_MARKS);
  let used = false;
  try {
    const extra = () => (initializeTimeoutMs === undefined ? Math.min(running.startHooks.ms, MOST_FOR_HOOKS) : 0);
    const limit = initializeTimeoutMs ?? TIMEOUT;
    await withTimeout(limit, running.initializationResult(), "The program did not answer initialize", extra);
  } catch (error) {
    // A program's exit error says more than an unanswered request.
    const ended = running.next().then(
      () => error,
      (reason: unknown) => reason,
    );
    running.close();
    throw await ended;
  }
  return {
    query(prompt) {
      if (used) throw new Error("A warm query accepts one prompt: call startup() again for another");
      used = true;
      running.begin(prompt);
      return running;
    },
    close: () => running.close(),
    async [Symbol.asyncDispose]() {
      if (!used) running.close();
    },
  };
}

/** Rejects if it takes longer. `extra` may grant more time, and is called again when that is over. */
export async function withTimeout<Value>(
  ms: number,
  promise: Promise<Value>,
  what: string,
  extra: () => number = () => 0,
): Promise<Value> {
  const begun = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const look = () => {
      const left = ms + extra() - (performance.now() - begun);
      if (left > 0) timer = setTimeout(look, Math.ceil(left));
      else reject(new CLIConnectionError(`${what} within ${ms} ms`));
    };
    look();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
