// Whether a prompt is being answered, and the way to stop it. Tells clients that asked when this changes.

import type { Signal } from "@keelson/protocol";

export interface RunStateOptions {
  /** A client wants to hear when the session starts and stops working. */
  readonly reportsState: boolean;
  show(signal: Signal): void | Promise<void>;
}

export class RunState {
  readonly #options: RunStateOptions;
  #abort = new AbortController();
  #running = false;
  #questions = 0;

  constructor(options: RunStateOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#running;
  }

  set running(running: boolean) {
    this.#running = running;
    this.#reportState(running ? "running" : "idle");
  }

  /** The signal of the run that is about to start. */
  begin(): AbortSignal {
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  /** Ends the run. Prompts that wait still run. */
  interrupt(): void {
    this.#abort.abort();
  }

  /** While a question to the client is open, the session waits for the client. */
  async whileAsking<T>(question: Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#reportState("requires_action");
    try {
      return await question;
    } finally {
      if (--this.#questions === 0 && this.#running) this.#reportState("running");
    }
  }

  #reportState(state: "running" | "idle" | "requires_action"): void {
    const { show, reportsState } = this.#options;
    if (reportsState) void show({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true });
  }
}
