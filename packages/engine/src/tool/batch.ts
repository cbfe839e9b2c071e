// The tool calls of one reply. Each starts as soon as it arrives: neighboring calls that are safe in parallel run
// together, any other call waits for the ones before it. Once something ends the run, no further call starts. Every
// call gets an answer.

import { ALL_RESULTS, shareOfWindow } from "./bound.ts";
import type { Ports } from "../ports.ts";
import { checkCall, settleCall, type CheckedCall, type CallQueue, type SettledCall } from "./tool-call.ts";
import { ENDED, refused, stopped } from "./tool-outcome.lazy.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import type { StreamedCall, Calls } from "../turn/turn.ts";

const ALWAYS_SHOWN = 2_000;

export class Batch implements Calls {
  readonly #ports: Ports;
  readonly #spent: () => boolean;
  readonly #answers: Promise<SettledCall>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** Calls are placed one after another. */
  #placed: Promise<void> = Promise.resolve();
  /** Resolves when the PreToolUse hooks of every call so far have answered. */
  #passed: Promise<unknown> = Promise.resolve();
  readonly #ended = new AbortController();
  #halted: ToolOutcome | undefined;
  /** Characters of the results so far. */
  #shown = 0;

  /** `spent` reports whether the run's budget is used up. */
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

  /** From now on, calls are answered with this message instead of being run. */
  readonly halt = (message: string): void => {
    this.#halted ??= refused(message, `Error: ${message}`);
  };

  /** One answer per call, in call order; their entries are already recorded. Call it once, after the last call. */
  async settled(): Promise<SettledCall[]> {
    await this.#placed;
    // Wait for all of them even if one could not be recorded: nothing may still run when the run continues or ends.
    await Promise.allSettled(this.#answers);
    return Promise.all(this.#answers);
  }

  async #place(call: StreamedCall): Promise<void> {
    const { name } = call.block;
    await this.#ports.awaitTool?.(this.#ports.toolAlias?.(name) ?? name);
    const isShared = await isParallelSafe(checkCall(call, this.#ports));
    if (!isShared) await Promise.all(this.#running);
    while (this.#running.size >= this.#ports.concurrency) await Promise.race(this.#running);

    // Checked when its turn comes: calls before it may have changed which tools there are.
    const answer = this.#settle(checkCall(call, this.#ports));
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
      allot: (characters) => this.#allot(characters),
      pass: async () => {
        own.resolve();
        await earlier;
      },
    };
    try {
      const settled = await settleCall(checked, this.#ports, line);
      if (settled.interrupt) {
        this.#end(stopped());
        this.#ports.interrupt();
      } else if (settled.stop !== undefined) this.#end(refused(ENDED, `Error: ${ENDED}`));
      return settled;
    } finally {
      own.resolve();
    }
  }

  /** A first or short result always fits. */
  #allot(characters: number): boolean {
    const most = shareOfWindow(this.#ports.model.profile, ALL_RESULTS);
    const fits = this.#shown === 0 || characters <= ALWAYS_SHOWN || this.#shown + characters <= most;
    if (fits) this.#shown += characters;
    return fits;
  }

  #end(outcome: ToolOutcome): void {
    this.#halted ??= outcome;
    this.#ended.abort();
  }

  #endOfRun(): ToolOutcome | undefined {
    if (this.#ports.signal.aborted) return stopped();
    if (this.#spent()) this.halt("The call did not run: this run's budget is used up.");
    return this.#halted;
  }
}

/** Whether this call may run while its neighbors run. */
export async function isParallelSafe(checked: CheckedCall): Promise<boolean> {
  if (!checked.tool) return true;
  const { parallelSafe = false } = checked.tool;
  if (typeof parallelSafe === "boolean") return parallelSafe;
  try {
    return await parallelSafe(checked.input);
  } catch {
    return false;
  }
}
