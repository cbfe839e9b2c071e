// The calls of one reply. Each starts as soon as it is handed over: neighbours that may run side by side do, any other
// call waits for those before it. Once something ends the run, no further call starts; every call is answered.

import type { Ports } from "./ports.ts";
import { checkCall, settleCall, type CheckedCall, type CallQueue, type SettledCall } from "./tool-call.ts";
import { ENDED, refused, REJECTED, type ToolOutcome } from "./tool-outcome.ts";
import type { StreamedCall, Calls } from "./turn.ts";

export class Batch implements Calls {
  readonly #ports: Ports;
  readonly #spent: () => boolean;
  readonly #answers: Promise<SettledCall>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** Calls take their places one after another. */
  #placed: Promise<void> = Promise.resolve();
  /** The PreToolUse hooks of every call so far have answered. */
  #passed: Promise<unknown> = Promise.resolve();
  readonly #ended = new AbortController();
  #halted: ToolOutcome | undefined;

  /** `spent` tells whether the run's budget is used up. */
  constructor(ports: Ports, spent: () => boolean = () => false) {
    this.#ports = ports;
    this.#spent = spent;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  readonly start = (call: StreamedCall): void => {
    this.#placed = this.#placed.then(() => this.#place(call));
  };

  /** From here on calls are answered with this instead of being run. */
  readonly halt = (message: string): void => {
    this.#halted ??= refused(message, `Error: ${message}`);
  };

  /** One answer for each call, in the order of the calls; their entries are recorded. To be asked once, after the last call. */
  async settled(): Promise<SettledCall[]> {
    await this.#placed;
    // All of them, also when one could not be recorded: nothing may still be running when the run goes on or ends.
    await Promise.allSettled(this.#answers);
    return Promise.all(this.#answers);
  }

  async #place(call: StreamedCall): Promise<void> {
    const checked = checkCall(call, this.#ports);
    const isShared = await mayShare(checked);
    if (!isShared) await Promise.all(this.#running);
    while (this.#running.size >= this.#ports.concurrency) await Promise.race(this.#running);

    const answer = this.#settle(checked);
    this.#answers.push(answer);
    const over = answer.then(
      () => void this.#running.delete(over),
      () => void this.#running.delete(over),
    );
    this.#running.add(over);
    if (!isShared) await over;
  }

  async #settle(checked: CheckedCall): Promise<SettledCall> {
    const earlier = this.#passed;
    const own = Promise.withResolvers<void>();
    this.#passed = Promise.all([earlier, own.promise]);
    const line: CallQueue = {
      halted: () => this.#endOfRun(),
      ended: this.ended,
      pass: async () => {
        own.resolve();
        await earlier;
      },
    };
    try {
      const settled = await settleCall(checked, this.#ports, line);
      if (settled.interrupt) {
        this.#end(refused(REJECTED, "User rejected tool use"));
        this.#ports.interrupt();
      } else if (settled.stop !== undefined) this.#end(refused(ENDED, `Error: ${ENDED}`));
      return settled;
    } finally {
      own.resolve();
    }
  }

  #end(outcome: ToolOutcome): void {
    this.#halted ??= outcome;
    this.#ended.abort();
  }

  #endOfRun(): ToolOutcome | undefined {
    if (this.#ports.signal.aborted) return refused(REJECTED, "User rejected tool use");
    if (this.#spent()) this.halt("The call was not carried out: the budget of this run is used up.");
    return this.#halted;
  }
}

async function mayShare(checked: CheckedCall): Promise<boolean> {
  if (!checked.tool) return true;
  const { parallelSafe = false } = checked.tool;
  if (typeof parallelSafe === "boolean") return parallelSafe;
  try {
    return await parallelSafe(checked.input);
  } catch {
    return false;
  }
}
