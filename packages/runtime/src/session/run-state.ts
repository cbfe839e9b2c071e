// Whether a run is active, and how to stop it. Reports changes to clients that want them.

import type { Signal } from "@keelson/protocol";

export interface RunStateOptions {
  /** The client wants `session_state_changed` messages. */
  readonly reportsState: boolean;
  show(signal: Signal): void | Promise<void>;
}

export class RunState {
  readonly #options: RunStateOptions;
  #abort = new AbortController();
  #running = false;
  #questions = 0;
  /** Ends work between runs, if there is any. */
  beside: AbortController | undefined;

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

  /** Returns the signal of a new run. */
  begin(): AbortSignal {
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  /** Stops the current run. Queued prompts still run. */
  interrupt(): void {
    this.#abort.abort();
    this.beside?.abort();
  }

  /** Reports `requires_action` before a question to the client is sent, and `running` when it is answered. */
  async whileAsking<T>(question: () => Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#reportState("requires_action");
    try {
      return await question();
    } finally {
      if (--this.#questions === 0 && this.#running) this.#reportState("running");
    }
  }

  #reportState(state: "running" | "idle" | "requires_action"): void {
    const { show, reportsState } = this.#options;
    if (reportsState) void show({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true });
  }
}
