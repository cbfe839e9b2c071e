// How often one trigger may be called. In the memory of a process: it protects the server, while caps of routines count rows.

import { RateLimit } from "@keelson/web";

/** Rows about calls that started nothing, of those with and those without credentials. More of them say nothing new. */
const NOTES_AN_HOUR = 60;

export class HookLimits {
  readonly callsAMinute = 60;
  readonly #calls: RateLimit;
  readonly #notes: RateLimit;

  constructor(now: () => number) {
    this.#calls = new RateLimit(this.callsAMinute, 60_000, now);
    this.#notes = new RateLimit(NOTES_AN_HOUR, 60 * 60_000, now);
  }

  /** The seconds that a caller has to wait; 0: go on. */
  waitSeconds(triggerId: string): number {
    return this.#calls.take(triggerId);
  }

  /** Whether a call that started nothing gets a row. Whoever has no credentials uses up none of those for others. */
  mayNote(triggerId: string, isRefused: boolean): boolean {
    return this.#notes.take(`${isRefused ? "refused" : "known"} ${triggerId}`) === 0;
  }
}
