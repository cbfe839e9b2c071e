// Whether a run is active, and how to stop it. Reports changes to clients that want them.

import type { Signal } from "@keelson/protocol";

export interface RunStateOptions {
  /** Whether a run will follow without another word from the client, now or when what is under way has ended. */
  goesOn(): boolean;
  show(signal: Signal): void | Promise<void>;
}

export type ReportedState = "running" | "idle" | "requires_action";

export class RunState {
  readonly #options: RunStateOptions;
  #abort = new AbortController();
  #running = false;
  #questions = 0;
  #reported: ReportedState = "idle";
  /** Called when `state` has changed. */
  changed: () => void = () => undefined;
  /** Ends work between runs, if there is any. */
  beside: AbortController | undefined;

  constructor(options: RunStateOptions) {
    this.#options = options;
  }

  /** As clients know it. */
  get state(): ReportedState {
    return this.#reported;
  }

  get running(): boolean {
    return this.#running;
  }

  set running(running: boolean) {
    this.#running = running;
    this.settle();
  }

  /**
   * Reports what the client can tell from no other message. While an agent works in the background, the session is not
   * idle: a client that closes its input when we are could not answer the agent's hooks and questions.
   */
  settle(): void {
    if (this.#questions > 0) return;
    this.#reportState(this.#running || (this.#reported !== "idle" && this.#options.goesOn()) ? "running" : "idle");
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
      this.#questions--;
      this.settle();
    }
  }

  #reportState(state: ReportedState): void {
    if (state === this.#reported) return;
    this.#reported = state;
    this.changed();
    void this.#options.show({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true });
  }
}
