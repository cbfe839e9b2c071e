// How long hooks delay the start of a session. That time is not the program's, so it should not count against its
// timeout.

const EVENTS = ["SessionStart", "Setup"];

export class StartHooks {
  readonly #running = new Set<string>();
  readonly #now: () => number;
  #since = 0;
  #spent = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  onMessage({ subtype, hook_event: event, hook_id: id }: Record<string, any>): void {
    if (subtype !== "hook_started" && subtype !== "hook_response") return;
    if (!EVENTS.includes(event)) return;
    const before = this.#running.size;
    if (subtype === "hook_started") this.#running.add(id);
    else this.#running.delete(id);
    if (before === 0 && this.#running.size > 0) this.#since = this.#now();
    if (before > 0 && this.#running.size === 0) this.#spent += this.#now() - this.#since;
  }

  /** Milliseconds during which at least one of them ran. */
  get ms(): number {
    return this.#spent + (this.#running.size > 0 ? this.#now() - this.#since : 0);
  }
}
