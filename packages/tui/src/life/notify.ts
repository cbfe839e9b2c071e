// When to ring for a window that may not be looked at.

/** Whoever has waited this long may have turned away, even if the terminal does not report the focus. */
const LONG_RUN_MS = 60_000;

export class Attention {
  readonly #enabled: boolean;
  /** Undefined until the terminal has reported it. */
  #focused: boolean | undefined;
  #lastKeyMs = 0;
  #rung: string | undefined;

  /** `channel`: `preferredNotifChannel` of the settings. */
  constructor(channel: unknown) {
    this.#enabled = channel !== "notifications_disabled";
  }

  focus(focused: boolean): void {
    this.#focused = focused;
  }

  /** The user is here. */
  pressed(now: number): void {
    this.#lastKeyMs = now;
    this.#rung = undefined;
  }

  /** A question waits for an answer: what to say, once for each. */
  waiting(id: string, question: string, now: number): string | undefined {
    if (this.#rung === id || !this.#isAway(now)) return undefined;
    this.#rung = id;
    return question;
  }

  /** A run ended: what to say if it is worth it. */
  finished(startedMs: number, now: number): string | undefined {
    if (!this.#isAway(now)) return undefined;
    if (this.#focused === undefined && now - startedMs < LONG_RUN_MS) return undefined;
    return "Waiting for your next prompt";
  }

  #isAway(now: number): boolean {
    if (!this.#enabled) return false;
    if (this.#focused !== undefined) return !this.#focused;
    return now - this.#lastKeyMs >= LONG_RUN_MS;
  }
}
